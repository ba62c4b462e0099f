/** The database whose jobs telemetry counts, and the settings that say whether reports are sent. */
import { Failure } from "svc/core/failure.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import { openFollowed } from "svc/features/repos/follow_move.ts";
import { type Reporting, reportingOf, saidByEnvironment } from "svc/features/settings/reporting.ts";
import { refuseInsideRepo } from "svc/platform/files/outside_repo.ts";
import type { PreparationPorts } from "svc/runtime/ports.ts";
import type { Store } from "svc/store/open.ts";
import { hasScoped, openShared } from "svc/store/placement.ts";

interface ReportedChoice {
  /** Absolute. */
  readonly repo: string | undefined;
  readonly db: string | undefined;
  readonly cwd: string;
}

/** Undefined if the current folder is not a repo; a folder that is named must be one. */
async function rootOf(
  { git, signal }: PreparationPorts,
  { repo, cwd }: ReportedChoice,
): Promise<string | undefined> {
  try {
    return (await git.open(repo ?? cwd, { signal })).root;
  } catch (thrown) {
    if (repo === undefined && Failure.from(thrown).code === "environment") return undefined;
    throw thrown;
  }
}

/** Undefined where there is none yet. @throws Failure for a database that may not be used */
export async function openReported(
  ports: PreparationPorts,
  choice: ReportedChoice,
): Promise<Store | undefined> {
  const { repo, db } = choice;
  if (repo === undefined && db !== undefined) {
    await refuseInsideRepo(db, "--db");
    const there = isServerAddress(db) || await ports.files.stat(db) !== undefined;
    return there ? await openShared(ports, { db }) : undefined;
  }
  const root = await rootOf(ports, choice);
  if (root === undefined) return undefined;
  const named = { repo: root, db };
  return await hasScoped(ports, named) ? await openFollowed(ports, named) : undefined;
}

export async function ownReporting(
  { env, settings }: Pick<PreparationPorts, "env" | "settings">,
): Promise<Reporting> {
  return reportingOf(saidByEnvironment(env), await settings());
}
