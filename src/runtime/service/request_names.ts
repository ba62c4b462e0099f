/** The name of a request stands for one act, in all repos: what it stands for already. */
import { Failure } from "svc/core/failure.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { ticketOfRequest } from "svc/features/tickets/ticket_names.ts";
import { decisionNamed, inputsOf, namedBefore } from "svc/runtime/inbox/person_decision.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

export interface RepoPlaces {
  repos(): Promise<readonly RegisteredRepo[]>;
  open(repoId: string, doing: string): Promise<Repo>;
}

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

/** Asks the other repos of this machine; one that cannot be read keeps nothing from being done here. */
export async function mustNameNoTicketBeside(
  { repos, open }: RepoPlaces,
  repoId: string,
  asked: Asked,
): Promise<void> {
  for (const { id, url = null } of await repos()) {
    if (id === repoId || url !== null) continue;
    using repo = await open(id, asked.doing).catch((thrown) => {
      if (thrown instanceof Failure) return undefined;
      throw thrown;
    });
    if (repo !== undefined) await mustNameNoTicket(repo, asked);
  }
}
