/** `ticket_list`: the tickets of one state or of all but done, most urgent first. */
import { z } from "zod";
import { statesOf } from "svc/core/machine.ts";
import { questionLine } from "svc/core/question.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { ticketMachine, type TicketState } from "svc/features/tickets/ticket_machine.ts";
import { tool } from "./tool.ts";

const STATES = statesOf(ticketMachine) as [TicketState, ...TicketState[]];

function line(ticket: Ticket): string {
  const {
    id,
    state,
    priority,
    type,
    role,
    title,
    depends_on,
    rework,
    acceptance,
    unblock,
    question,
  } = ticket;
  return [
    `${id} ${state} ${priority} ${type} ${role}: ${title}`,
    ...(depends_on.length === 0 ? [] : [`depends on ${depends_on.join(", ")}`]),
    ...(rework === 0 ? [] : [`rework ${rework}`]),
    ...(acceptance.length === 0 ? ["no acceptance"] : []),
    ...(question === undefined ? [] : [`${question.role} asks: ${questionLine(question)}`]),
    ...(unblock === undefined || question !== undefined
      ? []
      : [`waits for ${unblock.owner}: ${unblock.action}`]),
  ].join(" · ");
}

/** p0 first, then the oldest. */
const byUrgency = (a: Ticket, b: Ticket) =>
  STATES.indexOf(a.state) - STATES.indexOf(b.state) ||
  a.priority.localeCompare(b.priority) || a.id.length - b.id.length || a.id.localeCompare(b.id);

export const ticketList = tool({
  name: "ticket_list",
  about: "Lists tickets by state, most urgent first; without state all that are not done.",
  capability: "read",
  args: () => z.strictObject({ state: z.enum(STATES).optional() }),
  async run({ repo }, { state }) {
    const { tickets, broken } = await repo.tickets.list();
    const shown = tickets
      .filter((ticket) => state === undefined ? ticket.state !== "done" : ticket.state === state)
      .toSorted(byUrgency);
    const lines = [
      ...(shown.length === 0
        ? [state === undefined ? "No ticket that is not done" : `No ticket in ${state}`]
        : shown.map(line)),
      ...broken.map(({ reason }) => `cannot be used: ${reason}`),
    ];
    return {
      ok: true,
      text: lines.join("\n"),
      facts: { tickets: shown.length, broken: broken.length },
      readOn: () => "Give state to see one state at a time",
    };
  },
});
