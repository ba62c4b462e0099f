/** Keeps the clone of a shared repo small: removes what was put aside once it is old, and packs loose objects. */
import { Failure } from "svc/core/failure.ts";
import { newestCommit } from "svc/features/jobs/commit_store.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { repoWithId } from "svc/features/repos/repo_store.ts";
import type { RefsPlan } from "./leftover_refs.ts";
import type { NeedsPorts } from "./repo_needs.ts";
import type { RetentionTally } from "./report.ts";

export async function retainClone(
  ports: NeedsPorts,
  tally: RetentionTally,
  { needs, before, apply }: RefsPlan,
): Promise<void> {
  const { db, remotes } = ports;
  const row = needs.open && await repoWithId(db, needs.repoId);
  if (remotes === undefined || row === undefined || row.url === null) return;
  using repo = await new RepoOpener(ports).open(row, ports);
  const { tickets } = await repo.tickets.list();
  const open = tickets.filter(({ state }) => state !== "done").map(({ branch }) => branch);
  const old = [];
  for (const aside of await remotes.asides(repo.git)) {
    const newest = await newestCommit(db, { repo_id: repo.id, branch: aside.branch });
    const at = Math.max(aside.made_at, newest?.at ?? 0);
    if (at < before && !open.includes(aside.branch)) old.push(aside);
  }
  tally.add("refs put aside", "age", old.length, 0);
  if (!apply) return;
  await remotes.dropAsides(repo.git, old);
  try {
    const freed = await remotes.pack(repo.git);
    if (freed !== undefined) tally.add("loose objects", "size", 1, freed);
  } catch (thrown) {
    ports.signal.throwIfAborted();
    tally.problems.push(Failure.from(thrown).message);
  }
}
