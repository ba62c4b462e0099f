/**
 * Does what decisions still owe to a repo: merges, ticket moves, counted attempts. Each settlement may
 * be half done by a process that was killed; doing it again changes nothing twice.
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
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { ticketBody } from "svc/features/tickets/ticket_file.ts";
import { type Checkout, openCheckout } from "svc/platform/git/checkout.ts";
import { openTicket, type Ticket } from "svc/features/tickets/ticket_list.ts";
import { moveTicket, noteOnTicket } from "svc/features/tickets/tickets.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import { hookFolders } from "svc/features/trust/hook_folders.ts";
import type { Db } from "svc/store/schema.ts";
import { queueJob } from "svc/features/jobs/order_job.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { pullRequestStep } from "./pull_request.ts";
import { branchFault, type RepoView } from "svc/runtime/repo_view.ts";
import { jobsFor } from "svc/features/jobs/job_triggers.ts";

type Ports = Pick<
  RuntimePorts,
  | (
    | "clock"
    | "codeHost"
    | "commits"
    | "db"
    | "env"
    | "fetch"
    | "files"
    | "folder"
    | "git"
    | "home"
  )
  | ("lockRepo" | "log" | "processes" | "readTree" | "redact" | "settings" | "signal")
  | "worktrees"
>;

type Step =
  /** @param ticket that is in its new state now; read before it was moved */
  | { readonly kind: "go"; readonly ticket?: Ticket }
  | { readonly kind: "wait"; readonly why: string }
  | { readonly kind: "superseded"; readonly why: string }
  /** The ticket is blocked instead. */
  | { readonly kind: "changed"; readonly settlement: Settlement };

const GO: Step = { kind: "go" };

/** By ids of settlements. */
export type Settled = Drained<string>;

/** A round that is going on, and the next one if somebody waits for it. */
interface Round {
  readonly running: Promise<Settled>;
  next?: Promise<Settled>;
}

/** Rounds by the signal of an engine or a command, then by the root of the repo. */
const rounds = new WeakMap<AbortSignal, Map<string, Round>>();

/**
 * Goes through all that the repo is owed. Of those who share a signal, such as the jobs of an engine,
 * one does so at a time; whoever comes meanwhile shares the next round.
 */
export function settlePending(ports: Ports, view: RepoView): Promise<Settled> {
  const ours = rounds.get(ports.signal) ?? new Map<string, Round>();
  rounds.set(ports.signal, ours);
  const now = ours.get(view.root);
  if (now === undefined) return beginRound(ours, ports, view);
  now.next ??= now.running.catch(() => {}).then(() => beginRound(ours, ports, view));
  return now.next;
}

function beginRound(ours: Map<string, Round>, ports: Ports, view: RepoView): Promise<Settled> {
  const round: Round = { running: settleAll(ports, view) };
  ours.set(view.root, round);
  const over = () => {
    if (round.next === undefined) ours.delete(view.root);
  };
  round.running.then(over, over);
  return round.running;
}

/** Waits for what keeps git from being changed now, such as a merge that a person has begun. */
async function settleAll(ports: Ports, view: RepoView): Promise<Settled> {
  return await drain(await pendingSettlements(ports.db, view.id), {
    signal: ports.signal,
    settle: (pending) => settleOne(ports, view, pending),
    waits: ({ id }, why) => waitFor(ports.db, id, why),
  });
}

/** @returns why it waits; undefined when it is settled */
async function settleOne(
  ports: Ports,
  view: RepoView,
  asked: Settlement,
): Promise<string | undefined> {
  using checkout = await openCheckout(ports, view.root);
  const needsBranch = asked.to_state !== null || asked.attempt === 1;
  const merged = asked.merge_from === null ? GO : await mergeStep(ports, view, checkout, asked);
  const settlement = merged.kind === "changed" ? merged.settlement : asked;
  const fault = needsBranch ? branchFault(checkout, view) : undefined;
  const step: Step = merged.kind === "changed" || merged.kind === "go"
    ? fault === undefined ? await moveStep(checkout, settlement) : { kind: "wait", why: fault }
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
  await ports.db.transaction().execute(async (tx) => {
    const mine = await settle(tx, id, { state: "done", outcome, now });
    if (mine && ticket !== undefined) await moved(tx, view, settlement, { ticket, now });
  });
  return undefined;
}

