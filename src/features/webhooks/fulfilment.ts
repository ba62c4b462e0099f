/**
 * Inputs and outcomes of fulfilling a request, and helpers that all kinds share: tickets, pull requests,
 * pending moves.
 */
import { WEBHOOK_EVIDENCE_CHARS } from "svc/core/bounds.ts";
import { sha256 } from "svc/core/digest.ts";
import type { Profile } from "svc/core/permission.ts";
import type { Redact } from "svc/core/redact.ts";
import { shortened } from "svc/core/shortened.ts";
import { jobsOf } from "svc/features/jobs/job_views.ts";
import { cancelJob } from "svc/features/jobs/order_job.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { pullRequestOf, ticketOfPullRequest } from "svc/features/routing/pull_request_store.ts";
import { newSettlement, pendingSettlements } from "svc/features/routing/settlement_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import type { Db } from "svc/store/schema.ts";
import type { WebhookSource } from "./delivery_table.ts";
import type { OutsidePull } from "./request.ts";
import type { RequestRow } from "./request_store.ts";

export interface FulfilmentPorts {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Pick<Log, "write">;
  readonly signal: AbortSignal;
  readonly profile: Profile;
  readonly redact: Redact;
  /**
   * Whether the person may have work done: writes to the repo, as its code host says, or is named for Linear in the
   * user's config. Undefined where the host cannot be asked.
   */
  mayVouch?(login: string, source: WebhookSource): Promise<boolean | undefined>;
  /** Scans and syncs the documentation after a push to the registered branch; may run twice. */
  afterPush?(head: string): Promise<unknown>;
}

export interface RequestWork {
  readonly ports: FulfilmentPorts;
  readonly repo: Repo;
  readonly manifest: Manifest;
  readonly row: RequestRow;
}

export type Fulfilment =
  | { readonly state: "waits"; readonly why: string }
  | {
    /** `dropped`: there was nothing to do. */
    readonly state: "done" | "dropped";
    readonly outcome: string;
    readonly ticket?: Ticket | undefined;
    /** Runs in the transaction that settles the request. */
    write?(db: Db, now: number): Promise<unknown>;
  };

export const dropped = (outcome: string, ticket?: Ticket): Fulfilment => ({
  state: "dropped",
  outcome,
  ticket,
});

export const actorOf = ({ row }: Pick<RequestWork, "row">): `webhook:${WebhookSource}` =>
  `webhook:${row.source}`;

const onOneLine = ({ ports }: RequestWork, text: string) =>
  ports.redact(text).replaceAll(/\s+/g, " ").trim();

const clip = (words: string, chars: number) => shortened(words, chars, " …");

/** Words from outside for a ticket's evidence: redacted and bounded. */
export const quotedWords = (work: RequestWork, text: string) =>
  clip(onOneLine(work, text), WEBHOOK_EVIDENCE_CHARS);

/** The same for several texts: none is left out; if there is no room for all, the longest are cut. */
export function quotedTexts(work: RequestWork, texts: readonly string[], chars: number): string[] {
  const all = texts.map((text) => onOneLine(work, text));
  let [room, share] = [chars, chars];
  for (const [at, length] of all.map(({ length }) => length).sort((a, b) => a - b).entries()) {
    share = Math.floor(room / (all.length - at));
    if (length > share) break;
    room -= length;
  }
  return all.map((words) => clip(words, share));
}

/** Keeps a note from being written twice; nobody outside can guess the mark and so prevent a note. */
export async function markOf({ row }: RequestWork): Promise<string> {
  const { id, created_at, items } = row;
  const digest = await sha256(new TextEncoder().encode(`${id} ${created_at} ${items}`));
  return `(request ${id}-${digest.slice(0, 8)})`;
}

/** Runs `act` on the tickets of the registered branch, or tells what it waits for. */
export async function onTickets(
  { repo }: RequestWork,
  act: (tickets: readonly Ticket[]) => Promise<Fulfilment>,
): Promise<Fulfilment> {
  const { baseBranch } = repo;
  if (await repo.branch() !== baseBranch) {
    return { state: "waits", why: `"${baseBranch}" to be checked out` };
  }
  return await act((await repo.tickets.list()).tickets);
}

/** The open ticket with that fingerprint, else the last one that is done. */
export function ticketOfIssue(
  tickets: readonly Ticket[],
  fingerprint: string,
): Ticket | undefined {
  const all = tickets.filter((ticket) => ticket.fingerprint === fingerprint);
  return all.find(({ state }) => state !== "done") ?? all.at(-1);
}

export async function settlementOfPull(
  { ports, repo }: RequestWork,
  { number }: OutsidePull,
): Promise<Settlement | undefined> {
  for (const settlement of await pendingSettlements(ports.db, repo.id)) {
    if (settlement.merge_from === null) continue;
    if ((await pullRequestOf(ports.db, settlement.id))?.number === number) return settlement;
  }
  return undefined;
}

/** One that svc handed in, whatever it is to be merged into by now; else one of the ticket's branch, but no backport. */
export async function ticketOfPull(
  { ports, repo }: RequestWork,
  tickets: readonly Ticket[],
  { number, branch, into = repo.baseBranch }: OutsidePull,
): Promise<Ticket | undefined> {
  const noted = await ticketOfPullRequest(ports.db, { repo_id: repo.id, number });
  const ours = tickets.find(({ id }) => id === noted);
  if (ours !== undefined || branch === undefined || into !== repo.baseBranch) return ours;
  return tickets.find((ticket) => ticket.branch === branch);
}

export interface OwedMove {
  readonly ticket: Pick<Ticket, "id" | "state">;
  readonly to: TicketState;
  readonly reason: string;
  readonly unblock?: { readonly owner: string; readonly action: string };
}

/** A ticket's move as a settlement: git is changed later, in the order of `now`. */
export function moveOwed(
  work: RequestWork,
  { ticket, to, reason, unblock }: OwedMove,
  now: number,
): Settlement {
  return newSettlement({
    repoId: work.repo.id,
    ticket: ticket.id,
    move: { from: ticket.state, to },
    unblock,
    reason,
    actor: actorOf(work),
  }, now);
}

/** What waits for the ticket, and what works on it. */
export async function cancelJobs(
  { repo }: RequestWork,
  db: Db,
  ticket: Ticket,
  { reason, now }: { readonly reason: string; readonly now: number },
): Promise<void> {
  for (const { id, status } of await jobsOf(db, repo.id, ticket.id)) {
    if (status === "pending" || status === "running") await cancelJob(db, id, reason, now);
  }
}
