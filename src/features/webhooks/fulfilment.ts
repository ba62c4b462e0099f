/** What the fulfilment of a wish is given, and what comes of it. */
import { WEBHOOK_EVIDENCE_CHARS } from "svc/core/bounds.ts";
import { sha256 } from "svc/core/digest.ts";
import type { Profile } from "svc/core/permission.ts";
import type { Redact } from "svc/core/redact.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import { listTickets, type Ticket } from "svc/features/tickets/ticket_list.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import type { Db } from "svc/store/schema.ts";
import type { Source } from "./delivery_table.ts";
import type { WishRow } from "./wish_store.ts";

export interface WishPorts {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Pick<Log, "write">;
  readonly signal: AbortSignal;
  readonly profile: Profile;
  readonly redact: Redact;
  /** Of the registered checkout, opened anew. */
  checkout(): Promise<Checkout>;
  /** The registered branch was pushed to: scans and syncs the documentation. Doing it twice does no harm. */
  afterPush?(head: string): Promise<unknown>;
}

export interface WishView {
  readonly id: string;
  /** Registered branch. */
  readonly branch: string;
  readonly manifest: Manifest | undefined;
}

export interface WishWork {
  readonly ports: WishPorts;
  readonly view: WishView & { readonly manifest: Manifest };
  readonly row: WishRow;
}

export type Fulfilled =
  | { readonly state: "waits"; readonly why: string }
  | {
    /** `dropped`: it turned out to be of no use. */
    readonly state: "done" | "dropped";
    readonly outcome: string;
    readonly ticket?: Ticket | undefined;
    /** Together with the note that it is settled. */
    write?(db: Db, now: number): Promise<unknown>;
  };

export const dropped = (outcome: string, ticket?: Ticket): Fulfilled => ({
  state: "dropped",
  outcome,
  ticket,
});

export const actorOf = ({ row }: Pick<WishWork, "row">): `webhook:${Source}` =>
  `webhook:${row.source}`;

/** A stranger's words for the evidence of a ticket: without secrets, and not too long. */
export function quotedWords({ ports }: WishWork, text: string): string {
  const words = ports.redact(text).replaceAll(/\s+/g, " ").trim();
  return words.length <= WEBHOOK_EVIDENCE_CHARS
    ? words
    : `${words.slice(0, WEBHOOK_EVIDENCE_CHARS).toWellFormed()} …`;
}

/**
 * Marks what a wish wrote into a ticket, so that it is not written twice; what joined it is new.
 * Nobody outside can know it beforehand, and so keep a note from being written.
 */
export async function markOf({ row }: WishWork): Promise<string> {
  const { id, created_at, items } = row;
  const digest = await sha256(new TextEncoder().encode(`${id} ${created_at} ${items}`));
  return `(wish ${id}-${digest.slice(0, 8)})`;
}

/** Runs `act` on the tickets of the registered branch, or says what it waits for. */
export async function onTickets(
  { ports, view }: WishWork,
  act: (checkout: Checkout, tickets: readonly Ticket[]) => Promise<Fulfilled>,
): Promise<Fulfilled> {
  using checkout = await ports.checkout();
  if (checkout.git.branch !== view.branch) {
    return { state: "waits", why: `"${view.branch}" to be checked out` };
  }
  return await act(checkout, (await listTickets(checkout)).tickets);
}

/** The open one of that fingerprint, or the last that is done. */
export function ticketOfIssue(
  tickets: readonly Ticket[],
  fingerprint: string,
): Ticket | undefined {
  const all = tickets.filter((ticket) => ticket.fingerprint === fingerprint);
  return all.find(({ state }) => state !== "done") ?? all.at(-1);
}
