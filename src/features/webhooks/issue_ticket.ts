/** Which tickets are those of an issue of GitHub. Pure. */
import { flat } from "svc/core/flat.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";

export const issueFingerprint = (remote: string, number: number) =>
  `github:${remote.toLowerCase()}#${number}`;

/** The issue's number, whatever the repo was called when its ticket was made. */
export function issueNumber(fingerprint: string | undefined): number | undefined {
  const number = Number(/^github:[^#]+#([1-9]\d{0,14})$/.exec(fingerprint ?? "")?.[1]);
  return Number.isSafeInteger(number) ? number : undefined;
}

/**
 * The fingerprint by which the tickets know the issue. A repo that was renamed or handed on keeps the numbers of
 * its issues; the title tells that they are not those of another repo, which the folder was registered with before.
 */
export function knownFingerprint(
  tickets: readonly Pick<Ticket, "fingerprint" | "title">[],
  { fingerprint, title = "" }: {
    readonly fingerprint: string;
    readonly title?: string | undefined;
  },
): string {
  if (tickets.some((ticket) => ticket.fingerprint === fingerprint)) return fingerprint;
  const [number, words] = [issueNumber(fingerprint), flat(title)];
  if (number === undefined || words === "") return fingerprint;
  const older = tickets.findLast((ticket) =>
    issueNumber(ticket.fingerprint) === number && ticket.title === words
  );
  return older?.fingerprint ?? fingerprint;
}
