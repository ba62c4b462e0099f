/**
 * Does what decisions owe to git: merges, ticket moves, counted attempts. Doing it again changes
 * nothing.
 */
import { drain, type Drained } from "svc/core/drain.ts";
import { Failure } from "svc/core/failure.ts";
import { guardBranch, type GuardedBranch } from "svc/features/guardrails/commit_guard.ts";
import { liveJobs } from "svc/features/jobs/job_views.ts";
import {
  blockInstead,
  pendingSettlements,
  settle,
  waitFor,
} from "svc/features/routing/settlement_store.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { ticketBody } from "svc/features/tickets/ticket_file.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import { hookFolders } from "svc/features/trust/hook_folders.ts";
import type { Db } from "svc/store/schema.ts";
import { queueJob } from "svc/features/jobs/order_job.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { pullRequestStep } from "./pull_request.ts";
import { jobsFor } from "svc/features/jobs/job_triggers.ts";

type SettleStep =
  /** @param ticket as read before the move */
  | { readonly kind: "go"; readonly ticket?: Ticket }
  | { readonly kind: "wait"; readonly why: string }
  | { readonly kind: "superseded"; readonly why: string }
  /** The settlement blocks the ticket instead. */
  | { readonly kind: "changed"; readonly settlement: Settlement };

const GO: SettleStep = { kind: "go" };

export type Settled = Drained<string>;

/** The running round, and the next one if somebody waits for it. */
interface Round {
  readonly running: Promise<Settled>;
  next?: Promise<Settled>;
}

const rounds = new WeakMap<AbortSignal, Map<string, Round>>();

/**
 * Settles everything pending of the repo. Callers with the same signal share a round: one runs, and
 * those who come meanwhile share the next.
 */
export function settlePending(ports: RuntimePorts, repo: Repo): Promise<Settled> {
  const ours = rounds.get(ports.signal) ?? new Map<string, Round>();
  rounds.set(ports.signal, ours);
  const now = ours.get(repo.root);
  if (now === undefined) return beginRound(ours, ports, repo);
  now.next ??= now.running.catch(() => {}).then(() => beginRound(ours, ports, repo));
  return now.next;
}

function beginRound(ours: Map<string, Round>, ports: RuntimePorts, repo: Repo): Promise<Settled> {
  const round: Round = { running: settleAll(ports, repo) };
  ours.set(repo.root, round);
  const over = () => {
    if (round.next === undefined) ours.delete(repo.root);
  };
  round.running.then(over, over);
  return round.running;
}

/** Leaves pending what cannot be done now, such as during a person's merge. */
async function settleAll(ports: RuntimePorts, { id, reopen }: Repo): Promise<Settled> {
  const pending = await pendingSettlements(ports.db, id);
  if (pending.length === 0) return { done: 0, waiting: [] };
  // Has the shared signal: the round outlives the job that began it.
  using repo = await reopen(ports.signal);
  return await drain(pending, {
    signal: ports.signal,
    settle: (one) => settleOne(ports, repo, one),
    waits: ({ id }, why) => waitFor(ports.db, id, why),
  });
}

/** @returns why it waits; undefined when it is settled */
async function settleOne(
  ports: RuntimePorts,
  repo: Repo,
  owed: Settlement,
): Promise<string | undefined> {
  const asked = await whereBranchIs(ports, repo, owed);
  const needsBranch = asked.to_state !== null || asked.attempt === 1;
  const fault = await repo.branchFault();
  if (fault?.gone) return fault.why;
  const merged = asked.merge_from === null ? GO : await mergeStep(ports, repo, asked);
  const settlement = merged.kind === "changed" ? merged.settlement : asked;
  const held = needsBranch ? fault?.why : undefined;
  const step: SettleStep = merged.kind === "changed" || merged.kind === "go"
    ? held === undefined ? await moveStep(repo, settlement) : { kind: "wait", why: held }
    : merged;
  const { id } = settlement;
  const now = ports.clock.now();
  if (step.kind === "wait") return step.why;
  if (step.kind === "superseded") {
    await settle(ports.db, id, { state: "superseded", outcome: step.why, now });
    return undefined;
  }
  const outcome = whatHappened(settlement);
  const ticket = step.kind === "go" ? step.ticket : undefined;
  const { manifest } = await repo.manifest();
  await ports.db.transaction().execute(async (tx) => {
    const mine = await settle(tx, id, { state: "done", outcome, now });
    if (mine && ticket !== undefined) await moved(tx, manifest, settlement, { ticket, now });
  });
  return undefined;
}

