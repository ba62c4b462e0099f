/** `finish`: how a role ends its job. It reports; what follows is the router's to decide. */
import { z } from "zod";
import { REPORTED_DISPOSITIONS, type ReportedDisposition } from "svc/core/disposition.ts";
import { ticketId } from "svc/features/tickets/ticket_list.ts";
import { ticketPlaces } from "svc/features/tickets/ticket_places.ts";
import {
  type AnyTool,
  type CallContext,
  type ReportedEnd,
  tool,
  type ToolAnswer,
  type ToolSession,
} from "./tool.ts";

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

interface FinishArgs extends ReportedEnd {
  readonly ticket?: string | undefined;
}

function argsFor(dispositions: readonly ReportedDisposition[]): z.ZodType<FinishArgs> {
  const report = {
    disposition: z.enum(dispositions as [ReportedDisposition, ...ReportedDisposition[]]),
    evidence: z.string().trim().min(1).max(8_000)
      .describe("What was done and what proves it, or who must decide what"),
  };
  if (!dispositions.includes("routed")) return z.strictObject(report);
  const ticket = z.string().optional().describe("With routed: the id of the chosen ticket");
  return z.strictObject({ ...report, ticket });
}

/** Where the end is judged in the run, `facts` say so, and why it was refused. */
async function reported(
  session: ToolSession,
  { disposition, evidence, ticket: named }: FinishArgs,
  { last }: CallContext,
): Promise<ToolAnswer> {
  const ticket = disposition === "routed"
    ? await chosen(session, named ?? /\bT-\d{1,9}\b/.exec(evidence)?.[0])
    : named && ticketId(named);
  if (typeof ticket === "object") return ticket;
  const end = { disposition, evidence, ...(ticket !== undefined && { ticket }) };
  const text = `Finished: ${disposition}${disposition === "routed" ? ` ${ticket}` : ""}`;
  if (last || session.missing === undefined) return { ok: true, text, facts: end };
  const missing = await session.missing({ disposition, evidence });
  if (missing === undefined) return { ok: true, text, facts: { ...end, judged: true } };
  const [refused] = missing.split("\n", 1);
  return { ok: false, text: missing, facts: { ...end, judged: true, refused } };
}

/** @param dispositions at least one */
export function finishFor(dispositions: readonly ReportedDisposition[]): AnyTool {
  return tool<FinishArgs>({
    name: "finish",
    about: "Ends the job when you are done or cannot go on; or says what is still missing.",
    capability: "finish",
    args: argsFor(dispositions),
    run: reported,
  });
}

export const finish = finishFor(REPORTED_DISPOSITIONS);
