import assert from "node:assert/strict";
import { VIEW_CALL_CHARS, VIEW_TEXT_CHARS } from "svc/core/bounds.ts";
import { tracedRun } from "svc/runtime/views/trace_turns.ts";

const at = "2026-11-21T10:00:00.000Z";
const usage = { tokensIn: 10, tokensOut: 5 };
const line = (kind: string, fields: Record<string, unknown>) =>
  `${JSON.stringify({ at, kind, ...fields })}\n`;
const calls = (...ids: string[]) =>
  ids.map((id) => ({ id, name: `tool_${id}`, args: `{"${id}":1}` }));
const reply = (turn: number, ...ids: string[]) =>
  line("reply", {
    turn,
    message: { role: "assistant", text: `turn ${turn}`, calls: calls(...ids) },
    usage,
  });
const turn = (number: number, ...ids: string[]) =>
  line("turn", {
    turn: number,
    append: ids.map((callId) => ({ role: "tool", callId, text: `answer ${callId}` })),
    outcomes: ids.map((id) =>
      id === "end"
        ? { status: "failed", facts: { refused: "Not finished: red." } }
        : { status: id === "bad" ? "error" : "ok" }
    ),
  });

Deno.test("tracedRun joins each call with its result, in the order of the calls", () => {
  const start = line("started", { messages: [{ role: "system", text: "x" }] });
  const job = line("job", { branch: "svc/T-0001-do" });
  const run = tracedRun(job + start + reply(1, "a", "bad") + turn(1, "bad", "a"));
  assert.equal(run.branch, "svc/T-0001-do");
  assert.deepEqual(run.turns, [{
    ...{ turn: 1, at, text: "turn 1", tokens: 15 },
    calls: [
      { tool: "tool_a", args: '{"a":1}', status: "ok", result: "answer a" },
      { tool: "tool_bad", args: '{"bad":1}', status: "error", result: "answer bad" },
    ],
  }]);
});

Deno.test("tracedRun tells an end that svc did not take from a tool that failed", () => {
  const { turns } = tracedRun(reply(1, "end") + turn(1, "end"));
  assert.deepEqual(turns[0]!.calls.map(({ status }) => status), ["refused"]);
});

Deno.test("tracedRun shows what a killed run had asked, and passes over half a line", () => {
  const half = reply(3, "c").slice(0, 60);
  const { turns } = tracedRun(reply(1, "a") + turn(1, "a") + reply(2, "b") + half);
  assert.deepEqual(turns.map(({ turn, calls }) => [turn, calls[0]!.status, calls[0]!.result]), [
    [1, "ok", "answer a"],
    [2, "not answered", ""],
  ]);
  assert.deepEqual(tracedRun("").turns, []);
});

Deno.test("tracedRun takes the branch of the newest attempt, and none for work on the checkout", () => {
  const first = line("job", { branch: "svc/old" });
  assert.equal(tracedRun(first + line("job", { branch: "svc/new" })).branch, "svc/new");
  assert.equal(tracedRun(line("job", {})).branch, undefined);
});

Deno.test("tracedRun shortens long texts and says by how much", () => {
  const long = "x".repeat(100_000);
  const message = { role: "assistant", text: long, calls: [{ id: "a", name: "t", args: long }] };
  const acted = line("turn", {
    ...{ turn: 1, outcomes: [{ status: "ok" }] },
    append: [{ role: "tool", callId: "a", text: long }],
  });
  const [shown] = tracedRun(line("reply", { turn: 1, message, usage }) + acted).turns;
  assert.match(
    shown!.text,
    new RegExp(`^x{${VIEW_TEXT_CHARS}}… \\(${100_000 - VIEW_TEXT_CHARS} more`),
  );
  const [call] = shown!.calls;
  for (const text of [call!.args, call!.result]) assert.ok(text.length < VIEW_CALL_CHARS + 40);
});
