/** Writes one change of a ticket's file as a commit of its own. */
import { sha256 } from "svc/core/digest.ts";
import { nameOf } from "svc/core/path_parts.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { FileChange } from "svc/platform/git/commit.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import type { FrontEdits } from "./front_edit.ts";
import { rewriteTicket } from "./ticket_file.ts";
import type { OpenTicket, Ticket } from "./ticket_list.ts";
import type { TicketState } from "./ticket_machine.ts";
import { TICKETS } from "./ticket_places.ts";

export interface TicketWriting {
  /** Shown in the evidence, such as "ada" or "agent:engineer". */
  readonly actor: string;
  readonly dryRun?: boolean;
}

/** Whole seconds, as commits have them. */
export const stamp = (ms: number) => rfc3339(Math.floor(ms / 1000) * 1000).replace(".000Z", "Z");

interface RewrittenTicket {
  readonly ticket: Ticket;
  readonly commit: string | undefined;
  /** SHA-256 of the file's bytes. */
  readonly version: string;
}

/** @param change.answer an entry of its section; given the time of the change. Call it with the lock */
export async function rewrite(
  { git, folder, commits, clock }: Checkout,
  { ticket, content }: OpenTicket,
  change: {
    readonly edits: FrontEdits;
    readonly what: string;
    readonly message: string;
    readonly to: TicketState;
    answer?(at: string): string;
    /** The list "acceptance" as it was and as it is now. */
    readonly wishes?: { readonly before: readonly string[]; readonly after: readonly string[] };
  },
  { actor, dryRun = false }: TicketWriting,
): Promise<RewrittenTicket> {
  const at = stamp(clock.now());
  const evidence = { at, actor, what: change.what, commit: await commits.tip(git) };
  const edits = { ...change.edits, updated: at };
  const answer = change.answer?.(at);
  const { wishes } = change;
  const told = { edits, evidence, answer, ...(wishes && { wishes }) };
  const bytes = rewriteTicket(content.bytes, ticket.path, told);
  const name = nameOf(ticket.path);
  const path = `${TICKETS}/${change.to}/${name}`;
  const { unblock, question, ...rest } = ticket;
  const now: Ticket = {
    ...rest,
    ...("unblock" in edits ? {} : unblock && { unblock }),
    ...("question" in edits ? {} : question && { question }),
    ...Object.fromEntries(Object.entries(edits).filter(([, value]) => value !== undefined)),
    state: change.to,
    path,
  };
  const version = await sha256(bytes);
  if (dryRun) return { ticket: now, commit: undefined, version };
  const before = content.sha256;
  const executable = (content.mode & 0o100) !== 0;
  const changes: FileChange[] = path === ticket.path ? [{ path, bytes, before, executable }] : [
    { path, bytes, before: null, from: ticket.path, executable },
    { path: ticket.path, bytes: null, before },
  ];
  const plan = { doing: `write ${ticket.id}`, changes, message: change.message };
  const commit = await commits.commit(git, folder, plan);
  return { ticket: now, commit, version };
}