/** Work for a branch that was renamed goes to the one that a person registered in its place. */
async function whereBranchIs(
  { worktrees }: RuntimePorts,
  { git, baseBranch }: Repo,
  owed: Settlement,
): Promise<Settlement> {
  const { merge_into } = owed;
  if (merge_into === null || merge_into === baseBranch) return owed;
  if (await worktrees.tip(git, merge_into) !== undefined) return owed;
  return { ...owed, merge_into: baseBranch };
}

async function moved(
  db: Db,
  manifest: Manifest | undefined,
  { repo_id, job_id, ticket_id, from_state, to_state }: Settlement,
  { ticket, now }: { readonly ticket: Ticket; readonly now: number },
): Promise<void> {
  const data = { repo_id, ticket_id, from: from_state, to: to_state };
  const of = job_id === null ? {} : { jobId: job_id };
  await recordEvent(db, { type: "ticket_update", repoId: repo_id, ...of, data }, now);
  const orders = jobsFor({ kind: "ticket", ticket: { ...ticket, state: to_state! } }, {
    id: repo_id,
    manifest,
  });
  if (orders.length === 0) return;
  // A job that a route queued is enough.
  const live = (await liveJobs(db, repo_id)).filter((job) => job.ticket_id === ticket.id);
  for (const order of orders) {
    if (live.some(({ role }) => role === order.role)) continue;
    await queueJob(db, order, { now, profile: "host" });
  }
}

function whatHappened({ merge_from, merge_into, to_state, attempt }: Settlement): string {
  return [
    ...(merge_from === null ? [] : [`merged ${merge_from} into ${merge_into}`]),
    ...(to_state === null ? [] : [`moved to ${to_state}`]),
    ...(attempt === 1 ? ["counted an attempt"] : []),
  ].join(", ");
}

async function mergeStep(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
): Promise<SettleStep> {
  const from = settlement.merge_from!;
  const into = settlement.merge_into!;
  const { manifest } = await repo.manifest();
  const policy = manifest?.dispatch.merge ?? "manual";
  const head = settlement.merge_commit!;
  const target = `refs/heads/${into}`;
  const commits = await repo.git.commitsSince(head, target);
  if (commits.length === 0) return GO; // merged already: by us before a crash, or by a person
  const tip = await ports.worktrees.tip(repo.git, from);
  // The commit was approved: a deleted branch has not moved on.
  if (tip !== undefined && tip !== head) {
    return { kind: "superseded", why: `${from} moved on since it was approved` };
  }
  // Another branch has other tickets.
  const tells = await repo.branchFault() === undefined;
  const pulledBack = tells ? await ticketFault(repo, settlement) : undefined;
  if (pulledBack !== undefined) return { kind: "superseded", why: pulledBack };
  const guard = () => faultOf(ports, repo, manifest, { head, into: target, commits });
  if (policy === "pull_request") {
    return await byPullRequest(ports, repo, { settlement, guard });
  }
  if (policy !== "local") {
    // A person may have squashed it.
    if (await ports.worktrees.addsNothing(repo.git, settlement.merge_commit!, into)) return GO;
    return { kind: "wait", why: `a person to merge ${from} into ${into} (${policy})` };
  }
  const fault = await guard();
  if (fault !== undefined) return await keptOut(ports, settlement, fault);
  const doing = `merge ${from}`;
  // Merges the approved commit, wherever the branch is by now.
  const plan = { doing, into, from: head, message: mergeMessage(settlement) };
  const outcome = await repo.locked(doing, () => ports.worktrees.merge(repo.git, plan));
  if (outcome.kind === "merged" || outcome.kind === "nothing") return GO;
  if (outcome.kind === "dirty") {
    return { kind: "wait", why: `a clean checkout: ${outcome.paths.slice(0, 5).join(", ")}` };
  }
  return await conflict(ports, settlement, outcome.paths);
}

function mergeMessage({ actor, job_id, ticket_id, merge_from }: Settlement): string {
  const role = actor.replace(/^agent:/, "");
  const trailers = [
    ...(role === actor ? [] : [`Svc-Role: ${role}`]),
    ...(job_id === null ? [] : [`Svc-Job: ${job_id}`]),
    ...(ticket_id === null ? [] : [`Svc-Ticket: ${ticket_id}`]),
  ];
  return `merge(${ticket_id ?? role}): ${merge_from}\n\n${trailers.join("\n")}`;
}

/** Why the work must not be merged any more: somebody moved or removed the ticket. */
async function ticketFault(
  repo: Repo,
  { ticket_id: id, from_state: from, to_state: to }: Settlement,
): Promise<string | undefined> {
  if (id === null || from === null) return undefined;
  const opened = await foundTicket(repo, id);
  if (typeof opened === "string") return opened;
  const { state } = opened.ticket;
  return state === from || state === to ? undefined : `${id} is ${state} by now`;
}

