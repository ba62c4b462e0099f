/** Takes a repo out of the register that services work by; its records stay until retention, its trust as it is. */
import { Failure } from "svc/core/failure.ts";
import { isAbandoned } from "svc/features/jobs/owner.ts";
import { cancelJob } from "svc/features/jobs/order_job.ts";
import { liveJobs } from "svc/features/jobs/job_views.ts";
import { peekRepo } from "svc/features/repos/peek_repo.ts";
import { removeRepo, repoAt } from "svc/features/repos/repo_store.ts";
import { pendingSettlements, settle } from "svc/features/routing/settlement_store.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Home } from "svc/platform/home.ts";
import type { OwnerPorts } from "svc/runtime/ports.ts";
import { walStateOf } from "svc/store/open.ts";
import { FILE } from "svc/store/placement.ts";

const WHY = "the repo was ejected";

interface Places {
  readonly files: Pick<Files, "stat">;
  readonly home: Pick<Home, "sharedDb">;
}

/** Databases that have registered the repo at `root` and stay: that of `svc serve`, and the one that is named. */
export async function registersOf(
  { files, home }: Places,
  { root, db, drops }: {
    readonly root: string;
    readonly db: string | undefined;
    /** Files and folders that go as a whole. */
    readonly drops: readonly string[];
  },
): Promise<string[]> {
  const found: string[] = [];
  for (const path of new Set([`${home.sharedDb}/${FILE}`, ...db === undefined ? [] : [db]])) {
    if (drops.includes(path) || await files.stat(path) === undefined) continue;
    if (peekRepo(path, await walStateOf(files, path), root) !== undefined) found.push(path);
  }
  return found;
}

/** A second time there is nothing to do. @throws Failure `conflict` while a job of it runs */
export async function unregister(
  { db, clock, identities }: Pick<OwnerPorts, "clock" | "db" | "identities">,
  root: string,
): Promise<void> {
  const row = await repoAt(db, root);
  if (row === undefined) return;
  const abandoned = new Set<string>();
  for (const job of await liveJobs(db, row.id)) {
    if (await isAbandoned(job, identities)) abandoned.add(job.id);
  }
  await db.transaction().execute(async (tx) => {
    const now = clock.now();
    // A service may have begun one meanwhile.
    const live = await liveJobs(tx, row.id);
    const runs = live.find(({ id, status }) => status === "running" && !abandoned.has(id));
    if (runs !== undefined) {
      throw new Failure("conflict", `a job of ${runs.role} runs; end that, then eject again`, {
        remedy: `svc jobs cancel ${runs.id}`,
      });
    }
    for (const { id } of live) await cancelJob(tx, id, WHY, now);
    for (const { id } of await pendingSettlements(tx, row.id)) {
      await settle(tx, id, { state: "superseded", outcome: WHY, now });
    }
    await removeRepo(tx, row.id);
  });
}
