/**
 * Carries out in git what decisions ask for: merges, ticket moves, counted attempts. Repeating it changes
 * nothing.
 */
import { drain, type Drained } from "svc/core/drain.ts";
import { Failure } from "svc/core/failure.ts";
import { liveJobs } from "svc/features/jobs/job_views.ts";
import { roleFor } from "svc/features/routing/choose.ts";
import { decisionOfJob } from "svc/features/routing/decision_store.ts";
import {
  isSentBack,
  type OwedUnblock,
  pendingSettlements,
  settle,
  waitFor,
} from "svc/features/routing/settlement_store.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { moveBetween } from "svc/features/tickets/move_rules.ts";
import { ticketBody } from "svc/features/tickets/ticket_file.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { Db } from "svc/store/schema.ts";
import { orderFor, queueJob, trustOfTicket } from "svc/features/jobs/order_job.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { teamTip } from "svc/runtime/job/hand_over.ts";
import { mergeStep } from "./merge_step.ts";
import { bringBack } from "./send_back.ts";
import { foundTicket, GO, type SettleStep } from "./settle_step.ts";
import { jobsFor } from "svc/features/jobs/job_triggers.ts";
import type { NewJob } from "svc/features/jobs/job_store.ts";

export type Settled = Drained<string>;

/** The running round, and the next one if a caller waits for it. */
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
  // Uses the shared signal, since the round outlives the job that began it.
  using repo = await reopen(ports.signal);
  const { shared } = repo;
  if (shared === undefined) return await drainAll(ports, repo, pending);
  try {
    return await shared.held("settle what is owed", async () => {
      await shared.refresh();
      // Another node may have settled some of it meanwhile.
      return await drainAll(ports, repo, await pendingSettlements(ports.db, id));
    });
  } catch (thrown) {
    ports.signal.throwIfAborted();
    const { message, detail } = Failure.from(thrown);
    if (!detail.waits) throw thrown;
    const why = `${message}; ${detail.remedy}`;
    for (const one of pending) if (one.waits_for !== why) await waitFor(ports.db, one.id, why);
    return { done: 0, waiting: pending.map((one) => ({ id: one.id, why })) };
  }
}

const drainAll = (ports: RuntimePorts, repo: Repo, pending: readonly Settlement[]) =>
  drain(pending, {
    signal: ports.signal,
    settle: (one) => settleOne(ports, repo, one),
    waits: ({ id }, why) => waitFor(ports.db, id, why),
    faulty: ({ id, ticket_id: ticket }, cause) =>
      ports.log.write("error", `what is owed (${id}) failed`, { repo: repo.root, ticket, cause }),
  });

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
  const merged = await mergedAs(ports, repo, asked);
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

async function mergedAs(
  ports: RuntimePorts,
  repo: Repo,
  owed: Settlement,
): Promise<SettleStep> {
  if (owed.merge_from === null) return GO;
  return await (isSentBack(owed) ? bringBack : mergeStep)(ports, repo, owed);
}

/** If the target branch was renamed, the work goes to the branch that a person registered instead. */
async function whereBranchIs(
  ports: RuntimePorts,
  repo: Repo,
  owed: Settlement,
): Promise<Settlement> {
  const { merge_into } = owed;
  if (merge_into === null || merge_into === repo.baseBranch) return owed;
  if (await teamTip(ports, repo, merge_into) !== undefined) return owed;
  return { ...owed, merge_into: repo.baseBranch };
}

async function moved(
  db: Db,
  manifest: Manifest | undefined,
  settlement: Settlement,
  { ticket, now }: { readonly ticket: Ticket; readonly now: number },
): Promise<void> {
  const { repo_id, job_id, ticket_id, from_state, to_state } = settlement;
  const data = { repo_id, ticket_id, from: from_state, to: to_state };
  const of = job_id === null ? {} : { jobId: job_id };
  await recordEvent(db, { type: "ticket_update", repoId: repo_id, ...of, data }, now);
  const orders = [
    ...jobsFor({ kind: "ticket", ticket: { ...ticket, state: to_state! } }, {
      id: repo_id,
      manifest,
    }),
    ...await reworkOf(db, manifest, settlement, ticket),
  ];
  if (orders.length === 0) return;
  // If a route has queued a job already, that is enough.
  const live = (await liveJobs(db, repo_id)).filter((job) => job.ticket_id === ticket.id);
  for (const order of orders) {
    if (live.some(({ role }) => role === order.role)) continue;
    await queueJob(db, order, { now, profile: "host" });
  }
}

/**
 * Work that was sent back continues with its role; after a manual run, or if a person dispatches, that person
 * decides.
 */
async function reworkOf(
  db: Db,
  manifest: Manifest | undefined,
  settlement: Settlement,
  ticket: Ticket,
): Promise<NewJob[]> {
  const { repo_id: id, job_id, to_state } = settlement;
  if (!isSentBack(settlement) || manifest?.dispatch.mode !== "routed") return [];
  const decision = job_id === null ? undefined : await decisionOfJob(db, job_id);
  const byHand = decision !== undefined && decision.next_role !== null &&
    decision.next_job === null;
  const role = roleFor({ ...ticket, state: to_state! }, manifest);
  if (byHand || role === undefined) return [];
  const trust = trustOfTicket(ticket);
  return [
    orderFor({ id, manifest }, { role, ticket, trust, trigger: "route", decision: decision?.id }),
  ];
}

function whatHappened({ merge_from, merge_into, to_state, attempt }: Settlement): string {
  return [
    ...(merge_from === null ? [] : [`merged ${merge_from} into ${merge_into}`]),
    ...(to_state === null ? [] : [`moved to ${to_state}`]),
    ...(attempt === 1 ? ["counted an attempt"] : []),
  ].join(", ");
}

/** Text in the evidence that keeps it from being written twice. */
const mark = ({ id }: Settlement) => `settled ${id.slice(-8)}`;

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
  if (moveBetween(from, to) === undefined) {
    return { kind: "superseded", why: `no move leads from ${from} to ${to}` };
  }
  await repo.tickets.move(id, { to, reason, actor, ...blockOf(settlement) });
  return { kind: "go", ticket };
}

function blockOf({ unblock }: Settlement) {
  if (unblock === null) return {};
  const { owner, action, question } = JSON.parse(unblock) as OwedUnblock;
  return { unblock: { owner, action }, ...(question && { question }) };
}

function overtaken(id: string, state: string): SettleStep {
  return { kind: "superseded", why: `${id} is ${state} by now` };
}
