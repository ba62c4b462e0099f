/** Runs the checks of merges while jobs and rounds go on, without holding them up: one at a time for each repo. */
import { Failure } from "svc/core/failure.ts";
import { wantedMergeChecks } from "svc/features/routing/merge_check_store.ts";
import { pendingSettlements } from "svc/features/routing/settlement_store.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { checkMerges } from "svc/runtime/settle/check_merge.ts";
import { cleanUpAfter } from "./cleanup.ts";
import type { RunningMergeCheck, WorkerPool } from "./worker_pool.ts";

/** Returns at once; does nothing while the repo's merges are being checked. */
export async function beginMergeChecks(pool: WorkerPool, repo: Repo): Promise<void> {
  const { ports, checking, stopping } = pool;
  if (ports.profile !== "host" || checking.has(repo.id) || stopping.aborted) return;
  if ((await wantedMergeChecks(ports.db, repo.id)).length === 0 || checking.has(repo.id)) return;
  const since = ports.clock.monotonic();
  const running = { repo: repo.root, since, step: "", done: Promise.resolve() };
  checking.set(repo.id, running);
  running.done = run(pool, repo, running).finally(() => {
    checking.delete(repo.id);
    pool.idleSignal.send();
  });
}

/** A stop ends the checks at once: the next start begins them again. */
async function run(pool: WorkerPool, { id, root, reopen }: Repo, running: RunningMergeCheck) {
  const { ports, halt, stopping, tell, times } = pool;
  try {
    using repo = await reopen(halt);
    await checkMerges({ ...ports, signal: halt }, repo, {
      signal: stopping,
      step: (text) => void (running.step = text),
      said(text) {
        running.step = text;
        tell({ kind: "merge_check", repo: root, text });
      },
    });
    await retell(pool, id, root);
    pool.wakeUp.send(); // a moved ticket may have a new job
    const removed = await cleanUpAfter({ ...ports, signal: halt }, repo, times.keepWorktreesMs);
    if (removed.length > 0) tell({ kind: "cleaned", repo: root, removed });
  } catch (thrown) {
    if (stopping.aborted) return;
    const { message, cause } = Failure.from(thrown);
    ports.log.write("error", `a merge was not checked: ${message}`, { cause: cause ?? thrown });
  }
}

/** What waited for these checks now goes on, or waits for something else. */
async function retell({ ports, waits }: WorkerPool, id: string, root: string): Promise<void> {
  const pending = await pendingSettlements(ports.db, id);
  const of = (wait: string) => pending.find((one) => one.id === wait);
  const left = (waits.get(root) ?? []).flatMap((wait) => {
    if (wait.id.startsWith("request ")) return [wait];
    const owed = of(wait.id);
    return owed === undefined ? [] : [{ ...wait, why: owed.waits_for ?? wait.why }];
  });
  waits.set(root, left);
}
