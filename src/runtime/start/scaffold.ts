/** Writes a harness into a repo, and commits exactly those files. */
import { Failure } from "svc/core/failure.ts";
import { type DefaultFile, defaultFiles } from "svc/features/harness/defaults.ts";
import { detect } from "svc/features/harness/detect.ts";
import { readManifest } from "svc/features/harness/manifest.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { readMetadata } from "svc/features/harness/metadata.ts";
import { routingText } from "svc/features/harness/model_routing.ts";
import { carryOut, type HarnessTarget, repair } from "svc/features/harness/operate.ts";
import { planInit } from "svc/features/harness/plan_init.ts";

/** Spec section 3.2. */
const BASELINE = "chore(harness): initialize svc harness";

interface Scaffolded {
  readonly files: readonly string[];
  readonly commit: string | undefined;
}

/**
 * Only for the main thread: it reads the whole repo by path.
 * @throws Failure `conflict` when the checkout takes no commits now; then nothing was written
 */
export async function scaffoldHarness(target: HarnessTarget): Promise<Scaffolded> {
  const { git, folder, commits } = target;
  const doing = "initialize the harness";
  await commits.mustTakeCommits(git, doing);
  await repair(target, "init");
  const { plan } = await carryOut(target, "init", async () =>
    await planInit(target, {
      project: (await detect(target)).project,
      routing: { mode: "defer" },
      routingGiven: false,
      force: false,
      before: await readMetadata(target),
    }));
  const files = plan.changes.map(({ path }) => path);
  using _lock = await target.lock(doing);
  const commit = await commits.commitPaths(git, folder, {
    doing,
    message: BASELINE,
    paths: files,
  });
  return { files, commit };
}

/** The harness for runs in a repo without one. */
export function bundledHarness(
  { root, branch }: { readonly root: string; readonly branch: string },
): { readonly manifest: Manifest; readonly files: readonly DefaultFile[] } {
  const project = {
    name: root.slice(root.lastIndexOf("/") + 1) || "repo",
    version: "0.1.0",
    default_branch: branch,
    languages: [],
    package_managers: [],
    setup: [],
    checks: [],
    docs: [],
    ci: [],
  };
  const files = defaultFiles(project, routingText({ mode: "defer" }));
  const manifest = files.find(({ path }) => path === MANIFEST_PATH);
  if (manifest === undefined) throw new Failure("internal", "Cannot find the bundled manifest");
  return { manifest: readManifest(manifest.text), files };
}