/** Stores the event of a moved ticket, and queues the jobs that wait for its new state. */
async function moved(
  db: Db,
  view: RepoView,
  { repo_id, job_id, ticket_id, from_state, to_state }: Settlement,
  { ticket, now }: { readonly ticket: Ticket; readonly now: number },
): Promise<void> {
  const data = { repo_id, ticket_id, from: from_state, to: to_state };
  const of = job_id === null ? {} : { jobId: job_id };
  await recordEvent(db, { type: "ticket_update", repoId: repo_id, ...of, data }, now);
  const orders = jobsFor({ kind: "ticket", ticket: { ...ticket, state: to_state! } }, view);
  if (orders.length === 0) return;
  // A job that a route queued for the role is enough, whatever its key.
  const live = (await liveJobs(db, repo_id)).filter((job) => job.ticket_id === ticket.id);
  for (const order of orders) {
    if (live.some(({ role }) => role === order.role)) continue;
    await queueJob(db, order, now);
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
  ports: Ports,
  view: RepoView,
  checkout: Checkout,
  settlement: Settlement,
): Promise<Step> {
  const from = settlement.merge_from!;
  const into = settlement.merge_into!;
  const policy = view.manifest?.dispatch.merge ?? "manual";
  const head = settlement.merge_commit!;
  const target = `refs/heads/${into}`;
  const commits = await checkout.git.commitsSince(head, target);
  if (commits.length === 0) return GO; // merged already: by us before a crash, or by a person
  const tip = await ports.worktrees.tip(checkout.git, from);
  // A deleted branch has not moved on: the commit was approved, not the branch.
  if (tip !== undefined && tip !== head) {
    return { kind: "superseded", why: `${from} moved on since it was approved` };
  }
  // While another branch is checked out, its tickets say nothing about this one.
  const tells = branchFault(checkout, view) === undefined;
  const pulledBack = tells ? await ticketFault(checkout, settlement) : undefined;
  if (pulledBack !== undefined) return { kind: "superseded", why: pulledBack };
  const guard = () => faultOf(ports, view, checkout, { head, into: target, commits });
  if (policy === "pull_request") {
    return await byPullRequest(ports, view, checkout, { settlement, guard });
  }
  if (policy !== "local") {
    // A person may have squashed it.
    if (await ports.worktrees.addsNothing(checkout.git, settlement.merge_commit!, into)) return GO;
    return { kind: "wait", why: `a person to merge ${from} into ${into} (${policy})` };
  }
  const fault = await guard();
  if (fault !== undefined) return await keptOut(ports, settlement, fault);
  const doing = `merge ${from}`;
  const outcome = await (async () => {
    using _lock = await ports.lockRepo(checkout.git, {
      doing,
      clock: ports.clock,
      signal: ports.signal,
    });
    await ports.commits.recover(checkout.git, checkout.folder);
    // Merges the commit that was looked at, wherever the branch is by now.
    const plan = { doing, into, from: head, message: mergeMessage(settlement) };
    return await ports.worktrees.merge(checkout.git, plan);
  })();
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
  checkout: Checkout,
  { ticket_id: id, from_state: from, to_state: to }: Settlement,
): Promise<string | undefined> {
  if (id === null || from === null) return undefined;
  const opened = await foundTicket(checkout, id);
  if (typeof opened === "string") return opened;
  const { state } = opened.ticket;
  return state === from || state === to ? undefined : `${id} is ${state} by now`;
}

/** Looks once more before anything leaves the branch: an older svc or other rules may have passed it. */
async function faultOf(
  ports: Ports,
  { manifest }: RepoView,
  { git: repo, folder }: Checkout,
  branch: GuardedBranch,
): Promise<string | undefined> {
  const guardrails = guardrailsOf(manifest, await hookFolders(ports.git, repo));
  const place = { repo, folder, clock: ports.clock, guardrails };
  const { foreign, objections } = await guardBranch(place, branch);
  const found = [...foreign, ...objections];
  return found.length === 0 ? undefined : ports.redact(found.join(". "));
}

async function keptOut(ports: Ports, settlement: Settlement, fault: string): Promise<Step> {
  const reason = `${settlement.merge_from} was not merged: ${fault}`;
  return await blocked(ports, settlement, { action: `${fault}; then unblock it`, reason });
}

async function byPullRequest(
  ports: Ports,
  { remote }: RepoView,
  checkout: Checkout,
  { settlement, guard }: {
    readonly settlement: Settlement;
    guard(): Promise<string | undefined>;
  },
): Promise<Step> {
  const places = ports.codeHost === undefined ? {} : { places: ports.codeHost };
  const step = await pullRequestStep(ports, checkout, settlement, { remote, guard, ...places });
  if (step.kind === "merged") return GO;
  if (step.kind === "wait") return step;
  if (step.kind === "refused") return await keptOut(ports, settlement, step.why);
  const action = `Say in the ticket what must change, or reopen ${step.url}, then unblock it`;
  const reason = `pr_closed: pull request #${step.number} was closed and not merged: ${step.url}`;
  return await blocked(ports, settlement, { action, reason });
}

/** Blocks the ticket: a person settles the conflict, or the role does after the ticket was unblocked. */
async function conflict(
  ports: Ports,
  settlement: Settlement,
  paths: readonly string[],
): Promise<Step> {
  const { merge_from, merge_into } = settlement;
  const where = paths.slice(0, 10).join(", ");
  const reason = `merging ${merge_from} into ${merge_into} conflicts in ${where}`;
  const action = `Merge ${merge_into} into ${merge_from}, settle ${where}, commit it with the ` +
    'trailer "Svc-Role: person", then unblock it';
  return await blocked(ports, settlement, { action, reason });
}

async function blocked(
  ports: Ports,
  settlement: Settlement,
  { action, reason }: { readonly action: string; readonly reason: string },
): Promise<Step> {
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

/** Marks the evidence of one settlement, so that it is not written twice. */
const mark = ({ id }: Settlement) => `settled ${id.slice(-8)}`;

/** The ticket, or why it cannot be read. */
async function foundTicket(checkout: Checkout, id: string) {
  return await openTicket(checkout, id)
    .catch((thrown) => {
      const { code, message } = Failure.from(thrown);
      if (code !== "not_found" && code !== "environment") throw thrown;
      return message;
    });
}

async function moveStep(checkout: Checkout, settlement: Settlement): Promise<Step> {
  const { ticket_id: id, to_state: to, from_state: from, actor, reason } = settlement;
  if (id === null) return GO;
  const opened = await foundTicket(checkout, id);
  if (typeof opened === "string") return { kind: "superseded", why: opened };
  const { ticket, content } = opened;
  if (settlement.attempt === 1 && !ticketBody(content.bytes).includes(mark(settlement))) {
    if (ticket.state !== from && from !== null) return overtaken(ticket.id, ticket.state);
    // Together with a move, the reason belongs to the move.
    const what = `${to === null ? reason : "no result"} (${mark(settlement)})`;
    await noteOnTicket(checkout, id, { what, attempt: true, actor, unless: mark(settlement) });
  }
  if (to === null) return GO;
  if (ticket.state === to) return { kind: "go", ticket };
  if (ticket.state !== from) return overtaken(ticket.id, ticket.state);
  const unblock = settlement.unblock === null
    ? {}
    : { unblock: JSON.parse(settlement.unblock) as { owner: string; action: string } };
  await moveTicket(checkout, id, { to, reason, actor, ...unblock });
  return { kind: "go", ticket };
}

function overtaken(id: string, state: string): Step {
  return { kind: "superseded", why: `${id} is ${state} by now` };
}
