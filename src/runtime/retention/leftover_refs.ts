/** Deletes the refs that keep what old jobs left uncommitted, in repos that may be changed. */
import { endedAmong, type RepoNeeds } from "svc/features/retention/ended_jobs.ts";
import { recordRemovals } from "svc/features/retention/removal_store.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { repoWithId } from "svc/features/repos/repo_store.ts";
import type { NeedsPorts } from "./repo_needs.ts";
import { removalsOf } from "./job_records.ts";
import type { RetentionTally } from "./report.ts";

export interface RefsPlan {
  readonly needs: RepoNeeds;
  /** Epoch ms. */
  readonly before: number;
  readonly apply: boolean;
}

/** Nothing of a repo that could not be read. */
export async function retainLeftoverRefs(
  ports: NeedsPorts,
  tally: RetentionTally,
  { needs, before, apply }: RefsPlan,
): Promise<void> {
  const row = needs.open && await repoWithId(ports.db, needs.repoId);
  if (row === undefined) return;
  using repo = await new RepoOpener(ports).open(row, ports);
  const kept = await ports.worktrees.jobsWithLeftovers(repo.git);
  if (kept.length === 0) return;
  const old = async (db: NeedsPorts["db"]) =>
    (await endedAmong(db, needs, kept)).filter(({ finished_at }) => finished_at < before);
  if (!apply) return tally.add("leftover refs", "age", (await old(ports.db)).length, 0);
  using _lock = await repo.lock("remove what old jobs left uncommitted");
  const gone = await ports.db.transaction().execute(async (tx) => {
    const jobs = await old(tx);
    await recordRemovals(tx, removalsOf(jobs, "files", ports.clock.now()));
    return jobs.map(({ id }) => id);
  });
  if (gone.length === 0) return;
  tally.add("leftover refs", "age", await ports.worktrees.dropLeftovers(repo.git, gone), 0);
}
