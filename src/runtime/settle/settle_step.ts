/** The outcomes of one step of a settlement, and the ways in which the settlement can continue instead. */
import { commitSubject } from "svc/core/commit_text.ts";
import { Failure } from "svc/core/failure.ts";
import { blockInstead } from "svc/features/routing/settlement_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { OpenTicket, Ticket } from "svc/features/tickets/ticket_list.ts";
import type { StoredPorts } from "svc/runtime/ports.ts";

export type SettleStep =
  /** @param ticket as read before the move */
  | { readonly kind: "go"; readonly ticket?: Ticket }
  | { readonly kind: "wait"; readonly why: string }
  | { readonly kind: "superseded"; readonly why: string }
  /** The settlement moves the ticket elsewhere instead. */
  | { readonly kind: "changed"; readonly settlement: Settlement };

export const GO: SettleStep = { kind: "go" };

const NO_MERGE = { merge_from: null, merge_into: null, merge_commit: null };

/** @param fault if the machine is the cause, and not the work */
export async function blocked(
  { db }: Pick<StoredPorts, "db">,
  settlement: Settlement,
  { action, reason, fault = null }: {
    readonly action: string;
    readonly reason: string;
    readonly fault?: Settlement["fault"];
  },
): Promise<SettleStep> {
  if (settlement.ticket_id === null) return { kind: "superseded", why: reason };
  const unblock = { owner: "maintainer", action };
  await blockInstead(db, settlement.id, { unblock, reason, fault });
  const to = { to_state: "blocked", unblock: JSON.stringify(unblock), reason, fault } as const;
  return { kind: "changed", settlement: { ...settlement, ...to, ...NO_MERGE } };
}

/** Returns why it cannot be read as text. */
export async function foundTicket({ tickets }: Repo, id: string): Promise<OpenTicket | string> {
  return await tickets.find(id).catch((thrown) => {
    const { code, message } = Failure.from(thrown);
    if (code !== "not_found" && code !== "environment") throw thrown;
    return message;
  });
}

/** The message of the merge that a settlement wants; `job_diff.ts` finds merges by the branch in the subject. */
export function mergeMessage(
  { actor, job_id, ticket_id, merge_from, merge_into }: Settlement,
): string {
  const role = actor.replace(/^agent:/, "");
  const trailers = [
    ...(role === actor ? [] : [`Svc-Role: ${role}`]),
    ...(job_id === null ? [] : [`Svc-Job: ${job_id}`]),
    ...(ticket_id === null ? [] : [`Svc-Ticket: ${ticket_id}`]),
  ];
  const subject = commitSubject("chore(merge)", `merge ${merge_from} into ${merge_into}`);
  return `${subject}\n\n${trailers.join("\n")}`;
}
