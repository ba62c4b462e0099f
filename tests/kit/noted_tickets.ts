/** A service's tickets that writes down what it is asked, and answers with one ticket. */
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { TicketAsks } from "svc/runtime/service/ticket_asks.ts";

export const TICKET: Ticket = {
  ...{ id: "T-0001", title: "Mend the pump", type: "bug", priority: "p1", role: "engineer" },
  ...{ created: "2026-11-21T10:00:00Z", updated: "2026-11-21T10:00:00Z", source: "human" },
  ...{ depends_on: [], acceptance: ["It pumps"], rework: 0, attempts: 0, state: "review" },
  path: "docs/tickets/review/T-0001-mend.md",
};

export function notedTickets(
  noted: (name: string) => (...args: unknown[]) => Promise<void>,
): TicketAsks {
  return {
    async create(repo, { title }) {
      await noted("create-ticket")(repo, title);
      return { ticket: TICKET, commit: "c1", existed: false };
    },
    async edit(repo, id, { version }) {
      await noted("edit-ticket")(repo, id, version);
      return { ticket: TICKET, commit: "c1", version: "v2", changes: ["title"] };
    },
    async move(repo, id, { to }) {
      await noted("move-ticket")(repo, id, to);
      return { ticket: { ...TICKET, state: to }, commit: "c1", version: "v2" };
    },
  };
}
