/** Whether a ticket is alive: what the audit of each minute decides, from facts it is given. */
import type { TicketState } from "./ticket_machine.ts";

/** Facts about a ticket besides its file; times are epoch ms. */
export interface TicketSigns {
  readonly liveJob: boolean;
  /** Named to the user, such as a merge that waits for a clean checkout. */
  readonly waitsFor?: string;
  readonly lastJobAt?: number;
  /** When its file was committed where it lies: who moves it by hand leaves `updated` as it is. */
  readonly committedAt?: number;
  readonly requeued: boolean;
}

interface TicketAge {
  readonly state: TicketState;
  /** RFC 3339. */
  readonly updated: string;
}

/** `queue`: a job once more; `block`: with an owner and an action; `give_back`: to the backlog. */
export type AuditVerdict = "alive" | "queue" | "block" | "give_back";

export function isStale(
  ticket: TicketAge,
  signs: TicketSigns,
  { now, staleMs }: AuditTimes,
): boolean {
  if (ticket.state !== "in-progress" || signs.liveJob) return false;
  const { lastJobAt = 0, committedAt = 0 } = signs;
  return now - Math.max(Date.parse(ticket.updated), lastJobAt, committedAt) >= staleMs;
}

interface AuditTimes {
  readonly now: number;
  /** `dispatch.stale_ticket_hours` of the manifest. */
  readonly staleMs: number;
}

/** A ticket in progress or in review needs a live job, which a retry that is due later is too, or a named wait; others are at rest. */
export function audit(ticket: TicketAge, signs: TicketSigns, times: AuditTimes): AuditVerdict {
  if (ticket.state !== "in-progress" && ticket.state !== "review") return "alive";
  if (signs.liveJob || signs.waitsFor !== undefined) return "alive";
  if (isStale(ticket, signs, times)) return "give_back";
  return signs.requeued ? "block" : "queue";
}
