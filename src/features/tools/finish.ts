/** `finish`: how a role ends its job, or asks a person. It reports; what follows is the router's to decide. */
import { z } from "zod";
import { REPORTED_DISPOSITIONS, type ReportedDisposition } from "svc/core/disposition.ts";
import { boundedQuestion, questionLine } from "svc/core/question.ts";
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

/** An end that waits for a person's answer; what follows is that of `blocked`. */
const QUESTION = "question";

interface FinishArgs {
  readonly disposition: ReportedDisposition | typeof QUESTION;
  readonly evidence: string;
  readonly ticket?: string | undefined;
  readonly question?: string | undefined;
  readonly choices?: readonly string[] | undefined;
}

interface FinishPlan {
  readonly dispositions: readonly ReportedDisposition[];
  /** A person can answer: the job has a ticket that waits for it. */
  readonly asks?: boolean;
}

function argsFor({ dispositions, asks = false }: FinishPlan): z.ZodType<FinishArgs> {
  const known = [...dispositions, ...(asks ? [QUESTION] as const : [])];
  const report = z.strictObject({
    disposition: z.enum(known as [ReportedDisposition, ...ReportedDisposition[]]),
    evidence: z.string().trim().min(1).max(8_000)
      .describe("What was done and what proves it, or who must decide what"),
  });
  const ticket = z.string().optional().describe("With routed: the id of the chosen ticket");
  const question = z.string().max(8_000).optional()
    .describe("With question: what a person must decide; evidence says why");
  const choices = z.array(z.string().max(2_000)).max(100).optional().describe("Its answers");
  if (dispositions.includes("routed")) {
    return asks ? report.extend({ ticket, question, choices }) : report.extend({ ticket });
  }
  return asks ? report.extend({ question, choices }) : report;
}

/** Submits nothing: no gate looks at it. */
function asked({ evidence, question, choices = [] }: FinishArgs): ToolAnswer {
  // Some say it as evidence alone, or twice.
  const text = question?.trim() || evidence;
  const why = text === evidence.trim() ? "" : evidence;
  const bounded = boundedQuestion({ asked: text, choices, why });
  const end: ReportedEnd = {
    disposition: "blocked",
    evidence: `asks: ${questionLine(bounded)}`,
    question: bounded,
  };
  return { ok: true, text: "Finished: question", facts: { ...end } };
}

/** If the end is judged within the run, `facts` say so, and why it was refused. */
async function reported(
  session: ToolSession,
  args: FinishArgs,
  { last }: CallContext,
): Promise<ToolAnswer> {
  const { disposition, evidence, ticket: named } = args;
  if (disposition === QUESTION || (disposition === "blocked" && args.question?.trim())) {
    return asked(args);
  }
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

/** @param plan.dispositions at least one */
export function finishFor(plan: FinishPlan): AnyTool {
  return tool<FinishArgs>({
    name: "finish",
    about: "Ends the job when you are done or cannot go on; or says what is still missing.",
    capability: "finish",
    args: () => argsFor(plan),
    run: reported,
  });
}

/** With all that some role may say. */
export const finish = finishFor({ dispositions: REPORTED_DISPOSITIONS, asks: true });
