/** How far a repo's harness is behind this svc: each file that `svc update harness` would touch or offer. */
import { detect } from "./detect.ts";
import { METADATA_PATH, readMetadata } from "./metadata.ts";
import type { HarnessTarget } from "./operate.ts";
import { MANIFEST_PATH } from "./manifest_path.ts";
import { ageOf, planUpdate } from "./plan_update.ts";

export interface DriftedFile {
  readonly path: string;
  /** `outdated` is svc's own and unchanged; `offered` is somebody's, and a newer default would lie beside it. */
  readonly state: "missing" | "outdated" | "offered";
}

export interface HarnessDrift {
  readonly repo: string;
  /** The svc that made it; null where nothing records it. */
  readonly version: string | null;
  readonly drift: "current" | "behind" | "ahead";
  readonly files: readonly DriftedFile[];
}

/** svc's own records, and the copies that an update lays beside a file of somebody's. */
const isRecord = (path: string) =>
  path === METADATA_PATH || path === MANIFEST_PATH || path.startsWith(".harness/updates/");

/** Undefined where the repo has no harness. Changes nothing. @throws Failure `environment` for damaged metadata */
export async function harnessDrift(target: HarnessTarget): Promise<HarnessDrift | undefined> {
  const before = await readMetadata(target);
  const manifest = await target.folder.stat(MANIFEST_PATH);
  if (before === undefined && manifest === undefined) return undefined;
  const version = before?.tool_version ?? null;
  const age = before && ageOf(before);
  if (age !== undefined && age > 0) {
    return { repo: target.root, version, drift: "ahead", files: [] };
  }
  const { project } = await detect(target);
  const { draft, offers } = await planUpdate(target, { before, project });
  const files = [
    ...draft.changes.filter(({ path }) => !isRecord(path)).map(({ path, change }) => ({
      path,
      state: change === "create" ? "missing" as const : "outdated" as const,
    })),
    ...offers.map(({ path }) => ({ path, state: "offered" as const })),
  ];
  const behind = files.length > 0 || (age !== undefined && age < 0);
  return { repo: target.root, version, drift: behind ? "behind" : "current", files };
}
