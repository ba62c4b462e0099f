/** Finds events of a code host that svc has missed, from the host's lists of deliveries and issues. Pure. */
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { HostDelivery, HostIssue } from "svc/features/access/code_host_intake.ts";
import { DELIVERY_KEEP_MS } from "svc/core/bounds.ts";
import { issueFingerprint, issueNumber, knownFingerprint } from "./issue_ticket.ts";
import { issueEnd, issueTicket } from "./github_rules.ts";
import { type Payload, payloadOf } from "./payload.ts";
import type { RequestDraft } from "./request.ts";

/** GitHub delivers again what is at most three days old (docs.github.com, "Redelivering webhooks"). */
export const REDELIVERY_MS = 3 * 24 * 3_600_000;

/** A delivery that fails as often is not asked for again: the receiver refuses it, not its absence. */
const ATTEMPTS = 3;

/** The newest attempts of deliveries that svc never took, the oldest first. @param taken ids that are stored */
export function missedDeliveries(
  deliveries: readonly HostDelivery[],
  taken: ReadonlySet<string>,
): HostDelivery[] {
  const time = ({ delivered_at }: HostDelivery) => Date.parse(delivered_at);
  const attempts = Map.groupBy(deliveries, ({ guid }) => guid);
  return [...attempts].flatMap(([guid, all]) => {
    const arrived = all.some(({ status_code }) => status_code >= 200 && status_code < 400);
    if (arrived || taken.has(guid) || all.length >= ATTEMPTS) return [];
    return [all.toSorted((a, b) => time(b) - time(a))[0]!];
  }).toSorted((a, b) => time(a) - time(b));
}

/** An issue as its webhook would tell it. */
const told = (remote: string, issue: HostIssue): Payload =>
  payloadOf({ action: issue.state, issue, repository: { full_name: remote } });

/** Issues with a label of svc that have no ticket, not even one that is done. */
export function issuesWithoutTicket(
  remote: string,
  issues: readonly HostIssue[],
  { tickets, own }: { readonly tickets: readonly Ticket[]; readonly own: ReadonlySet<string> },
): RequestDraft[] {
  const known = new Set(tickets.map(({ fingerprint }) => fingerprint));
  return issues.flatMap((issue) => {
    const payload = told(remote, issue);
    if (own.has(payload.name("issue.user.login")?.toLowerCase() ?? "")) return [];
    const fingerprint = issueFingerprint(remote, issue.number);
    const title = payload.text("issue.title");
    if (known.has(knownFingerprint(tickets, { fingerprint, title }))) return [];
    return issueTicket(payload) ?? [];
  });
}

export interface DoubtfulIssue {
  readonly number: number;
  readonly ticket: Pick<Ticket, "id" | "fingerprint">;
}

/** Issues whose tickets can go on, and which are not among the open ones. */
export function doubtfulIssues(
  open: readonly HostIssue[],
  tickets: readonly Ticket[],
): DoubtfulIssue[] {
  const seen = new Set(open.map(({ number }) => number));
  return tickets.flatMap((ticket) => {
    const { state, fingerprint } = ticket;
    const number = state === "done" || state === "blocked" ? undefined : issueNumber(fingerprint);
    return number === undefined || seen.has(number) ? [] : [{ number, ticket }];
  });
}

/** What has blocked a ticket last; it is not blocked any more. */
export type PastBlock = Pick<Settlement, "actor" | "reason" | "created_at">;

/** Whether a person has unblocked the ticket knowing of this end. */
function isSettled(issue: Payload | undefined, block: PastBlock | undefined): boolean {
  if (block?.actor !== "webhook:github") return false;
  // In the words of the rules, and those below.
  if (issue === undefined) return /^(?:deleted|transferred)\b/.test(block.reason);
  return Date.parse(issue.name("issue.closed_at") ?? "") <= block.created_at;
}

/**
 * The request that its webhook would have made. An older end may have been settled, forgotten, and
 * answered by a person who unblocked the ticket.
 */
export function missedEnd(
  remote: string,
  { number, ticket }: DoubtfulIssue,
  { issue, block, now }: {
    readonly issue: HostIssue | undefined;
    readonly block: PastBlock | undefined;
    readonly now: number;
  },
): RequestDraft | undefined {
  if (isSettled(issue && told(remote, issue), block)) return undefined;
  if (issue === undefined) {
    const fingerprint = issueFingerprint(remote, number);
    // The ticket may be of another repo, whose numbers this one has yet to give.
    if (ticket.fingerprint !== fingerprint) return undefined;
    const item = { fingerprint, why: "deleted or transferred in GitHub", final: true } as const;
    return { kind: "cancel", item, key: `cancel:${fingerprint}:gone` };
  }
  if (issue.state === "open") return undefined; // a mention made its ticket, or nobody knows when its label went
  const recent = Date.parse(issue.updated_at) > now - DELIVERY_KEEP_MS;
  return recent ? issueEnd(told(remote, issue)) : undefined;
}