/** Checks again: other rules, or an older svc, may have passed the branch. */
async function faultOf(
  ports: RuntimePorts,
  repo: Repo,
  manifest: Manifest | undefined,
  branch: GuardedBranch,
): Promise<string | undefined> {
  const guardrails = guardrailsOf(manifest, await hookFolders(ports.git, repo.git));
  const { foreign, objections } = await guardBranch({ repo, tree: repo, guardrails }, branch);
  const found = [...foreign, ...objections];
  return found.length === 0 ? undefined : ports.redact(found.join(". "));
}

async function keptOut(
  ports: RuntimePorts,
  settlement: Settlement,
  fault: string,
): Promise<SettleStep> {
  const reason = `${settlement.merge_from} was not merged: ${fault}`;
  return await blocked(ports, settlement, { action: `${fault}; then unblock it`, reason });
}

async function byPullRequest(
  ports: RuntimePorts,
  repo: Repo,
  { settlement, guard }: {
    readonly settlement: Settlement;
    guard(): Promise<string | undefined>;
  },
): Promise<SettleStep> {
  const places = ports.codeHost === undefined ? {} : { places: ports.codeHost };
  const step = await pullRequestStep(ports, repo, settlement, { guard, ...places });
  if (step.kind === "merged") return GO;
  if (step.kind === "wait") return step;
  if (step.kind === "refused") return await keptOut(ports, settlement, step.why);
  const action = `Say in the ticket what must change, or reopen ${step.url}, then unblock it`;
  const reason = `pr_closed: pull request #${step.number} was closed and not merged: ${step.url}`;
  return await blocked(ports, settlement, { action, reason });
}

async function conflict(
  ports: RuntimePorts,
  settlement: Settlement,
  paths: readonly string[],
): Promise<SettleStep> {
  const { merge_from, merge_into } = settlement;
  const where = paths.slice(0, 10).join(", ");
  const reason = `merging ${merge_from} into ${merge_into} conflicts in ${where}`;
  const action = `Merge ${merge_into} into ${merge_from}, settle ${where}, commit it with the ` +
    'trailer "Svc-Role: person", then unblock it';
  return await blocked(ports, settlement, { action, reason });
}

async function blocked(
  ports: RuntimePorts,
  settlement: Settlement,
  { action, reason }: { readonly action: string; readonly reason: string },
): Promise<SettleStep> {
  if (settlement.ticket_id === null) return { kind: "superseded", why: reason };
  const unblock = { owner: "maintainer", action };
  await blockInstead(ports.db, settlement.id, { unblock, reason });
  return {
    kind: "changed",
    settlement: {
      ...settlement,
      to_state: "blocked",
      unblock: JSON.stringify(unblock),
      reason,
      merge_from: null,
      merge_into: null,
      merge_commit: null,
    },
  };
}

/** Text in the evidence that keeps it from being written twice. */
const mark = ({ id }: Settlement) => `settled ${id.slice(-8)}`;

/** Returns why it cannot be read as text. */
async function foundTicket({ tickets }: Repo, id: string) {
  return await tickets.find(id).catch((thrown) => {
    const { code, message } = Failure.from(thrown);
    if (code !== "not_found" && code !== "environment") throw thrown;
    return message;
  });
}

async function moveStep(repo: Repo, settlement: Settlement): Promise<SettleStep> {
  const { ticket_id: id, to_state: to, from_state: from, actor, reason } = settlement;
  if (id === null) return GO;
  const opened = await foundTicket(repo, id);
  if (typeof opened === "string") return { kind: "superseded", why: opened };
  const { ticket, content } = opened;
  if (settlement.attempt === 1 && !ticketBody(content.bytes).includes(mark(settlement))) {
    if (ticket.state !== from && from !== null) return overtaken(ticket.id, ticket.state);
    // With a move, the reason belongs to the move.
    const what = `${to === null ? reason : "no result"} (${mark(settlement)})`;
    await repo.tickets.note(id, { what, attempt: true, actor, unless: mark(settlement) });
  }
  if (to === null) return GO;
  if (ticket.state === to) return { kind: "go", ticket };
  if (ticket.state !== from) return overtaken(ticket.id, ticket.state);
  const unblock = settlement.unblock === null
    ? {}
    : { unblock: JSON.parse(settlement.unblock) as { owner: string; action: string } };
  await repo.tickets.move(id, { to, reason, actor, ...unblock });
  return { kind: "go", ticket };
}

function overtaken(id: string, state: string): SettleStep {
  return { kind: "superseded", why: `${id} is ${state} by now` };
}
