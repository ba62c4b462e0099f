/** `svc mcp serve` with clients that cancel, read slowly and leave: what runs ends, and so does the server. */
import assert from "node:assert/strict";
import { exists, until } from "tests/kit/until.ts";
import { HOST, type Said, type Served, served } from "./mcp_client.ts";

const EVERYTHING = { flags: ["--trust", "contributor", ...HOST] };

/** Starts a command that runs until it is ended, as request "long"; gives its process. */
async function startLong({ repo, client }: Served): Promise<number> {
  const args = { argv: ["echo $$ > made; mv made pid; sleep 600 & wait"], shell: true };
  const params = { name: "command_run", arguments: args, _meta: { progressToken: "long" } };
  await client.say({ jsonrpc: "2.0", id: "long", method: "tools/call", params });
  const made = until(() => exists(`${repo.path}/pid`), () => "no command that began");
  const refused = client.until(({ id }) => id === "long");
  const early = await Promise.race([made, refused]);
  refused.catch(() => {}); // it is never answered, until the server ends
  assert.equal(early, undefined, JSON.stringify(early));
  return Number(await repo.read("pid"));
}

/** No process of its group runs; one that has ended may wait for its parent (proc_pid_stat(5)). */
function gone(leader: number): boolean {
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = Deno.readTextFileSync(`/proc/${name}/stat`);
      const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(group) === leader && state !== "Z") return false;
    } catch (_) { // it ended while it was looked at
    }
  }
  return true;
}

Deno.test("a cancelled call ends with all its processes, is not answered, and others go on", async () => {
  await using at = await served(EVERYTHING);
  const { client } = at;
  await client.initialize();
  const pid = await startLong(at);
  assert.ok(!gone(pid));
  const { params } = await client.until(({ method }) => method === "notifications/progress");
  assert.equal(params!["progressToken"], "long");
  assert.match(String(params!["message"]), /^running echo/);
  const method = "notifications/cancelled";
  await client.say({ jsonrpc: "2.0", method, params: { requestId: "long", reason: "enough" } });
  // One call that changes something at a time: this one runs when the other has ended.
  assert.equal((await client.call("command_run", { argv: ["true"] })).result.isError, undefined);
  assert.ok(gone(pid));
  assert.ok(!client.lines.some((line) => (line as Said).id === "long"));
});

Deno.test("the end of its input ends running calls and the server, quietly", async () => {
  await using at = await served(EVERYTHING);
  await at.client.initialize();
  const pid = await startLong(at);
  const { code, stderr } = await at.client.close();
  assert.deepEqual([code, stderr, gone(pid)], [0, "", true]);
});

Deno.test("TERM ends running calls and the server, quietly", async () => {
  await using at = await served(EVERYTHING);
  await at.client.initialize();
  const pid = await startLong(at);
  at.client.kill("SIGTERM");
  const { code, stderr } = await at.client.ended();
  assert.deepEqual([code, stderr, gone(pid)], [0, "", true]);
});

Deno.test("a client that reads no more ends the server, quietly", async () => {
  await using at = await served();
  await at.client.initialize();
  await at.client.leave();
  for (let id = 0; id < 2; id++) {
    await at.client.say({ jsonrpc: "2.0", id, method: "ping" }).catch(() => {}); // it may be gone
  }
  const { code, stderr } = await at.client.ended();
  assert.deepEqual([code, stderr], [0, ""]);
});

Deno.test("requests that came before the end of input are answered", async () => {
  await using at = await served();
  const { client } = at;
  const hello = client.ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  const read = client.call("file_read", { path: "README.md" });
  const [{ code }] = await Promise.all([client.close(), hello, read]);
  assert.equal(code, 0);
  assert.match((await read).result.content[0].text, /# Shop/);
});

Deno.test("a slow reader gets every answer whole", async () => {
  const { promise: readFrom, resolve: read } = Promise.withResolvers<void>();
  const files = { "long.txt": "0123456789 abcdefghij\n".repeat(1500) };
  await using at = await served({ readFrom, files });
  const { client } = at;
  const hello = client.initialize();
  const calls = Array.from({ length: 40 }, () => client.call("file_read", { path: "long.txt" }));
  await client.raw("\n");
  read();
  await hello;
  for (const { result } of await Promise.all(calls)) {
    assert.ok(result.content[0].text.length > 30_000);
  }
});
