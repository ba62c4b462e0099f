/** From a request to run a role to its report: finds harness and registration, opens the database, runs. */
import type { Profile } from "svc/core/permission.ts";
import { repoId } from "svc/core/ids.ts";
import { readManifest } from "svc/features/harness/manifest.ts";
import { MANIFEST_BYTES, MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import { repoAt } from "svc/features/repos/repo_store.ts";
import type { Identities } from "svc/platform/process/identity.ts";
import { harnessIn, type HarnessText } from "svc/runtime/job/harness_source.ts";
import type { LimitFlags } from "svc/runtime/job/limits.ts";
import type { PreparationPorts } from "svc/runtime/ports.ts";
import { openStore, openToRead } from "svc/store/open.ts";
import { noHarness } from "./confine_run.ts";
import type { ManualAsked, ManualOptions, ManualPlan } from "./manual_run.ts";
import type { RunPreview, RunReport } from "./report_shape.ts";

export interface RunRequest extends ManualAsked, LimitFlags {
  /** A folder in the repo; absolute. */
  readonly repo: string;
  readonly profile: Exclude<Profile, "isolated">;
  readonly modelEndpoint: string | undefined;
  readonly codeIntel: boolean;
  /** Without a harness, the run uses svc's own roles. */
  readonly noInit: boolean;
  /** Says what would be sent, and sends nothing. */
  readonly dryRun: boolean;
}

/** Ports of a run in its Worker; `database` is the one that was found before it started. */
type RequestPorts = PreparationPorts & {
  readonly identities: Identities;
  readonly database?: string;
};

type Harness = Pick<ManualPlan, "harness" | "manifest"> & { readonly bundled: boolean };

/** The repo's harness, or the bundled one where none is to be written. @throws Failure `refused` */
async function harnessFor(
  ports: PreparationPorts,
  root: string,
  branch: string | undefined,
  request: RunRequest,
): Promise<Harness> {
  const harness: HarnessText = async (path, maxBytes) => {
    using folder = await ports.folder(root);
    return await harnessIn(folder)(path, maxBytes);
  };
  const text = await harness(MANIFEST_PATH, MANIFEST_BYTES);
  if (text !== undefined) return { manifest: readManifest(text), harness, bundled: false };
  if (!request.noInit && !request.dryRun) throw noHarness(request.role, root);
  const { bundledHarness } = await ports.load("src/runtime/start/scaffold");
  return { ...bundledHarness({ root, branch: branch ?? "main" }), bundled: true };
}

/** @throws Failure as `manualRun` and `previewRun` */
export async function requestedRun(
  ports: RequestPorts,
  request: RunRequest,
  watch: ManualOptions,
): Promise<RunReport | RunPreview> {
  const { profile, dryRun } = request;
  const { database, signal } = ports;
  const { root, branch } = await ports.git.open(request.repo, { signal });
  const found = await harnessFor(ports, root, branch, request);
  // A dry run changes no database, and makes none.
  await using store = database === undefined
    ? undefined
    : dryRun
    ? await openToRead(ports, database)
    : await openStore(ports, database);
  const registered = store && await repoAt(store.db, root);
  const view = {
    id: registered?.id ?? await repoId(root),
    root,
    remote: registered?.remote ?? null,
    branch: registered?.branch ?? branch ?? found.manifest.project.default_branch,
    manifest: found.manifest,
    problem: undefined,
  };
  const plan = { ...found, view, profile };
  if (dryRun) {
    const { previewRun } = await ports.load("src/runtime/run/preview_run");
    return await previewRun({ ...ports, db: store?.db }, plan, request);
  }
  const { reportRun } = await ports.load("src/runtime/run/report_run");
  return await reportRun({ ...ports, profile, db: store!.db }, plan, { ...request, ...watch });
}
