import assert from "node:assert/strict";
import { finals, next, statesOf, toMermaid } from "svc/core/machine.ts";
import { jobMachine } from "svc/features/jobs/job_machine.ts";
import { ticketMachine } from "svc/features/tickets/ticket_machine.ts";

Deno.test("next follows a move from its states only", () => {
  assert.equal(next(jobMachine, "pending", "claim"), "running");
  assert.equal(next(jobMachine, "completed", "claim"), undefined);
});

Deno.test("job states are the four of the spec, two of them final", () => {
  assert.deepEqual(statesOf(jobMachine), ["pending", "running", "completed", "failed"]);
  assert.deepEqual(finals(jobMachine), ["completed", "failed"]);
});

Deno.test("every ticket state but done can be left, and blocked leads to backlog alone", () => {
  assert.deepEqual(finals(ticketMachine), ["done"]);
  const moves = Object.values(ticketMachine.moves) as { from: readonly string[]; to: string }[];
  assert.deepEqual(moves.filter(({ from }) => from.includes("blocked")).map(({ to }) => to), [
    "backlog",
  ]);
});

Deno.test("toMermaid names states whose id may not hold a dash", () => {
  const text = toMermaid(ticketMachine);
  assert.match(text, /state "in-progress" as in_progress/);
  assert.match(text, /\[\*\] --> backlog/);
  assert.match(text, /backlog --> in_progress: dispatch/);
});
