import assert from "node:assert/strict";
import { statesOf } from "svc/core/machine.ts";
import {
  carried,
  mayMove,
  moveNeeds,
  pickedUp,
  PRIORITIES,
  spokenMove,
  TICKET_STATES,
  TICKET_TYPES,
  waysFrom,
  waysInWords,
} from "svc/dashboard/state/ticket_moves.ts";
import * as names from "svc/features/tickets/ticket_names.ts";
import { moveBetween } from "svc/features/tickets/move_rules.ts";
import { ticketMachine } from "svc/features/tickets/ticket_machine.ts";
import { verifies } from "tests/kit/verifies.ts";

verifies(
  ["3.1:ticket-location:closed-list"],
  "the page knows the states, moves, types and priorities of the ticket lifecycle",
  () => {
    assert.deepEqual([...TICKET_STATES].sort(), [...statesOf(ticketMachine)].sort());
    for (const from of TICKET_STATES) {
      for (const to of TICKET_STATES) {
        assert.equal(mayMove(from, to), moveBetween(from, to) !== undefined, `${from} → ${to}`);
      }
    }
    assert.deepEqual(TICKET_TYPES, names.TICKET_TYPES);
    assert.deepEqual(PRIORITIES, names.PRIORITIES);
    assert.deepEqual(waysFrom("no such state"), []);
  },
);

Deno.test("a move needs who it waits for, or that it has happened", () => {
  assert.equal(moveNeeds("review", "blocked"), "unblock");
  assert.equal(moveNeeds("blocked", "backlog"), "happened");
  assert.equal(moveNeeds("review", "done"), undefined);
  assert.equal(waysInWords("done"), "done is final");
  assert.equal(waysInWords("backlog"), "backlog leads to in-progress");
  assert.equal(
    waysInWords("review"),
    "review leads to done, in-progress, blocked or backlog",
  );
});

Deno.test("a picked ticket is carried from column to column, and each is spoken", () => {
  const up = pickedUp({ id: "T-0007", state: "review" })!;
  assert.match(spokenMove.up(up), /^T-0007 is picked up from review, column 3 of 5\./);
  const right = carried(up, 1);
  assert.equal(spokenMove.over(right), "blocked, column 4 of 5");
  assert.equal(carried(carried(right, 1), 1).over, "done", "the last column stays");
  assert.equal(carried(up, "first").over, "backlog");
  assert.match(spokenMove.over(carried(right, -1)), /here T-0007 is now$/);
  const wrong = carried(pickedUp({ id: "T-1", state: "backlog" })!, "last");
  assert.match(spokenMove.over(wrong), /not from here, backlog leads to in-progress$/);
  assert.match(spokenMove.refused(wrong), /^T-1 cannot go to done: .* It is still picked up\.$/);
  assert.equal(pickedUp({ id: "T-1", state: "gone" }), undefined);
});
