/** Streamable HTTP: `@modelcontextprotocol/server-everything` of npm, and servers that redirect, flood or break off. */
import assert from "node:assert/strict";
import { httpFetch, MCP_ANSWER_BYTES } from "svc/features/tools/mcp/http_fetch.ts";
import { opened, published } from "./mcp_place.ts";

/** Starts the published server on a free port; resolves once it listens. */
async function everything() {
  const [program = "", ...args] = published("everything", "streamableHttp");
  const taken = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = taken.addr as Deno.NetAddr;
  taken.close();
  const env = { PORT: String(port) };
  const child = new Deno.Command(program, { args, env, stdout: "null", stderr: "piped" }).spawn();
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  for (let said = ""; !said.includes("listening");) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`it did not start: ${said}`);
    said += value;
  }
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
    },
  };
}

/** Notes what was asked; each request is answered by `answer`. */
function server(answer: (request: Request, body: string) => Response | Promise<Response>) {
  const asked: { method: string; authorization: string | null; path: string }[] = [];
  const http = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { method, headers, url } = request;
    asked.push({
      ...{ method, authorization: headers.get("authorization") },
      path: new URL(url).pathname,
    });
    return await answer(request, await request.text());
  });
  const url = `http://127.0.0.1:${http.addr.port}/mcp`;
  return { asked, url, [Symbol.asyncDispose]: () => http.shutdown() };
}

const TOOL = { name: "act", inputSchema: { type: "object" } };

/** A server in the fewest words; a call is answered by `call`. */
function answering(call: (id: unknown, args: unknown) => Response, tool: object = TOOL) {
  return (_: Request, body: string): Response => {
    if (body === "") return new Response(null, { status: 200 });
    const { id, method, params } = JSON.parse(body);
    const result = (value: object) => Response.json({ jsonrpc: "2.0", id, result: value });
    if (method === "initialize") {
      const { protocolVersion } = params;
      const serverInfo = { name: "few", version: "1" };
      return result({ protocolVersion, capabilities: { tools: {} }, serverInfo });
    }
    if (method === "tools/list") return result({ tools: [tool] });
    return method === "tools/call"
      ? call(id, params.arguments)
      : new Response(null, { status: 202 });
  };
}

Deno.test("server-everything over streamable HTTP", async () => {
  await using at = await everything();
  await using open = await opened([{ name: "all", url: at.url.replace("127.0.0.1", "localhost") }]);
  assert.equal(open.listed[0]!.reason, undefined);
  const echo = await open.call("all__echo", { message: "hello" });
  assert.match(echo.text, /Echo: hello/);
  assert.match((await open.call("all__get-sum", { a: 2, b: 3 })).text, /\b5\b/);
});

Deno.test("only the address of the config is asked, with the key of the variable", async () => {
  const text = (id: unknown) =>
    Response.json({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } });
  await using at = server(answering(text));
  const env = { DOCS_KEY: "key-of-docs-1" };
  await using open = await opened([{ name: "few", url: at.url, key_env: "DOCS_KEY" }], { env });
  assert.match((await open.call("few__act")).text, /done/);
  assert.deepEqual(new Set(at.asked.map(({ path }) => path)), new Set(["/mcp"]));
  assert.deepEqual(new Set(at.asked.map(({ method }) => method)), new Set(["POST"]));
  const keys = new Set(at.asked.map(({ authorization }) => authorization));
  assert.deepEqual(keys, new Set(["Bearer key-of-docs-1"]));
});

Deno.test("no redirect is followed, and no key goes with one", async () => {
  await using other = server(() => new Response("caught"));
  await using at = server(() => Response.redirect(other.url, 307));
  const env = { DOCS_KEY: "key-of-docs-1" };
  await using open = await opened([{ name: "few", url: at.url, key_env: "DOCS_KEY" }], { env });
  assert.match(open.listed[0]!.reason!, /it redirects elsewhere \(307\); give the final address/);
  assert.deepEqual(other.asked, []);
});

Deno.test("an address that takes no streamable HTTP is told as that, with the way out", async () => {
  for (const [status, said] of [[404, "Cannot POST /sse"], [405, ""]] as const) {
    await using at = server(() => new Response(said, { status }));
    await using open = await opened([{ name: "old", url: at.url }]);
    const [{ reason = "" }] = open.listed as [typeof open.listed[0]];
    assert.match(reason, new RegExp(`takes no streamable HTTP at this address \\(${status}\\)`));
    assert.match(reason, /HTTP\+SSE alone needs a command such as npx mcp-remote/);
    assert.ok(reason.endsWith(said), reason);
  }
});

Deno.test("a server that wants a login is not asked where; the reason says what it answered", async () => {
  const headers = { "www-authenticate": 'Bearer resource_metadata="http://127.0.0.1:1/x"' };
  await using at = server(() => new Response("no", { status: 401, headers }));
  await using open = await opened([{ name: "few", url: at.url }]);
  assert.match(
    open.listed[0]!.reason!,
    /Cannot use the server "few": .*wants another key or a login \(401\)/,
  );
  assert.deepEqual(new Set(at.asked.map(({ path }) => path)), new Set(["/mcp"]));
});

