import assert from "node:assert/strict";
import fc from "fast-check";
import {
  firstHour,
  HOUR_MS,
  hourly,
  ticketFlow,
  type TimedJob,
} from "svc/features/scores/throughput.ts";

const NOW = Date.parse("2026-06-01T12:34:56Z");

Deno.test("hourly leaves no hour out, and ends with the one that goes on", () => {
  const rows = hourly([], NOW, 24);
  assert.equal(rows.length, 24);
  assert.equal(new Date(rows[0]!.hour).toISOString(), "2026-05-31T13:00:00.000Z");
  assert.equal(new Date(rows[23]!.hour).toISOString(), "2026-06-01T12:00:00.000Z");
});

Deno.test("hourly counts beginnings and ends each in its own hour", () => {
  const at = (time: string) => Date.parse(`2026-06-01T${time}Z`);
  const jobs: Omit<TimedJob, "cost">[] = [
    { status: "completed", startedAt: at("10:59:59"), finishedAt: at("11:00:00"), tokens: 5 },
    { status: "failed", startedAt: at("11:10:00"), finishedAt: at("11:59:59"), tokens: 7 },
    { status: "running", startedAt: at("12:30:00"), finishedAt: null, tokens: 0 },
    { status: "completed", startedAt: 1, finishedAt: 2, tokens: 9 },
  ];
  const [ten, eleven, twelve] = hourly(jobs, NOW, 3);
  assert.deepEqual([ten!.started, ten!.completed], [1, 0]);
  assert.deepEqual([eleven!.started, eleven!.completed, eleven!.failed, eleven!.tokens], [
    1,
    1,
    1,
    12,
  ]);
  assert.deepEqual([twelve!.started, twelve!.completed], [1, 0]);
});

Deno.test("hourly counts each end within its hours once", () => {
  const job = fc.record({
    status: fc.constantFrom("completed" as const, "failed" as const),
    startedAt: fc.constant(null),
    finishedAt: fc.integer({ min: NOW - 40 * HOUR_MS, max: NOW }),
    tokens: fc.nat(1000),
  });
  fc.assert(fc.property(fc.array(job), (jobs) => {
    const rows = hourly(jobs, NOW, 24);
    const within = jobs.filter(({ finishedAt }) => finishedAt >= firstHour(NOW, 24));
    assert.equal(rows.reduce((sum, row) => sum + row.completed + row.failed, 0), within.length);
    const tokens = within.reduce((sum, one) => sum + one.tokens, 0);
    assert.equal(rows.reduce((sum, row) => sum + row.tokens, 0), tokens);
  }));
});

Deno.test("ticketFlow tells lead time, rework and tokens of tickets that were done", () => {
  const ticket = (minutes: number, requests: number) => ({
    ...{ ticket_id: `T-${minutes}`, doneAt: NOW, tokens: minutes * 10, requests },
    ...{ beganAt: NOW - minutes * 60_000, createdAt: NOW - minutes * 3_600_000 },
  });
  const tickets = [1, 2, 3, 4, 5, 6, 7, 8, 9, 100].map((minutes) =>
    ticket(minutes, minutes > 8 ? 2 : 0)
  );
  assert.deepEqual(ticketFlow(tickets), {
    ...{ done: 10, reworkRate: 0.2, tokensPerTicket: 145 },
    leadTime: { median: 5.5 * 3_600_000, p90: 9 * 3_600_000 },
    workTime: { median: 5.5 * 60_000, p90: 9 * 60_000 },
  });
  // A file that is gone leaves its lead time out; a clock that was set back makes none negative.
  const gone = { ...ticket(1, 0), createdAt: undefined };
  assert.equal(ticketFlow([gone]).leadTime, null);
  const odd = { ...ticket(1, 0), createdAt: NOW + 5, beganAt: NOW + 5 };
  assert.deepEqual(ticketFlow([odd, gone]).leadTime, { median: 0, p90: 0 });
  assert.deepEqual(ticketFlow([]), {
    ...{ done: 0, leadTime: null, workTime: null, reworkRate: null, tokensPerTicket: null },
  });
});
