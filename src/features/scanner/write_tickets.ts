/** Writes the tickets of a scan through the ticket lifecycle, each gap once. */
import type { Checkout } from "svc/platform/git/checkout.ts";
import { listTickets } from "svc/features/tickets/ticket_list.ts";
import { createTickets } from "svc/features/tickets/tickets.ts";
import type { Finding } from "./findings.ts";
import { ticketPlan } from "./to_tickets.ts";

export interface WrittenTickets {
  readonly created: readonly {
    readonly id: string;
    /** Below the repo's root. */
    readonly path: string;
    readonly title: string;
    readonly priority: string;
    readonly source: string;
  }[];
  /** Groups of gaps that an open ticket covers. */
  readonly deduplicated: number;
  /** Groups that wait until fewer tickets of scans are open. */
  readonly held: number;
  /** Undefined when nothing was written. */
  readonly commit?: string;
  readonly dry_run: boolean;
}

const ACTOR = "scan";

/** @throws Failure of the ticket lifecycle, such as `conflict` while a merge is going on */
export async function writeTickets(
  checkout: Checkout,
  findings: readonly Finding[],
  { dryRun }: { readonly dryRun: boolean },
): Promise<WrittenTickets> {
  const { tickets } = await listTickets(checkout);
  const open = tickets.filter(({ state, source }) =>
    state !== "done" && source.startsWith("scan:")
  );
  const fingerprints = new Set(open.flatMap(({ fingerprint }) => fingerprint ?? []));
  const { drafts, held } = ticketPlan(findings, { fingerprints });
  const { created, deduplicated, commit } = drafts.length === 0
    ? { created: [], deduplicated: [], commit: undefined }
    : await createTickets(checkout, drafts, { actor: ACTOR, dryRun });
  return {
    created: created.map(({ id, path, title, priority, source }) => ({
      id,
      path,
      title,
      priority,
      source,
    })),
    deduplicated: deduplicated.length,
    held,
    ...(commit !== undefined && { commit }),
    dry_run: dryRun,
  };
}
