/**
 * Finds what a request's name stands for already, since a name stands for one act only. Among tickets, only
 * those of the repo are searched.
 */
import type { Repo } from "svc/features/repos/repo.ts";
import { ticketOfRequest } from "svc/features/tickets/ticket_names.ts";
import { decisionNamed, inputsOf, namedBefore } from "svc/runtime/inbox/person_decision.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

interface Asked {
  readonly request: string;
  /** Such as "create a ticket". */
  readonly doing: string;
}

/** @throws Failure `conflict` where an act of the inbox had the name */
export async function mustNameNoAct(
  { db, clock }: Pick<RuntimePorts, "clock" | "db">,
  { request, doing }: Asked,
): Promise<void> {
  const found = await decisionNamed(db, request, clock.now());
  if (found !== undefined) throw namedBefore(doing, request, inputsOf(found).outcome);
}

/** @throws Failure `conflict` where a ticket of the repo was written under the name */
export async function mustNameNoTicket(
  { name, tickets }: Pick<Repo, "name" | "tickets">,
  { request, doing }: Asked,
): Promise<void> {
  const list = await tickets.list();
  const made = list.tickets.find(({ fingerprint }) => ticketOfRequest(fingerprint, request));
  if (made !== undefined) throw namedBefore(doing, request, `${made.id} of ${name} was created`);
}