Deno.test("a server that takes requests to localhost alone, as npm @playwright/mcp does, is asked by that name", async () => {
  await using at = server((request, body) => {
    const host = request.headers.get("host");
    const { port } = new URL(request.url);
    if (host === `localhost:${port}`) return answering(() => Response.error())(request, body);
    return new Response(`Access is only allowed at localhost:${port}`, { status: 403 });
  });
  const named = at.url.replace("127.0.0.1", "localhost");
  await using open = await opened([{ name: "near", url: named }, { name: "far", url: at.url }]);
  assert.deepEqual(open.listed[0]!.tools, ["near__act"]);
  assert.match(
    open.listed[1]!.reason!,
    /it does not let svc in \(403\); .*\. It said: Access is only allowed at localhost:\d+$/,
  );
});

Deno.test("a fetch for a server asks no other address, also none of its own origin", async () => {
  await using at = server(() => new Response("caught"));
  const { signal } = new AbortController();
  const asked = httpFetch({ fetch, url: at.url, key: undefined, broken() {}, signal });
  for (const path of ["/.well-known/oauth-protected-resource", "/mcp/x", "/mcp?a=1"]) {
    await assert.rejects(asked(new URL(path, at.url)), /another address/);
  }
  assert.deepEqual(at.asked, []);
});

Deno.test("an answer ends with its signal where its connection does not", async () => {
  // Nothing more comes, and no fetch is tied to it.
  const silent = () =>
    Promise.resolve(
      new Response(new ReadableStream({ start: (sink) => sink.enqueue(new Uint8Array(1)) })),
    );
  const stop = new AbortController();
  const { signal } = stop;
  const url = "http://127.0.0.1:9/mcp";
  const asked = httpFetch({ fetch: silent, url, key: undefined, broken() {}, signal });
  const reader = (await asked(url)).body!.getReader();
  await reader.read();
  const more = reader.read();
  stop.abort(new Error("stopped"));
  await assert.rejects(more, /stopped/);
});

Deno.test("a server gets its parameters by its own names, whatever models call them", async () => {
  const inputSchema = { type: "object", properties: { "$top": { type: "integer" } } };
  const told: unknown[] = [];
  await using at = server(answering((id, args) => {
    told.push(args);
    return Response.json({ jsonrpc: "2.0", id, result: { content: [] } });
  }, { name: "act", inputSchema }));
  await using open = await opened([{ name: "few", url: at.url }]);
  assert.deepEqual(Object.keys(open.tools[0]!.parameters!["properties"]!), ["top"]);
  for (const args of [{ top: 3 }, { "$top": 4 }]) await open.call("few__act", args);
  assert.deepEqual(told, [{ "$top": 3 }, { "$top": 4 }]);
});

const endless = () => {
  const part = new TextEncoder().encode(`: ${"x".repeat(65_534)}`);
  return new ReadableStream({ pull: (sink) => sink.enqueue(part) });
};
const sse = (body: BodyInit) =>
  new Response(body, { headers: { "content-type": "text/event-stream" } });

/** More than half of what an answer may have, and a request of the server's own; each once the one before was answered. */
function pinging() {
  const pad = new TextEncoder().encode(`: ${"x".repeat(MCP_ANSWER_BYTES / 2)}\n`);
  let answered = Promise.withResolvers<void>();
  let pings = 0;
  answered.resolve();
  const flood = () =>
    sse(
      new ReadableStream({
        async pull(sink) {
          await answered.promise;
          answered = Promise.withResolvers();
          sink.enqueue(pad);
          const ping = JSON.stringify({ jsonrpc: "2.0", id: `ping${++pings}`, method: "ping" });
          sink.enqueue(new TextEncoder().encode(`data: ${ping}\n\n`));
        },
      }),
    );
  const asked = answering(flood);
  return (request: Request, body: string): Response => {
    if (body.includes('"id":"ping')) answered.resolve();
    return asked(request, body);
  };
}

Deno.test("an answer has no more bytes because svc answers requests of the server meanwhile", async () => {
  await using at = server(pinging());
  await using open = await opened([{ name: "few", url: at.url, timeout_seconds: 10 }]);
  await assert.rejects(open.call("few__act"), { message: /its answer is longer than/ });
});

const FAULTS: Readonly<Record<string, readonly [answer: (id: unknown) => Response, told: RegExp]>> =
  {
    "floods an event stream": [() => sse(endless()), /its answer is longer than 8388608 bytes/],
    "floods JSON": [
      () => new Response(endless(), { headers: { "content-type": "application/json" } }),
      /its answer is longer than 8388608 bytes/,
    ],
    "breaks off": [() => sse("data: {"), /: .*its answer broke off$/],
    "answers HTML": [
      () => new Response("<p>", { headers: { "content-type": "text/html" } }),
      /few.*content type/i,
    ],
    "answers somebody else": [
      (id) => Response.json({ jsonrpc: "2.0", id: `${id}x`, result: { content: [] } }),
      /did not answer/,
    ],
    "is broken": [() => new Response("sorry", { status: 500 }), /500|sorry/],
  };

for (const [name, [answer, told]] of Object.entries(FAULTS)) {
  Deno.test(`a server that ${name} costs one call`, async () => {
    await using at = server(answering(answer));
    await using open = await opened([{ name: "few", url: at.url, timeout_seconds: 1 }]);
    assert.deepEqual(open.listed[0]!.tools, ["few__act"]);
    await assert.rejects(open.call("few__act"), { code: "failed", message: told });
  });
}
