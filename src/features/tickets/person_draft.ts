/** A new ticket as a person asks for it, with what a template says about the rest. */
import { Failure } from "svc/core/failure.ts";
import type { Redact } from "svc/core/redact.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import type { TicketDraft } from "./ticket_draft.ts";
import { ticketTemplate } from "./ticket_templates.ts";

export interface PersonDraft
  extends Partial<Omit<TicketDraft, "source" | "vouched" | "fingerprint">> {
  /** Name of a template. */
  readonly template?: string | undefined;
}

const USUAL = { type: "feature", priority: "p2", role: "engineer" } as const;

/** @throws Failure `usage`, `not_found` for a template, `refused` for what looks like a secret */
export async function personDraft(
  checkout: Pick<Checkout, "folder">,
  { template: name, ...given }: PersonDraft,
  redact: Redact,
): Promise<TicketDraft> {
  const template = name === undefined ? undefined : await ticketTemplate(checkout, name);
  const { type, priority, role, acceptance, text } = template ?? {};
  const { title = template?.title ?? "" } = given;
  const draft: TicketDraft = {
    ...USUAL,
    ...(template && { type, priority, role, acceptance, context: text }),
    ...given,
    title,
    source: "human",
  } as TicketDraft;
  const said = [draft.title, draft.context ?? "", ...draft.acceptance ?? []].join("\n");
  if (redact(said) === said) return draft;
  throw new Failure("refused", "Cannot create a ticket: it would hold what looks like a secret", {
    remedy: "Say where it is kept, in place of the secret",
  });
}
