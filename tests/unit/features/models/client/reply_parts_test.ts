import assert from "node:assert/strict";
import { replyParts, uniqueIds } from "svc/features/models/client/reply_parts.ts";

const delta = (delta: unknown) => ({ choices: [{ delta }] });
const call = (part: unknown) => delta({ tool_calls: [part] });

function collect(...chunks: unknown[]) {
  const parts = replyParts();
  for (const chunk of chunks) parts.take(chunk);
  return parts.collected();
}

Deno.test("arguments in pieces are joined by index, also when calls alternate", () => {
  const { calls } = collect(
    call({ index: 0, id: "a", function: { name: "x", arguments: "" } }),
    call({ index: 1, id: "b", function: { name: "y", arguments: '{"n"' } }),
    call({ index: 0, function: { arguments: "{}" } }),
    call({ index: 1, function: { arguments: ": 1}" } }),
  );
  assert.deepEqual(calls, [{ id: "a", name: "x", args: "{}" }, {
    id: "b",
    name: "y",
    args: '{"n": 1}',
  }]);
});

Deno.test("an empty object before the arguments is no part of them, and stays where nothing follows", () => {
  const begun = (index: number) =>
    call({ index, id: `c${index}`, function: { name: "x", arguments: "{}" } });
  const piece = (index: number, args: string) => call({ index, function: { arguments: args } });
  const { calls } = collect(
    ...[begun(0), piece(0, ""), piece(0, '{"n"'), piece(0, ': "{}{"}')],
    ...[begun(1), piece(1, ""), begun(2)],
  );
  assert.deepEqual(calls.map(({ args }) => args), ['{"n": "{}{"}', "{}", "{}"]);
});

Deno.test("a name that is repeated with every piece is one name, one in pieces is joined", () => {
  const { calls } = collect(
    call({ index: 0, id: "a", function: { name: "look", arguments: '{"a"' } }),
    call({ index: 0, id: "a", function: { name: "look", arguments: ":1}" } }),
    call({ index: 1, id: "b", function: { name: "fi" } }),
    call({ index: 1, function: { name: "nish", arguments: "{}" } }),
  );
  assert.deepEqual(calls.map(({ name, args }) => [name, args]), [["look", '{"a":1}'], [
    "finish",
    "{}",
  ]]);
});

Deno.test("calls without index or id are told apart by their names", () => {
  const { calls } = collect(
    call({ function: { name: "x", arguments: "{" } }),
    call({ function: { arguments: "}" } }),
    call({ function: { name: "y", arguments: { b: 2 } } }),
  );
  assert.deepEqual(calls.map(({ name, args }) => [name, args]), [["x", "{}"], ["y", '{"b":2}']]);
});

const argsOf = (calls: readonly { readonly args: string }[]) => calls.map(({ args }) => args);

Deno.test("whole calls that share an index are told apart, without ids and with one id for all", () => {
  for (const index of [0, null]) {
    for (const id of [undefined, "", null, "same"]) {
      const part = (n: number) => ({ index, id, function: { name: "x", arguments: `{"n":${n}}` } });
      const apart = collect(call(part(1)), call(part(2)));
      assert.deepEqual(argsOf(apart.calls), ['{"n":1}', '{"n":2}']);
      const together = collect(delta({ tool_calls: [part(1), part(2)] }));
      assert.deepEqual(argsOf(together.calls), ['{"n":1}', '{"n":2}']);
    }
  }
});

Deno.test("a name that is repeated once the arguments are whole begins no call", () => {
  const again = { index: 0, function: { name: "x", arguments: "\n" } };
  const { calls } = collect(
    call({ index: 0, function: { name: "x", arguments: "{}" } }),
    call(again),
  );
  assert.deepEqual(argsOf(calls), ["{}\n"]);
});

Deno.test("a call that comes again under its id is one call", () => {
  const whole = (index: number) => ({
    index,
    id: "a",
    function: { name: "x", arguments: '{"n":1}' },
  });
  const begun = { index: 0, id: "a", function: { name: "x", arguments: "" } };
  const other = { index: 3, id: "b", function: { name: "x", arguments: '{"n":1}' } };
  for (const parts of [[whole(0), whole(1)], [begun, whole(1), whole(2)], [whole(0), whole(0)]]) {
    const { calls } = collect(...[...parts, other].map(call));
    assert.deepEqual(calls.map(({ id, args }) => [id, args]), [["a", '{"n":1}'], ["b", '{"n":1}']]);
  }
});

Deno.test("reasoning counts as written and is no text; empty calls are none", () => {
  const found = collect(
    delta({ reasoning_content: "hm hm" }),
    delta({ content: [{ type: "text", text: "Yes" }] }),
    delta({ content: null, tool_calls: [{ index: 0, id: "a", function: {} }] }),
    { choices: [{ delta: {}, finish_reason: "stop" }], usage: null },
    { choices: [], usage: { prompt_tokens: 1 } },
  );
  assert.deepEqual(found, {
    text: "Yes",
    reasoning: { text: "hm hm", field: "reasoning_content" },
    calls: [],
    repeated: undefined,
    finish: "stop",
    usage: { prompt_tokens: 1 },
    chars: 8,
  });
});

Deno.test("chunks of no known shape are passed over", () => {
  const odd = [null, 1, "x", [], {}, { choices: "x" }, { choices: [null] }, { choices: [1] }];
  const nested = [delta(null), delta({ tool_calls: [null, 1, {}] }), delta({ function_call: "x" })];
  assert.deepEqual(collect(...odd, ...nested).calls, []);
});

Deno.test("uniqueIds keeps good ids and replaces those that came before", () => {
  const calls = ["a", "", "a", "b"].map((id) => ({ id, name: "x", args: "{}" }));
  const ids = uniqueIds(calls, new Set(["b", "call00004"])).map(({ id }) => id);
  assert.equal(ids[0], "a");
  assert.equal(new Set([...ids, "b", "call00004"]).size, 6);
});

Deno.test("a reply of calls without end is cut, and takes no time to read", () => {
  const begun = performance.now();
  const many = replyParts();
  const calls = Array.from({ length: 50_000 }, (_, index) => {
    const args = JSON.stringify({ path: (index * 7919).toString(36) });
    return { index, id: `c${index}`, function: { name: "file_read", arguments: args } };
  });
  many.take({ choices: [{ delta: { tool_calls: calls } }] });
  assert.equal(many.repeated(), "arguments");
  const { calls: kept, finish } = many.collected();
  assert.deepEqual([kept.length, kept.at(-1)?.id, finish], [2_000, "c1999", "length"]);

  const long = replyParts();
  const pieces = Array.from({ length: 20_000 }, (_, at) => {
    const args = `${at === 0 ? '{"a":"' : ""}${at.toString(36).repeat(10)}}`;
    return { index: 0, id: "c", function: { name: "file_write", arguments: args } };
  });
  long.take({ choices: [{ delta: { tool_calls: pieces } }] });
  assert.equal(long.collected().calls.length, 1);
  const took = performance.now() - begun;
  assert.ok(took < 3_000, `${Math.round(took)} ms`);
});
