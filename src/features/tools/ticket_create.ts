/** `ticket_create`: a new ticket in the backlog, once for each thing that is to be done. */
import { z } from "zod";
import { sha256 } from "svc/core/digest.ts";
import type { TicketDraft } from "svc/features/tickets/ticket_draft.ts";
import { ticketId } from "svc/features/tickets/ticket_list.ts";
import { PRIORITIES, TICKET_TYPES } from "svc/features/tickets/ticket_names.ts";
import { tool } from "./tool.ts";

const USUAL_ROLE = "engineer";

/** Ignores case, blanks and punctuation. */
async function fingerprintOf(title: string): Promise<string> {
  const words = title.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [title];
  return `agent:${(await sha256(new TextEncoder().encode(words.join(" ")))).slice(0, 16)}`;
}

export const ticketCreate = tool({
  name: "ticket_create",
  about: "Writes a ticket into the backlog. One ticket is one change that is reviewed in minutes.",
  capability: "write",
  args: () =>
    z.strictObject({
      title: z.string().trim().min(1).max(200).describe("A verb and a thing"),
      type: z.enum(TICKET_TYPES),
      context: z.string().max(20_000).describe("Why, with file and line"),
      acceptance: z.array(z.string().trim().min(1).max(500)).min(1).max(10)
        .describe("What a command or a look can prove"),
      priority: z.enum(PRIORITIES).optional().describe("p0 is first; default p2"),
      role: z.string().optional().describe(`Who does it; default ${USUAL_ROLE}`),
      depends_on: z.array(z.string()).max(20).optional().describe("Ids that must be done first"),
    }),
  async run({ repo, manifest, role, redact }, args) {
    const { title, type, context, acceptance, priority = "p2", depends_on = [] } = args;
    const worker = args.role ?? USUAL_ROLE;
    if (manifest !== undefined && !Object.hasOwn(manifest.roles, worker)) {
      const known = Object.keys(manifest.roles).join(", ");
      return { ok: false, text: `There is no role "${worker}". Give one of: ${known}` };
    }
    const draft: TicketDraft = {
      type,
      priority,
      role: worker,
      source: `agent:${role}`,
      title: redact(title),
      context: redact(context),
      acceptance: acceptance.map(redact),
      depends_on: depends_on.map(ticketId),
      fingerprint: await fingerprintOf(title),
    };
    const { created: [ticket], deduplicated: [twin] } = await repo.tickets.create([draft], {
      actor: `agent:${role}`,
    });
    if (ticket !== undefined) {
      return { ok: true, text: `Created ${ticket.id}`, facts: { id: ticket.id, created: true } };
    }
    const id = twin?.id ?? "A ticket";
    return {
      ok: true,
      text: `${id} says this already and is not done; nothing was written`,
      facts: { id: twin?.id ?? null, created: false },
    };
  },
});
