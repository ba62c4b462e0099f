import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { type Move, statesOf } from "svc/core/machine.ts";
import { cycles, waitsFor } from "svc/features/tickets/dependencies.ts";
import { audit, isStale, type TicketSigns } from "svc/features/tickets/hygiene.ts";
import { moveBetween, planMove } from "svc/features/tickets/move_rules.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { ticketMachine, type TicketState } from "svc/features/tickets/ticket_machine.ts";
import { verifies } from "tests/kit/verifies.ts";

const STATES = statesOf(ticketMachine);
const UNBLOCK = { owner: "ada", action: "renew the key" };

function ticket(state: TicketState, more: Partial<Ticket> = {}): Ticket {
  return {
    ...{ id: "T-0007", title: "Tidy", type: "debt", priority: "p2", role: "engineer" },
    ...{ created: "2026-11-20T10:00:00Z", updated: "2026-11-20T10:00:00Z", source: "human" },
    ...{ depends_on: [], acceptance: [], rework: 1, attempts: 2 },
    ...(state === "blocked" && { unblock: UNBLOCK }),
    ...{ state, path: `docs/tickets/${state}/T-0007.md` },
    ...more,
  };
}

const none = () => undefined;

verifies(
  "3.1:ticket-location:closed-list",
  "planMove allows the moves of the machine and no others",
  () => {
    for (const from of STATES) {
      for (const to of STATES) {
        const moves = Object.entries<Move<TicketState>>(ticketMachine.moves)
          .filter(([, move]) => move.from.includes(from) && move.to === to);
        assert.ok(moves.length <= 1, `${from} → ${to} is ambiguous`);
        const plan = () => planMove(ticket(from), { to, force: true, unblock: UNBLOCK }, none);
        if (moves.length === 1) assert.equal(plan().move, moves[0]![0]);
        else {
          assert.equal(moveBetween(from, to), undefined);
          assert.throws(plan, { code: "conflict" }, `${from} → ${to}`);
        }
      }
    }
  },
);

verifies("3.1:ticket-location:rework", "planMove counts what review sends back", () => {
  const { edits } = planMove(ticket("review"), { to: "in-progress" }, none);
  assert.deepEqual(edits, { rework: 2 });
  assert.deepEqual(planMove(ticket("backlog"), { to: "in-progress" }, none).edits, {});
});

Deno.test("planMove asks who unblocks by what, and leaves a block only by force", () => {
  for (const unblock of [undefined, { owner: " ", action: "x" }, { owner: "x", action: "" }]) {
    const order = { to: "blocked" as const, ...(unblock && { unblock }) };
    assert.throws(() => planMove(ticket("review"), order, none), { code: "usage" });
  }
  const blocked = planMove(ticket("review"), { to: "blocked", unblock: UNBLOCK }, none);
  assert.deepEqual(blocked.edits, { unblock: UNBLOCK });
  assert.equal(blocked.what, "review → blocked: ada: renew the key");
  assert.throws(() => planMove(ticket("blocked"), { to: "backlog" }, none), (thrown) => {
    assert.ok(thrown instanceof Failure);
    assert.match(thrown.message, /waits for "ada": "renew the key"/);
    assert.match(thrown.remedy, /--force/);
    return true;
  });
  const question = { asked: "Which?", choices: [], why: "x", role: "engineer", job: "j" };
  const ways = [[{}, /^When .* has happened: svc tickets unblock T-0007$/], [
    { question },
    /^svc tickets answer T-0007 "…"$/,
  ]] as const;
  for (const [more, remedy] of ways) {
    const onward = () => planMove(ticket("blocked", more), { to: "review" }, none);
    assert.throws(onward, (thrown) => thrown instanceof Failure && remedy.test(thrown.remedy));
  }
  const freed = planMove(ticket("blocked"), { to: "backlog", force: true }, none);
  assert.deepEqual(freed.edits, { unblock: undefined, rework: 0, attempts: 0 });
});

Deno.test("planMove dispatches only what waits for nothing", () => {
  const states = new Map<string, TicketState>([["T-0001", "done"], ["T-0002", "review"]]);
  const dispatch = (depends_on: string[]) =>
    planMove(ticket("backlog", { depends_on }), { to: "in-progress" }, (id) => states.get(id));
  assert.equal(dispatch(["T-0001"]).move, "dispatch");
  assert.throws(() => dispatch(["T-0001", "T-0002"]), /depends on T-0002 \(review\)/);
  assert.throws(() => dispatch(["T-0009"]), /T-0009 \(no such ticket\)/);
});

Deno.test("waitsFor names what is not done", () => {
  const one = { id: "T-0001", state: "backlog" as const, depends_on: ["T-0002", "T-0003"] };
  const states = new Map<string, TicketState>([["T-0002", "done"]]);
  assert.deepEqual(waitsFor(one, (id) => states.get(id)), [{ id: "T-0003", state: undefined }]);
});

Deno.test("cycles finds each ring once, and none where a ticket of it is done", () => {
  const open = (id: string, ...depends_on: string[]) => ({
    id,
    depends_on,
    state: "backlog" as TicketState,
  });
  assert.deepEqual(cycles([open("A", "B", "C"), open("B", "C"), open("C")]), []);
  assert.deepEqual(cycles([open("A", "A")]), [["A"]]);
  const ring = [open("D", "C"), open("A", "C"), open("C", "B"), open("B", "D", "X")];
  assert.deepEqual(cycles(ring), [["B", "D", "C"]]);
  assert.deepEqual(cycles([{ ...ring[0]!, state: "done" }, ...ring.slice(1)]), []);
  const chain = Array.from({ length: 20_000 }, (_, at) => open(`${at}`, `${at + 1}`));
  assert.deepEqual(cycles(chain), []);
});

const HOUR = 3_600_000;
const NOW = Date.parse("2026-11-21T10:00:00Z");
const TIMES = { now: NOW, staleMs: 24 * HOUR };
const DEAD: TicketSigns = { liveJob: false, requeued: false };
const aged = (state: TicketState, hours: number) => ({
  state,
  updated: new Date(NOW - hours * HOUR).toISOString(),
});

Deno.test("isStale waits a day since the last move or job", () => {
  assert.equal(isStale(aged("in-progress", 24), DEAD, TIMES), true);
  assert.equal(isStale(aged("in-progress", 23), DEAD, TIMES), false);
  assert.equal(isStale(aged("in-progress", 99), { ...DEAD, liveJob: true }, TIMES), false);
  assert.equal(isStale(aged("in-progress", 99), { ...DEAD, lastJobAt: NOW - HOUR }, TIMES), false);
  for (const state of ["backlog", "review", "blocked", "done"] as const) {
    assert.equal(isStale(aged(state, 99), DEAD, TIMES), false, state);
  }
});

Deno.test("audit queues a dead ticket once, then blocks it", () => {
  const fresh = aged("review", 1);
  assert.equal(audit(fresh, DEAD, TIMES), "queue");
  assert.equal(audit(fresh, { ...DEAD, requeued: true }, TIMES), "block");
  assert.equal(audit(aged("in-progress", 30), DEAD, TIMES), "give_back");
  for (const sign of [{ liveJob: true }, { waitsFor: "a clean checkout" }]) {
    assert.equal(audit(fresh, { ...DEAD, ...sign }, TIMES), "alive");
  }
  for (const state of ["backlog", "blocked", "done"] as const) {
    assert.equal(audit(aged(state, 99), DEAD, TIMES), "alive", state);
  }
});
