import assert from "node:assert/strict";
import type { Authority } from "svc/platform/confined/give_up.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const program = decodeURIComponent(new URL("../../../kit/gives_up.ts", import.meta.url).pathname);

async function deno(...args: string[]) {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      "--no-prompt",
      "--quiet",
      "--unstable-worker-options",
      ...args,
    ],
  }).output();
  return { out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
}

async function attempts(authority: Authority) {
  await using folder = await tempFolder();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(""),
  );
  const { out, err } = await deno(program, authority, String(server.addr.port), folder.path);
  assert.ok(out.startsWith("{"), err);
  return JSON.parse(out) as { still?: string; done: string[] };
}

const NETWORK = [
  "fetch",
  "connect",
  "listen",
  "node:net",
  "node:dgram",
  "another thread",
  "a program's connection",
];
const REST = ["a program", "write", "sys", "ffi", "hold a folder"];
const BARE = ["read", "load a module"];

Deno.test("what keeps everything can do all of it", async () => {
  assert.deepEqual(await attempts("whole"), { done: [...NETWORK, ...REST, ...BARE] });
});

Deno.test({
  name: "offline: no thread and no program reaches a network, and folders are still held",
  ignore: Deno.build.os !== "linux",
  fn: async () => assert.deepEqual(await attempts("offline"), { done: [...REST, ...BARE] }),
});

Deno.test("output: nothing is left but to read", async () => {
  assert.deepEqual(await attempts("output"), { done: BARE });
});

Deno.test({
  name: "Deno: whoever revokes one permission can hold no folder, and a path is not revoked at all",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const holds =
      'try { Deno.readDirSync("/proc/self/fd"); print("held") } catch { print("lost") }';
    const script = (revoke: string) => `const print = console.log; ${revoke}; ${holds}`;
    const run = async (revoke: string) =>
      (await deno("data:text/javascript," + encodeURIComponent(script(revoke)))).out.trim();
    const kinds = ["net", "ffi", "sys", "run", "write"];
    const after = await Promise.all(
      kinds.map((kind) => run(`Deno.permissions.revokeSync({ name: "${kind}" })`)),
    );
    assert.deepEqual(after, kinds.map(() => "lost"));
    const path = 'print(Deno.permissions.revokeSync({ name: "write", path: "/tmp" }).state)';
    assert.equal(await run(path), "granted\nheld");
  },
});
