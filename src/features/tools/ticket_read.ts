/** `ticket_read`: one ticket, whole. */
import { z } from "zod";
import { ticketId } from "svc/features/tickets/ticket_list.ts";
import { tool } from "./tool.ts";

export const ticketRead = tool({
  name: "ticket_read",
  about: "Shows one ticket: its fields, context, acceptance and evidence.",
  capability: "read",
  args: () => z.strictObject({ id: z.string().describe('Such as "T-0007"') }),
  async run({ repo }, { id }) {
    const { ticket, content } = await repo.tickets.find(ticketId(id));
    const text = new TextDecoder().decode(content.bytes);
    return {
      ok: true,
      text: `state: ${ticket.state} (${ticket.path})\n${text.trimEnd()}`,
      facts: { id: ticket.id, state: ticket.state },
    };
  },
});
