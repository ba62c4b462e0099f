/** `finish`: how a role ends its job. It reports; what follows is the router's to decide. */
import { z } from "zod";
import { REPORTED_DISPOSITIONS, type ReportedDisposition } from "svc/core/disposition.ts";
import { ticketId } from "svc/features/tickets/ticket_list.ts";
import { ticketPlaces } from "svc/features/tickets/ticket_places.ts";
import { type AnyTool, tool, type ToolAnswer, type ToolSession } from "./tool.ts";

/** The ticket that an orchestrator chose must exist and be in the backlog. */
async function chosen(
  { repo }: ToolSession,
  named: string | undefined,
): Promise<ToolAnswer | string> {
  if (named === undefined) {
    return { ok: false, text: 'Say which ticket: finish with ticket, such as "T-0007"' };
  }
  const id = ticketId(named);
  const found = (await ticketPlaces(repo)).find((file) => file.id === id);
  if (found === undefined) {
    return { ok: false, text: `There is no ticket ${id}; ticket_list shows those there are` };
  }
  if (found.state === "backlog") return id;
  return { ok: false, text: `${id} is in ${found.state}, not in backlog; choose another` };
}

/** @param dispositions at least one */
export function finishFor(dispositions: readonly ReportedDisposition[]): AnyTool {
  return tool({
    name: "finish",
    about: "Ends the job. Call it once, when you are done or cannot go on.",
    capability: "finish",
    args: z.strictObject({
      disposition: z.enum(dispositions as [ReportedDisposition, ...ReportedDisposition[]]),
      evidence: z.string().trim().min(1).max(8_000)
        .describe("What was done and what proves it, or who must decide what"),
      ticket: z.string().optional().describe("With routed: the id of the chosen ticket"),
    }),
    async run(session, { disposition, evidence, ticket }) {
      if (disposition !== "routed") {
        const id = ticket === undefined ? {} : { ticket: ticketId(ticket) };
        const facts = { disposition, evidence, ...id };
        return { ok: true, text: `Finished: ${disposition}`, facts };
      }
      const id = await chosen(session, ticket ?? /\bT-\d{1,9}\b/.exec(evidence)?.[0]);
      if (typeof id !== "string") return id;
      const facts = { disposition, evidence, ticket: id };
      return { ok: true, text: `Finished: routed ${id}`, facts };
    },
  });
}

export const finish = finishFor(REPORTED_DISPOSITIONS);
