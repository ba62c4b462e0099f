/** Carries out a run request: harness, registration, database, run. */
import type { Profile } from "svc/core/permission.ts";
import { allRules } from "svc/features/guardrails/all_rules.ts";
import { manifestIn } from "svc/features/harness/manifest.ts";
import { OWN_HARNESS, roleNamed } from "svc/features/harness/role_named.ts";
import { type Repo, RepoOpener } from "svc/features/repos/repo.ts";
import { workedOnIn } from "svc/features/repos/registered_here.ts";
import type { Identities } from "svc/platform/process/identity.ts";
import { harnessIn, harnessOf } from "svc/runtime/job/harness_source.ts";
import type { LimitFlags } from "svc/runtime/job/limits.ts";
import type { PreparationPorts } from "svc/runtime/ports.ts";
import { openStore, openToRead } from "svc/store/open.ts";
import { noHarness } from "./confine_run.ts";
import type { ManualOptions, ManualPlan } from "./manual_run.ts";
import type { RunReportRequest } from "./report_run.ts";
import type { RunPreview, RunReport } from "./report_shape.ts";

interface RunRequest extends RunReportRequest, LimitFlags {
  /** A folder in the repo; absolute. */
  readonly repo: string;
  readonly profile: Exclude<Profile, "isolated">;
  readonly modelEndpoint: string | undefined;
  readonly codeIntel: boolean;
  /** Uses svc's own roles where there is no harness. */
  readonly noInit: boolean;
  readonly dryRun: boolean;
}

/** Ports of a run in its Worker; `database` was found before it started. */
type RunWorkerPorts = PreparationPorts & {
  readonly identities: Identities;
  readonly database?: string;
};

type Harness = Pick<ManualPlan, "harness" | "manifest"> & { readonly bundled: boolean };

/** The repo's harness, or the bundled one with `--no-init`. @throws Failure `refused` */
async function harnessFor(
  ports: PreparationPorts,
  repo: Repo,
  { role, noInit, dryRun }: RunRequest,
): Promise<Harness> {
  const { root, folder } = repo;
  const manifest = await manifestIn(folder);
  if (manifest !== undefined) return { manifest, harness: harnessIn(repo), bundled: false };
  if (!noInit && !dryRun) throw noHarness(role, root);
  const { bundledHarness } = await ports.load("src/runtime/start/scaffold");
  const own = bundledHarness({ root, branch: await repo.branch() ?? "main" });
  return { manifest: own.manifest, harness: harnessOf(own.files, repo), bundled: true };
}

/** What every run makes once, made while its Worker has no work yet. */
export function warmUp(): void {
  allRules();
}

/** @throws Failure as `manualRun` and `previewRun` */
export async function requestedRun(
  ports: RunWorkerPorts,
  request: RunRequest,
  watch: ManualOptions,
): Promise<RunReport | RunPreview> {
  const { profile, dryRun } = request;
  const { database, signal } = ports;
  const opener = new RepoOpener(ports);
  using found = await opener.openAt(request.repo, { signal });
  const harness = await harnessFor(ports, found, request);
  // A dry run writes no database.
  await using store = database === undefined
    ? undefined
    : dryRun
    ? await openToRead(ports, database)
    : await openStore(ports, database);
  const registered = store && await workedOnIn(store.db, found.git);
  const standIn = harness.manifest;
  using repo = registered === undefined
    ? await opener.openAt(found.root, { signal, standIn })
    : await new RepoOpener({ ...ports, db: store?.db }).open(registered, { signal, standIn });
  const source = harness.bundled ? OWN_HARNESS : undefined;
  const definition = roleNamed(harness.manifest, request.role, "usage", source);
  const plan = { ...harness, definition, repo, profile };
  if (dryRun) {
    const { previewRun } = await ports.load("src/runtime/run/preview_run");
    return await previewRun({ ...ports, db: store?.db }, plan, request);
  }
  const { reportRun } = await ports.load("src/runtime/run/report_run");
  return await reportRun({ ...ports, profile, db: store!.db }, plan, { ...request, ...watch });
}
