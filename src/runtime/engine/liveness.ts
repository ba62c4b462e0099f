/**
 * The audit of each minute: if a ticket in progress or in review has no live job, no due time and no known
 * reason to wait, a job of its role is queued once more; after that a person is asked.
 */
import type { Repo } from "svc/features/repos/repo.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { endedByHand } from "svc/features/jobs/ended_by_hand.ts";
import { jobsOf } from "svc/features/jobs/job_views.ts";
import { roleFor, startable } from "svc/features/routing/choose.ts";
import {
  newSettlement,
  pendingSettlements,
  recordSettlement,
} from "svc/features/routing/settlement_store.ts";
import { audit, type AuditVerdict, type TicketSigns } from "svc/features/tickets/hygiene.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { orderFor, queueJob, trustOfTicket } from "svc/features/jobs/order_job.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

export interface Audited {
  readonly ticket: string;
  readonly verdict: Exclude<AuditVerdict, "alive">;
  readonly job?: string;
}

export interface Audit {
  readonly audited: readonly Audited[];
  readonly startable: readonly string[];
}

/** When the ticket's file was last committed at its path; the present time if it was not committed. */
export async function lastCommitted(
  { git }: Pick<Repo, "git">,
  { path }: Pick<Ticket, "path">,
  now: number,
): Promise<number> {
  return (await git.log({ max: 1, paths: [path] }))[0]?.authored_at ?? now;
}

/** For host profile only: an observer changes no ticket. */
export async function auditTickets(ports: RuntimePorts, repo: Repo): Promise<Audit> {
  const { manifest } = await repo.manifest();
  const { tickets } = await repo.tickets.list();
  const due: Due[] = [];
  for (const ticket of tickets) {
    if (ticket.state !== "in-progress" && ticket.state !== "review") continue;
    const signs = await signsOf(ports, repo, ticket);
    const hours = manifest?.dispatch.stale_ticket_hours ?? 24;
    const times = { now: ports.clock.now(), staleMs: hours * 3_600_000 };
    let verdict = audit(ticket, signs, times);
    if (verdict === "give_back") {
      const committedAt = await lastCommitted(repo, ticket, times.now);
      verdict = audit(ticket, { ...signs, committedAt }, times);
    }
    if (verdict !== "alive") due.push({ ticket, verdict });
  }
  const found: Audited[] = [];
  for (const each of await stillSo(repo, due)) found.push(await act(ports, repo, manifest, each));
  return { audited: found, startable: startable(tickets).map(({ id }) => id) };
}

interface Due {
  readonly ticket: Ticket;
  readonly verdict: Exclude<AuditVerdict, "alive">;
}

/**
 * Whoever ended its job may have moved the ticket since its file was read, also on another node, whose moves this one
 * fetches: a ticket that moved is no longer due.
 */
async function stillSo(repo: Repo, due: readonly Due[]): Promise<readonly Due[]> {
  if (due.length === 0) return due;
  await repo.shared?.refresh();
  const { tickets } = await repo.tickets.list();
  return due.filter(({ ticket: { id, state, updated } }) =>
    tickets.some((now) => now.id === id && now.state === state && now.updated === updated)
  );
}

async function signsOf(
  { db, clock }: RuntimePorts,
  repo: Repo,
  ticket: Ticket,
): Promise<TicketSigns> {
  const jobs = await jobsOf(db, repo.id, ticket.id);
  // After its jobs: the end of one records what is owed with it.
  const owed = await pendingSettlements(db, repo.id);
  const wait = owed.find(({ ticket_id }) => ticket_id === ticket.id);
  const moved = Date.parse(ticket.updated);
  // If the clock was set back, this time is in the future, and no job would be newer.
  const since = moved > clock.now() ? 0 : moved;
  const ended = jobs.filter(({ finished_at }) => finished_at !== null)
    .toSorted((a, b) => a.finished_at! - b.finished_at!).at(-1);
  const last = ended?.finished_at ?? 0;
  // Whoever ended it says what becomes of the ticket.
  const waitsFor = wait !== undefined
    ? wait.waits_for ?? "its settlement"
    : ended !== undefined && last >= since && endedByHand(ended)
    ? "a person"
    : undefined;
  return {
    liveJob: jobs.some(({ status }) => status === "pending" || status === "running"),
    ...(waitsFor !== undefined && { waitsFor }),
    ...(last > 0 && { lastJobAt: last }),
    requeued: jobs.some(({ trigger, created_at }) => trigger === "liveness" && created_at >= since),
  };
}

async function act(
  ports: RuntimePorts,
  { id }: Repo,
  manifest: Manifest | undefined,
  { ticket, verdict }: Due,
): Promise<Audited> {
  const role = manifest && roleFor(ticket, manifest);
  if (verdict === "queue" && role !== undefined) {
    const trust = trustOfTicket(ticket);
    const order = orderFor({ id, manifest }, { role, ticket, trust, trigger: "liveness" });
    const { job } = await ports.db.transaction().execute((tx) =>
      queueJob(tx, order, { now: ports.clock.now(), profile: ports.profile })
    );
    return { ticket: ticket.id, verdict, job: job.id };
  }
  const block = verdict !== "give_back";
  const why = role === undefined
    ? `no role of the manifest goes on with a ticket in ${ticket.state}`
    : "a job for it was queued once more and nothing came of it";
  const owed = {
    repoId: id,
    ticket: ticket.id,
    move: { from: ticket.state, to: block ? "blocked" : "backlog" },
    ...(block && { unblock: { owner: "maintainer", action: `Find out why: ${why}` } }),
    reason: block ? why : "stale: no job for it any more",
    actor: "svc",
  } as const;
  await recordSettlement(ports.db, newSettlement(owed, ports.clock.now()));
  return { ticket: ticket.id, verdict: block ? "block" : verdict };
}
