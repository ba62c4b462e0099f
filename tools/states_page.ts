/** The state machines as diagrams. */
import { type Machine, toMermaid } from "svc/core/machine.ts";
import { jobMachine } from "svc/features/jobs/job_machine.ts";
import { ticketMachine } from "svc/features/tickets/ticket_machine.ts";

function section<S extends string, M extends string>(machine: Machine<S, M>): string[] {
  const states = Object.entries<string>(machine.states);
  const moves = Object.entries<{ from: readonly S[]; to: S; when: string }>(machine.moves);
  return [
    `## ${machine.name}`,
    "",
    "```mermaid",
    toMermaid(machine),
    "```",
    "",
    "| state | meaning |",
    "| --- | --- |",
    ...states.map(([state, meaning]) => `| ${state} | ${meaning} |`),
    "",
    "| move | from | to | when |",
    "| --- | --- | --- | --- |",
    ...moves.map(([name, { from, to, when }]) =>
      `| ${name} | ${from.join(", ")} | ${to} | ${when} |`
    ),
    "",
  ];
}

export function statesPage(): string {
  return ["# States", "", ...section(jobMachine), ...section(ticketMachine)].join("\n");
}
