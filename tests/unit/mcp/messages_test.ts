import assert from "node:assert/strict";
import { readLine } from "svc/mcp/messages.ts";

Deno.test("readLine tells requests from notifications, and drops what a message has not", () => {
  assert.deepEqual(readLine('{"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1},"more":2}'), {
    one: { request: { jsonrpc: "2.0", id: "a", method: "m", params: { x: 1 } } },
  });
  assert.deepEqual(readLine('{"jsonrpc":"2.0","method":"m"}'), {
    one: { notification: { jsonrpc: "2.0", method: "m" } },
  });
  assert.deepEqual(readLine('{"jsonrpc":"2.0","id":1,"result":{}}'), { one: { stray: true } });
  assert.deepEqual(readLine(" \r"), { nothing: true });
});

Deno.test("readLine answers what is no message with the code and the id that JSON-RPC has for it", () => {
  const fault = (line: string) => {
    const said = readLine(line);
    assert.ok("one" in said && "fault" in said.one, line);
    return [said.one.fault.error.code, said.one.fault.id];
  };
  assert.deepEqual(fault("{,}"), [-32700, null]);
  assert.deepEqual(fault("null"), [-32600, null]);
  assert.deepEqual(fault("[]"), [-32600, null]);
  assert.deepEqual(fault('{"id":7,"method":"m"}'), [-32600, 7]);
  assert.deepEqual(fault('{"jsonrpc":"2.0","id":7}'), [-32600, 7]);
  assert.deepEqual(fault('{"jsonrpc":"2.0","id":null,"method":"m"}'), [-32600, null]);
  assert.deepEqual(fault('{"jsonrpc":"2.0","id":{},"method":"m"}'), [-32600, null]);
  assert.deepEqual(fault('{"jsonrpc":"2.0","id":7,"method":"m","params":"x"}'), [-32600, 7]);
});

Deno.test("readLine never quotes a line that is no JSON", () => {
  assert.ok(!JSON.stringify(readLine('{"token":"ghp_secret')).includes("ghp_secret"));
});

Deno.test("readLine reads a batch entry by entry", () => {
  const said = readLine('[{"jsonrpc":"2.0","id":1,"method":"m"},3]');
  assert.ok("batch" in said);
  assert.deepEqual(said.batch.map((entry) => Object.keys(entry)[0]), ["request", "fault"]);
});
