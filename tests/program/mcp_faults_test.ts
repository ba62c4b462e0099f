/** `svc mcp serve` with clients that err and flood. */
import assert from "node:assert/strict";
import { MCP_LINE_BYTES } from "svc/core/bounds.ts";
import { type Said, served } from "./mcp_client.ts";

Deno.test("a line that is too long, or no JSON, or no message, is answered and passed over", async () => {
  await using at = await served();
  const { client } = at;
  await client.initialize();
  await client.raw(new Uint8Array(MCP_LINE_BYTES * 4).fill(0x61));
  await client.raw("\n");
  const errors: readonly (readonly [string | Uint8Array, number, Said["id"]])[] = [
    ["{", -32700, null],
    ['{"jsonrpc":"2.0","id":1,"method":"a\u0000b"}', -32700, null],
    [Uint8Array.of(0x22, 0xff, 0x22), -32700, null],
    ["3", -32600, null],
    ["[]", -32600, null],
    ['[{"jsonrpc":"2.0","id":"in","method":"ping"}]', -32600, null],
    ['{"id":"a","method":"ping"}', -32600, "a"],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":"b"}', -32600, "b"],
    ['{"jsonrpc":"2.0","id":"c","method":"ping","params":[1]}', -32600, "c"],
    ['{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"_meta":7}}', -32602, "d"],
  ];
  for (const [line] of errors) {
    await client.raw(line);
    await client.raw("\r\n \n");
  }
  await client.raw('\ufeff{"jsonrpc":"2.0","id":"ok","method":"ping","more":{"__proto__":1}}\r\n');
  await client.until(({ id }) => id === "ok");
  const faults = (client.lines as readonly Said[]).filter(({ error }) => error !== undefined);
  assert.deepEqual(
    faults.map(({ id, error }) => [error!.code, id]),
    [[-32600, null], ...errors.map(([, code, id]) => [code, id])],
  );
});

Deno.test("wrong arguments are a result of the tool, other wrong params an error with the field", async () => {
  await using at = await served();
  const { client } = at;
  const errors: readonly (readonly [string, unknown, RegExp])[] = [
    ["initialize", undefined, /^"params": .*object/],
    ["initialize", { protocolVersion: 7 }, /^"params\.protocolVersion": .*string/],
    ["tools/call", undefined, /^"params": .*object/],
    ["tools/call", { name: 7 }, /^"params\.name": .*string/],
    ["tools/list", { cursor: 7 }, /^"params\.cursor": .*string/],
  ];
  for (const [method, params, wanted] of errors) {
    const { error } = await client.ask(method, params);
    assert.equal(error?.code, -32602, method);
    assert.match(error!.message, wanted);
  }
  await client.initialize();
  for (const args of ["x", [1], 7, true, null]) {
    const { result } = await client.call("file_read", args);
    assert.deepEqual([result.isError, result._meta["svc/status"]], [true, "invalid"]);
    assert.match(result.content[0].text, /^Cannot call file_read: wrong arguments\n/);
    assert.match(result.content[0].text, /file_read takes \{"path": string/);
  }
  // The mender of JSON is loaded by the Worker that the tools run in.
  const { result } = await client.call("file_read", "{'filePath': 'README.md',}");
  assert.deepEqual([result.isError, result._meta["svc/status"]], [undefined, "ok"]);
  assert.deepEqual(result._meta["svc/facts"].repairs, ["json", "key:filePath=path"]);
});

Deno.test("a batch of 2025-03-26 is answered in one line; later revisions have none", async () => {
  await using at = await served();
  const { client } = at;
  assert.equal((await client.initialize("2025-03-26")).result.protocolVersion, "2025-03-26");
  const params = { name: "file_read", arguments: { path: "README.md" } };
  await client.say([
    { jsonrpc: "2.0", id: "read", method: "tools/call", params },
    { jsonrpc: "2.0", method: "notifications/none" },
    { jsonrpc: "2.0", id: "ping", method: "ping" },
    7,
    { jsonrpc: "2.0", id: "late", method: "initialize", params: {} },
  ]);
  await client.say([{ jsonrpc: "2.0", method: "notifications/none" }]);
  await client.batch();
  await client.call("git_status");
  const batches = client.lines.filter((line) => Array.isArray(line)) as Said[][];
  assert.equal(batches.length, 1);
  const ids = batches[0]!.map(({ id, error }) => [id, error?.code]);
  assert.deepEqual(
    new Map(ids as [string | null, number | undefined][]),
    new Map<string | null, number | undefined>([
      [null, -32600],
      ["late", -32600],
      ["ping", undefined],
      ["read", undefined],
    ]),
  );
});

/** A generator of numbers below `n`, the same in each run (Numerical Recipes' LCG). */
function dice(seed: number) {
  let state = seed;
  return (n: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * n);
  };
}

/** A message with something wrong in it, most of the time. */
function mutated(roll: (n: number) => number, at: number): Uint8Array {
  const seeds = [
    `{"jsonrpc":"2.0","id":"f${at}","method":"tools/call","params":{"name":"file_read","arguments":{"path":"README.md"}}}`,
    `{"jsonrpc":"2.0","id":"f${at}","method":"tools/list","params":{"cursor":"${
      "x".repeat(roll(50))
    }"}}`,
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"f${at - 1}"}}`,
    `{"jsonrpc":"2.0","id":"f${at}","method":"initialize","params":{"protocolVersion":${roll(9)}}}`,
    `{"jsonrpc":"2.0","id":"f${at}","result":{}}`,
    `[{"jsonrpc":"2.0","id":"f${at}","method":"ping"},${"[".repeat(roll(5000))}`,
    `{"jsonrpc":"2.0","id":"f${at}","method":"tools/call","params":{"name":"grep","arguments":{"__proto__":{"path":"/"},"pattern":"(((("}}}`,
    `{"jsonrpc":"2.0","id":"f${at}","method":"ping","params":${"[".repeat(3000)}${
      "]".repeat(3000)
    }}`,
  ];
  const bytes = [...new TextEncoder().encode(seeds[roll(seeds.length)]!)];
  for (let changes = roll(4); changes > 0; changes--) {
    const place = roll(bytes.length);
    const byte = roll(256);
    if (roll(2) === 0) bytes[place] = byte;
    else bytes.splice(place, roll(20), byte);
  }
  return Uint8Array.from([...bytes.map((byte) => byte === 0x0a ? 0x20 : byte), 0x0a]);
}

Deno.test("2,000 faulty lines leave a server that answers", async () => {
  await using at = await served();
  const { client } = at;
  await client.initialize();
  const roll = dice(20261121);
  for (let at = 0; at < 2000; at++) await client.raw(mutated(roll, at));
  const read = await client.call("file_read", { path: "README.md" });
  assert.match(read.result.content[0].text, /# Shop/);
  for (const line of client.lines) assert.equal((line as Said).jsonrpc, "2.0");
  assert.equal((await client.close()).code, 0);
});
