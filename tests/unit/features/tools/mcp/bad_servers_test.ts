/** A server that hangs, lies, floods or dies costs one call, and leaves nothing behind. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { redactor } from "svc/core/redact.ts";
import { answerOf } from "svc/features/tools/mcp/answer.ts";
import { offerTools } from "svc/features/tools/mcp/offer.ts";
import { mcpCapability, shareRoom } from "svc/features/tools/mcp/open_servers.ts";
import type { Run } from "svc/platform/process/child.ts";
import { alive } from "tests/kit/shell_run.ts";
import { until } from "tests/kit/until.ts";
import { bad, opened } from "./mcp_place.ts";

const failed = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (thrown) {
    assert.ok(thrown instanceof Failure, String(thrown));
    assert.equal(thrown.code, "failed");
    return thrown.message;
  }
  assert.fail("it did not fail");
};

const FAULTS: Readonly<Record<string, RegExp>> = {
  "hangs": /^Cannot use the server "bad": it did not answer within 1 s$/,
  "dies": /it ended with exit code 9/,
  "lies": /Cannot use the server "bad": .*(?:content|[Ii]nvalid)/,
  "floods": /it sent more than it was asked for/,
  // What svc answers to its requests gives its own answer no more bytes.
  "pings": /it sent more than it was asked for/,
  "one-long-line": /it sent more than it was asked for/,
  "garbage": /it writes what is no message/,
};

for (const [fault, told] of Object.entries(FAULTS)) {
  Deno.test(`a server that ${fault}: one failed call after the other, then it is given up`, async () => {
    await using open = await opened([
      { name: "bad", command: bad(fault), timeout_seconds: fault === "hangs" ? 1 : 60 },
    ]);
    assert.deepEqual(open.listed[0]!.tools, ["bad__act"]);
    assert.match(await failed(open.call("bad__act", { text: "it" })), told);
    if (fault !== "hangs") assert.match(await failed(open.call("bad__act")), told);
    await open[Symbol.asyncDispose]();
    assert.equal(await open.sweep(), 0);
  });
}

Deno.test("a server that broke three times is not started again", async () => {
  await using open = await opened([{ name: "bad", command: bad("dies") }]);
  for (let times = 0; times < 3; times++) {
    assert.match(await failed(open.call("bad__act")), /exit code 9/);
  }
  assert.match(await failed(open.call("bad__act")), /it broke 3 times/);
});

Deno.test("servers that do not start are listed with the reason, without secrets; others go on", async () => {
  const env = { BAD_TOKEN: "hush-hush-123" };
  const waits = 'echo "npm asks with $BAD_TOKEN" >&2; exec sleep 1000';
  await using open = await opened([
    { name: "dead", command: bad("dies-at-once"), env: ["BAD_TOKEN"] },
    { name: "mute", command: ["sh", "-c", waits], env: ["BAD_TOKEN"], start_seconds: 2 },
    { name: "gone", command: ["no-such-program-here"] },
    { name: "keyless", command: bad("nothing"), env: ["NOT_SET_HERE"] },
    { name: "good", command: bad("nothing") },
  ], { env });
  const reasons = open.listed.map(({ reason }) => reason ?? "");
  assert.match(reasons[0]!, /it ended with exit code 3; it said last: cannot go on: \[redacted\]/);
  assert.match(
    reasons[1]!,
    /"mute": it did not answer within 2 s, its start_seconds of the config;/,
  );
  assert.match(reasons[1]!, /; it said last: npm asks with \[redacted\]$/);
  assert.match(reasons[2]!, /Cannot run "no-such-program-here": no such program on PATH/);
  assert.match(reasons[3]!, /"keyless": NOT_SET_HERE is not set/);
  assert.deepEqual(open.tools.map(({ name }) => name), ["good__act"]);
  assert.match((await open.call("good__act", { text: "it" })).text, /did it/);
});

Deno.test("a server of the network whose key is not set is asked nothing", async () => {
  const asked: string[] = [];
  const fetch = (to: string | URL | Request) => {
    asked.push(String(to));
    return Promise.reject(new Error("nobody is there"));
  };
  const server = { name: "far", url: "http://127.0.0.1:9/", key_env: "NOT_SET_HERE" };
  await using open = await opened([server], { fetch: fetch as typeof globalThis.fetch });
  assert.match(open.listed[0]!.reason!, /"far": NOT_SET_HERE is not set/);
  assert.deepEqual(asked, []);
  await using keyed = await opened([server], {
    ...{ fetch: fetch as typeof globalThis.fetch, env: { NOT_SET_HERE: "set-by-now" } },
  });
  assert.match(keyed.listed[0]!.reason!, /nobody is there/);
  assert.deepEqual([...new Set(asked)], ["http://127.0.0.1:9/"]);
});

Deno.test("a server runs in the sandbox unless its config says otherwise, and with the tree of the job", async () => {
  const contained: unknown[] = [];
  const servers = [
    { name: "in", command: ["no-such-program-here"] },
    { name: "out", command: ["no-such-program-here"], sandbox: "off" as const },
  ];
  const ran = ({ contain }: Run) => void contained.push(contain);
  await using _job = await opened(servers, { ran, commonDir: "/tmp/repo/.git" });
  await using _looked = await opened(servers, { ran });
  const inTree = { step: "servers", tree: "/tmp/the tree", commonDir: "/tmp/repo/.git" };
  assert.deepEqual(contained, [
    ...[{ ...inTree, outside: false }, { ...inTree, outside: true }],
    ...[{ step: "servers", outside: false }, { step: "servers", outside: true }],
  ]);
});

Deno.test("a server is the right to run programs, or to reach the network", () => {
  assert.equal(mcpCapability({}), "exec");
  assert.equal(mcpCapability({ url: "https://mcp.example.org/" }), "net");
});

Deno.test("a description shows no half of a secret where it is cut, and no half of a character", () => {
  const redact = redactor(["hush-hush-123"]);
  const plan = { server: "far", wanted: undefined, taken: new Map(), redact, roomBytes: 99_999 };
  const about = (description: string) =>
    offerTools([{ name: "act", description, inputSchema: { type: "object" } }], plan)
      .tools[0]!.about;
  assert.doesNotMatch(about(`${"x".repeat(994)}hush-hush-123`), /hush/);
  assert.match(about(`${"x".repeat(999)}😀 and more`), /xxx…$/);
});

Deno.test("an answer's link shows no half of a secret where it is cut, and no half of a character", () => {
  const redact = redactor(["hush-hush-123"]);
  const link = (uri: string) => {
    const part = { type: "resource_link" as const, name: "far", uri };
    return answerOf("bad", { content: [part] }, redact).text;
  };
  assert.doesNotMatch(link(`https://far.example/${"x".repeat(275)}hush-hush-123`), /hush/);
  assert.match(link(`${"x".repeat(299)}😀 and more`), /xxx…\]/);
});

Deno.test("a failure of a server shows no half of a secret where it is cut", async () => {
  const [key, cut] = ["hush-hush-123", 600];
  const told = async (before: number) => {
    const failing = () => Promise.reject(new TypeError("x".repeat(before) + key));
    const server = { name: "far", url: "https://mcp.example.org/", key_env: "FAR_KEY" };
    await using open = await opened([server], { env: { FAR_KEY: key }, fetch: failing });
    return open.listed[0]!.reason ?? "";
  };
  // How much stands before the words of the network is the package's matter.
  const reasons: string[] = [];
  for (let before = cut; before > cut - 100; before -= 6) reasons.push(await told(before));
  assert.ok(reasons.some((reason) => reason.endsWith("…")), reasons.at(-1));
  for (const reason of reasons) assert.doesNotMatch(reason, /xh/);
});

Deno.test("a list of tools is bounded: names, parameters, number, room", async () => {
  await using open = await opened([{ name: "bad", command: bad("bad-list") }]);
  const [{ tools, leftOut }] = open.listed as [typeof open.listed[0]];
  assert.equal(tools.length, 64);
  assert.deepEqual(tools.slice(0, 3), ["bad__act", "bad__more0", "bad__more1"]);
  const reasons = Object.fromEntries(leftOut.map(({ name, reason }) => [name, reason]));
  assert.match(reasons["bad.a.ct"]!, /another tool of the server has that name/);
  assert.match(reasons["bad.a ct"]!, /another tool of the server has that name/);
  assert.match(reasons[`bad.${"x".repeat(80)}`]!, /longer than 64/);
  assert.match(reasons["bad.deep"]!, /nested too deeply/);
  assert.match(reasons["bad.no-fields"]!, /no JSON Schema of an object/);
  assert.match(reasons["bad.large"]!, /take \d+ bytes/);
  assert.match(reasons["bad.more99"]!, /only 64/);
  await using small = await opened([{ name: "bad", command: bad("bad-list") }], {
    windowTokens: 1_000,
  });
  assert.ok(small.tools.length > 0 && small.tools.length < 10, String(small.tools.length));
});

Deno.test("servers share the room: what one needs less, or does not start for, others have", async () => {
  assert.deepEqual(shareRoom([10, 500, 0, 300], 600), [10, 295, 0, 295]);
  assert.deepEqual(shareRoom([10, 500, 300], 2_000), [10, 500, 300]);
  const windowTokens = 4_000;
  const large = { name: "large", command: bad("bad-list") };
  await using alone = await opened([large], { windowTokens });
  await using among = await opened([
    ...[{ name: "small", command: bad("nothing") }, { name: "dead", command: bad("dies-at-once") }],
    large,
  ], { windowTokens });
  const [small, , most] = among.listed;
  assert.deepEqual(small!.tools, ["small__act"]);
  // Room for one tool went to the small server.
  assert.ok(most!.tools.length >= alone.tools.length - 2, `${most!.tools.length} tools`);
});

Deno.test("a server whose name makes its tool one of svc's is left out, and what it says is cleaned", async () => {
  await using open = await opened([
    { name: "file", command: bad("nothing"), tools: ["act"] },
    { name: "f-i", command: bad("nothing") },
  ]);
  const { about } = open.tools[0]!;
  assert.equal(about, "[tool of file] Acts now");
  const { offerTools } = await import("svc/features/tools/mcp/offer.ts");
  const inputSchema = { type: "object" as const };
  const { tools, leftOut } = offerTools([{ name: "read", inputSchema }], {
    ...{ server: "file", wanted: undefined, redact: (text: string) => text, roomBytes: 9_999 },
    taken: new Map([["file_read", {}]]),
  });
  assert.deepEqual(tools, []);
  assert.deepEqual(leftOut, [{ name: "file.read", reason: "its name is that of file_read" }]);
});

Deno.test("a program gets the allow-list and what the config names, and starts outside the repo", async () => {
  const env = { ASKED_TOKEN: "asked-value-1", OTHER_TOKEN: "never", LD_PRELOAD: "x" };
  await using open = await opened([
    { name: "bad", command: bad("tells", "{tree}/a"), env: ["ASKED_TOKEN"] },
  ], { env, folder: "/var/tmp" });
  const { text } = await open.call("bad__act");
  const [, told = "{}"] = /```text\n(\{.*?\}) /.exec(text) ?? [];
  const seen = Object.keys(JSON.parse(told)).sort();
  assert.deepEqual(seen, ["ASKED_TOKEN", "HOME", "PATH", "SVC_JOB_ID"]);
  assert.match(text, /\/var\/tmp tells \/tmp\/the tree\/a/);
  assert.doesNotMatch(open.redact(text), /asked-value-1/);
});

Deno.test("a nested answer is as long as the server sent it, or left out", async () => {
  await using open = await opened([{ name: "bad", command: bad("nests") }]);
  const { text } = await open.call("bad__act");
  assert.match(text, /\{"wire":\[{3000}1,1,/);
  assert.ok(text.length < 20_000, String(text.length));
  let deep: unknown = 1;
  for (let left = 50_000; left > 0; left--) deep = { 1: deep };
  const answer = answerOf("bad", { content: [], structuredContent: { deep } }, redactor([]));
  assert.match(answer.text, /nested too deeply: left out/);
});

Deno.test("a server that logs to its output in each call is not ended for the lines of all calls", async () => {
  await using open = await opened([{ name: "bad", command: bad("chats") }]);
  for (const text of ["one", "two", "three"]) {
    assert.match((await open.call("bad__act", { text })).text, new RegExp(`did ${text}`));
  }
});

Deno.test("a program may answer in a line as long as an answer may be", async () => {
  await using open = await opened([{ name: "bad", command: bad("long-answer") }]);
  const { text } = await open.call("bad__act");
  assert.ok(text.length > 5 * 1024 * 1024, String(text.length));
});

Deno.test("what a server leaves running ends with it", async () => {
  await using open = await opened([{ name: "bad", command: bad("leaves-children") }]);
  const [, pid] = /did pid (\d+)/.exec((await open.call("bad__act")).text) ?? [];
  assert.ok(alive(Number(pid)), pid);
  await open[Symbol.asyncDispose]();
  await until(() => !alive(Number(pid)), () => `${pid} still alive`);
});

Deno.test("a server that asks the model for something is refused, and its call goes on", async () => {
  await using open = await opened([{ name: "bad", command: bad("asks-back") }]);
  assert.match((await open.call("bad__act", { text: "it" })).text, /did it/);
});

Deno.test("an error that a server answers, as npm fastmcp does to wrong arguments, is its tool's answer", async () => {
  await using open = await opened([{ name: "bad", command: bad("refuses") }]);
  for (let calls = 0; calls < 5; calls++) {
    const { ok, text } = await open.call("bad__act", { text: "" });
    assert.equal(ok, false);
    assert.match(text, /^The tool of the server "bad" failed\. Its answer, .*:\n```text\n/);
    assert.match(text, /Invalid arguments: "text" is too short/);
  }
});

Deno.test("a cancelled job ends its call at once", async () => {
  await using open = await opened([{ name: "bad", command: bad("hangs") }]);
  const abort = new AbortController();
  const call = open.call("bad__act", {}, abort.signal);
  abort.abort(new Failure("interrupted", "Interrupted"));
  await assert.rejects(call, { code: "interrupted" });
});

Deno.test("a tool that a server lists in its own way costs none of the others", async () => {
  await using open = await opened([{ name: "bad", command: bad("odd-list") }]);
  const [{ reason, tools, leftOut }] = open.listed as [typeof open.listed[0]];
  assert.equal(reason, undefined);
  assert.deepEqual(tools, ["bad__act", "bad__union", "bad__go", "bad__bare", "bad__rows"]);
  assert.deepEqual(leftOut, [
    { name: "bad.text", reason: "its parameters are no JSON Schema of an object" },
    { name: "bad.task", reason: "it can be called as a task alone, which svc does not do" },
    { name: "bad.", reason: "it has no name" },
    { name: "bad.", reason: "it has no name" },
  ]);
  const parameters = open.tools.map((tool) => tool.parameters) as Record<string, unknown>[];
  for (const { type } of parameters) assert.equal(type, "object");
  assert.deepEqual(Object.keys(parameters[1]!["properties"] as object), ["a", "b"]);
  assert.equal((await open.call("bad__union", { text: "it" })).ok, true);
});

Deno.test("a server that answers with the same page for ever has that one", async () => {
  await using open = await opened([{ name: "bad", command: bad("one-page") }]);
  assert.deepEqual(open.listed, [{ name: "bad", tools: ["bad__act"], leftOut: [] }]);
});

const ODD_ANSWERS: readonly (readonly [object, RegExp])[] = [
  [{ structuredContent: { rows: [1] } }, /\n\{"rows":\[1\]\}\n/],
  // What protocol 2026-07-28 allows and those before do not: a list.
  [{ content: null, structuredContent: [1, 2] }, /\n\[1,2\]\n/],
  [{ content: [], structuredContent: null, isError: null }, /^It answered nothing\.$/],
  [{ content: [{ type: "json", json: { a: 1 } }] }, /\n\{"type":"json","json":\{"a":1\}\}\n/],
  [{ content: [{ type: "text", text: "did", annotations: null }] }, /\ndid\n/],
  [{ content: ["did", { type: "image", data: "aGk=" }] }, /\n"did"\n\[image , 3 bytes/],
];

for (const [answer, shown] of ODD_ANSWERS) {
  Deno.test(`what a call did is shown, also as ${JSON.stringify(answer)}`, async () => {
    await using open = await opened([{ name: "bad", command: bad("odd-answer") }]);
    const { ok, text } = await open.call("bad__act", { text: JSON.stringify(answer) });
    assert.equal(ok, true);
    assert.match(text, shown);
  });
}

Deno.test("an answer without what the tool's schema of answers wants is shown as it came", async () => {
  await using open = await opened([{ name: "bad", command: bad("forgets-its-schema") }]);
  const { ok, text } = await open.call("bad__act", { text: "it" });
  assert.equal(ok, true);
  assert.match(text, /\ndid it\n/);
});
