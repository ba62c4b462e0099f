/** Makes the repo of one smoke test, with its harness, tickets and the change that is to be judged. */
import { newFields, newTicketText, slugOf } from "svc/features/tickets/ticket_draft.ts";
import { ticketPath } from "svc/features/tickets/ticket_places.ts";
import { rfc3339 } from "svc/core/time.ts";
import { type MadeRepo, madeRepo } from "svc/platform/git/made_repo.ts";
import { SMOKE_FILES, type SmokeCase, SUM_BRANCH } from "./cases.ts";

interface TargetPlan {
  readonly root: string;
  /** The role that is to take the tickets. */
  readonly role: string;
  /** Epoch ms. */
  readonly now: number;
  /** Harness files by path. */
  readonly harness: Readonly<Record<string, string>>;
}

function ticketTexts({ tickets = [] }: SmokeCase, { role, now }: TargetPlan) {
  const at = rfc3339(now);
  return Object.fromEntries(tickets.map(({ id, state, ...ticket }) => {
    // A role that judges takes the ticket from review, whichever role worked on it.
    const draft = { ...ticket, type: "bug", role, source: "human" } as const;
    const evidence = { at, actor: "svc", what: "made for a smoke test", commit: undefined };
    const text = newTicketText(newFields(id, draft, at), draft, evidence);
    return [ticketPath(state, id, slugOf(ticket.title)), text];
  }));
}

export async function makeTarget(
  ports: Parameters<typeof madeRepo>[0],
  smoke: SmokeCase,
  plan: TargetPlan,
): Promise<MadeRepo> {
  const repo = await madeRepo(ports, plan.root);
  const files = { ...SMOKE_FILES, ...plan.harness, ...smoke.files, ...ticketTexts(smoke, plan) };
  await repo.commit(files, "chore: a repo for a smoke test");
  if (smoke.change !== undefined) {
    const { files, message } = smoke.change;
    await repo.branch(SUM_BRANCH);
    await repo.commit(files, `${message}\n\nSvc-Role: person\n`);
    await repo.checkOut("main");
  }
  return repo;
}
