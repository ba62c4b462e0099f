/** Title and body of a pull request, from ticket, job and checks. */
import { flat } from "svc/core/flat.ts";
import type { Redact } from "svc/core/redact.ts";
import { shortened } from "svc/core/shortened.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import { isEvidenceHeading, ticketBody } from "svc/features/tickets/ticket_file.ts";
import type { OpenTicket } from "svc/features/tickets/ticket_list.ts";

/** Characters per part; GitHub takes 65,536 in all. */
const PULL_REQUEST_CHARS = 12_000;

interface PullRequestFacts {
  readonly settlement: Settlement;
  readonly opened: OpenTicket | undefined;
  readonly subject: string;
  /** Such as "passed"; undefined without a decision. */
  readonly checks: string | undefined;
}

const TITLE_CHARS = 200;

/**
 * A fence keeps text from mentioning people, closing issues or being markup (CommonMark, fenced
 * code blocks).
 */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${shortened(text, PULL_REQUEST_CHARS)}\n${fence}`;
}

function evidenceOf({ content }: OpenTicket): string {
  const body = ticketBody(content.bytes);
  const lines = body.split("\n");
  const start = lines.findLastIndex(isEvidenceHeading);
  if (start === -1) return "";
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^#{1,2}[ \t]/.test(line));
  return rest.slice(0, end === -1 ? undefined : end).join("\n").trim();
}

export function pullRequestText(
  { settlement, opened, subject, checks }: PullRequestFacts,
  redact: Redact,
): { readonly title: string; readonly body: string } {
  const { job_id, merge_commit, reason } = settlement;
  const ticket = opened?.ticket;
  const evidence = opened === undefined ? "" : evidenceOf(opened);
  const facts = [
    ...(ticket === undefined ? [] : [`Ticket: ${ticket.id}, ${ticket.path}`]),
    ...(job_id === null ? [] : [`Job: ${job_id}`]),
    `Commit: ${merge_commit}`,
    `Checks: ${checks ?? "not recorded"}`,
    `Result: ${flat(reason)}`,
  ].join("\n");
  const parts = [
    "This draft was made by svc. A person decides whether it is merged.",
    fenced(redact(facts)),
    ...(ticket === undefined || ticket.acceptance.length === 0 ? [] : [
      "## Acceptance",
      fenced(redact(ticket.acceptance.map((line) => `- ${flat(line)}`).join("\n"))),
    ]),
    ...(evidence === "" ? [] : ["## Evidence", fenced(redact(evidence))]),
  ];
  const title = ticket === undefined ? subject : `${ticket.id}: ${ticket.title}`;
  return { title: shortened(flat(redact(title)), TITLE_CHARS), body: parts.join("\n\n") };
}
