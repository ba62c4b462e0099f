/** Runs the checks on the result of merging approved work, before the merge is made. */
import { uuidV7 } from "svc/core/ids.ts";
import { Failure } from "svc/core/failure.ts";
import { redactor } from "svc/core/redact.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { ownerText, parseOwner } from "svc/features/jobs/owner.ts";
import { printableSecrets } from "svc/features/models/choose/repo_secrets.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { checksNote, checksTold } from "svc/features/routing/checked_work.ts";
import {
  claimMergeCheck,
  endMergeCheck,
  releaseMergeCheck,
  runningMergeCheck,
  wantedMergeChecks,
} from "svc/features/routing/merge_check_store.ts";
import type { MergeCheck } from "svc/features/routing/merge_check_table.ts";
import { pendingSettlement, waitFor } from "svc/features/routing/settlement_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import { judgeChecks } from "svc/runtime/job/judge_checks.ts";
import { atCommit } from "svc/runtime/job/tree_at.ts";
import type { OwnerPorts } from "svc/runtime/ports.ts";
import { settlePending } from "./settle.ts";
import { blocked, mergeMessage } from "./settle_step.ts";

/** How often one merge is checked in a row if its target branch changes meanwhile. */
const CHECKS_IN_A_ROW = 3;

export interface MergeWatch {
  /** Ends the checks, but not a merge that is being made. */
  readonly signal: AbortSignal;
  /** Whose merge alone is checked. */
  readonly job?: string;
  /** Such as "T-0002: checks the merge: check test". */
  step(text: string): void;
  /** When a check begins, and how it ended. */
  said(text: string): void;
}

/**
 * Checks and settles until no merge of the repo wants to be checked, or another process is at it. For host
 * profile only.
 * @throws the reason of `watch.signal`: the next call begins that check again
 */
export async function checkMerges(
  ports: OwnerPorts,
  repo: Repo,
  watch: MergeWatch,
): Promise<void> {
  const times = new Map<string, number>();
  const timesOf = ({ settlement_id: id }: MergeCheck) => times.get(id) ?? 0;
  for (;;) {
    const wanted = (await wantedMergeChecks(ports.db, repo.id))
      .filter(({ job_id }) => watch.job === undefined || watch.job === job_id);
    const next = wanted.find((one) => timesOf(one) < CHECKS_IN_A_ROW);
    if (next === undefined) return await giveUp(ports, repo, wanted);
    times.set(next.settlement_id, timesOf(next) + 1);
    if (!await checkOne(ports, repo, next, watch)) return;
    await settlePending(ports, repo);
  }
}

/** The next round checks them again. */
async function giveUp(
  { db }: OwnerPorts,
  { baseBranch }: Repo,
  wanted: readonly MergeCheck[],
): Promise<void> {
  const why = `"${baseBranch}" to rest: it moved on ${CHECKS_IN_A_ROW} times during the checks`;
  for (const { settlement_id } of wanted) await waitFor(db, settlement_id, why);
}

/** @returns false where another process is at a merge of this repo */
async function checkOne(
  ports: OwnerPorts,
  repo: Repo,
  wanted: MergeCheck,
  watch: MergeWatch,
): Promise<boolean> {
  const { db, identities } = ports;
  const settlement = await pendingSettlement(db, wanted.settlement_id);
  const { manifest } = await repo.manifest();
  if (settlement === undefined || manifest === undefined) return true;
  await takeBack(ports, repo);
  const owner = ownerText(await identities.self(), `merge-${uuidV7(ports.clock.now())}`);
  if (!await claimMergeCheck(db, wanted, owner)) return false;
  try {
    await check(ports, repo, { settlement, wanted, manifest, owner, watch });
  } finally {
    await releaseMergeCheck(db, repo.id, owner);
  }
  return true;
}

/** What a dead process left: its claim, and its programs. */
async function takeBack({ db, identities, processes }: OwnerPorts, repo: Repo): Promise<void> {
  const running = await runningMergeCheck(db, repo.id);
  if (running?.owner == null) return;
  const process = parseOwner(running.owner);
  if (process === undefined || await identities.life(process) !== "dead") return;
  const settlement = await pendingSettlement(db, running.settlement_id);
  if (settlement !== undefined) await processes.sweep(tagOf(settlement));
  await releaseMergeCheck(db, repo.id, running.owner);
}

/** Its programs and outputs count as those of the job that approved the work. */
const tagOf = ({ id, job_id }: Settlement) => job_id ?? id;

async function check(
  ports: OwnerPorts,
  repo: Repo,
  { settlement, wanted, manifest, owner, watch }: {
    readonly settlement: Settlement;
    readonly wanted: MergeCheck;
    readonly manifest: Manifest;
    readonly owner: string;
    readonly watch: MergeWatch;
  },
): Promise<void> {
  const { ticket_id, actor } = settlement;
  const into = wanted.into_commit;
  const from = settlement.merge_from!;
  const what = ticket_id ?? from;
  const step = `${what}: checks the merge`;
  watch.said(step);
  const plan = { doing: `merge ${from}`, into, from: settlement.merge_commit! };
  const message = mergeMessage(settlement);
  const commit = await ports.worktrees.mergeCommit(repo.git, { ...plan, message });
  if (commit === undefined) return; // a conflict: settling says so
  const job = tagOf(settlement);
  const work = {
    ...{ job, role: actor.replace(/^agent:/, ""), manifest, base: into, acceptance: [] },
    signal: watch.signal,
    progress: (text: string) => watch.step(`${step}: ${text}`),
  };
  const { db } = ports;
  // As for a job's own checks: what they print goes into the ticket, and so into git.
  const redact = redactor(await printableSecrets(repo), ports.redact);
  const ends = async (outcome: "checks_failed" | "passed", said: string, told: string) => {
    await endMergeCheck(db, wanted, owner, { outcome, said: redact(said) });
    watch.said(redact(`${what}: the merge ${told}`));
  };
  const fails = (said: string) => ends("checks_failed", said, `does not pass: ${said}`);
  try {
    const seen = await atCommit(
      ports,
      repo,
      { job, name: "merge", commit },
      (tree) => judgeChecks({ ...ports, redact }, repo, { ...work, tree }),
    );
    if (seen.checks === "failed") return await fails(seen.checkOutput);
    const told = seen.checks === "passed" ? "passes" : `is checked: ${checksTold(seen)}`;
    await ends("passed", checksNote(seen), told);
  } catch (thrown) {
    watch.signal.throwIfAborted();
    const { code, message, remedy, detail } = Failure.from(thrown);
    if (code === "internal" || code === "interrupted" || detail.waits) throw thrown;
    if (ticket_id === null) return await fails(`${message}. ${remedy}`);
    watch.said(redact(`${what}: the merge cannot be checked: ${message}`));
    await blocked(ports, settlement, {
      action: redact(`${message}. ${remedy}`),
      reason: redact(`${from} was not merged: ${message}`),
      fault: code === "environment" ? code : null,
    });
  }
}
