/** The harness whose roles are tested, as texts for repos of svc's own making: the repo's, or the bundled one. */
import { Failure } from "svc/core/failure.ts";
import { readManifest } from "svc/features/harness/manifest.ts";
import { MANIFEST_BYTES, MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { parseDocument } from "svc/platform/yaml.ts";
import { bundledHarness } from "svc/runtime/start/scaffold.ts";
import { SMOKE_CHECK } from "./cases.ts";

/** What a role is told and which model it has. Keys and the repo's own tools are left out. */
const COPIED = [
  "roles",
  "guardrails",
  "knowledge",
  "skills",
  "model-overrides.yaml",
  "model-routing.yaml",
];

/** A harness has some twenty files. */
const HARNESS_FILES = 500;
const HARNESS_FILE_BYTES = 256 * 1024;

/** A smoke test is a small task: a role that needs more has not understood it. */
const SMOKE_TURNS = 20;
const SMOKE_MINUTES = 10;

export interface HarnessUnderTest {
  readonly manifest: Manifest;
  readonly from: "repo" | "bundled";
  /** By path; the project is that of the smoke tests. */
  readonly texts: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? { ...value } : {};

const atMost = (value: unknown, most: number) =>
  typeof value === "number" ? Math.min(value, most) : most;

/** Written as JSON, which is YAML too. Roles and guardrails stay as they are, within the limits of a small task. */
function smokeManifest(text: string): string {
  const manifest = fieldsOf(parseDocument(text).toJS());
  const roles = Object.entries(fieldsOf(manifest["roles"])).map(([name, role]) => {
    const limits = fieldsOf(fieldsOf(role)["limits"]);
    const bounded = {
      ...limits,
      max_turns: atMost(limits["max_turns"], SMOKE_TURNS),
      timeout_minutes: atMost(limits["timeout_minutes"], SMOKE_MINUTES),
    };
    return [name, { ...fieldsOf(role), limits: bounded }];
  });
  const { integrations: _, budgets: __, ...rest } = manifest;
  const project = { name: "smoke", default_branch: "main", setup: [], checks: [SMOKE_CHECK] };
  const dispatch = { mode: "routed", merge: "local" };
  return JSON.stringify({ ...rest, project, dispatch, roles: Object.fromEntries(roles) }, null, 2);
}

async function copied(folder: Folder, path: string, texts: Record<string, string>): Promise<void> {
  const kind = (await folder.stat(path))?.kind;
  if (kind === "folder") {
    for (const { name } of (await folder.list(path)).entries) {
      await copied(folder, `${path}/${name}`, texts);
    }
    return;
  }
  // A link could lead anywhere.
  if (kind !== "file") return;
  if (Object.keys(texts).length >= HARNESS_FILES) {
    throw new Failure("environment", `Cannot copy the harness: it has over ${HARNESS_FILES} files`);
  }
  const { bytes } = await folder.read(path, { maxBytes: HARNESS_FILE_BYTES });
  texts[path] = new TextDecoder().decode(bytes);
}

/** @param folder of the repo at hand. @throws Failure for a manifest that is not valid */
export async function harnessUnderTest(
  folder: Folder | undefined,
  root: string,
): Promise<HarnessUnderTest> {
  const present = folder && await folder.stat(MANIFEST_PATH);
  if (folder === undefined || present === undefined) {
    const { manifest, files } = bundledHarness({ root, branch: "main" });
    const texts = Object.fromEntries(
      files.filter(({ path }) => path.startsWith(".harness/")).map((
        { path, text },
      ) => [path, text]),
    );
    const text = smokeManifest(texts[MANIFEST_PATH]!);
    return { manifest, from: "bundled", texts: { ...texts, [MANIFEST_PATH]: text } };
  }
  const { bytes } = await folder.read(MANIFEST_PATH, { maxBytes: MANIFEST_BYTES });
  const text = new TextDecoder().decode(bytes);
  const manifest = readManifest(text);
  const texts: Record<string, string> = {};
  for (const name of COPIED) await copied(folder, `.harness/${name}`, texts);
  return { manifest, from: "repo", texts: { ...texts, [MANIFEST_PATH]: smokeManifest(text) } };
}
