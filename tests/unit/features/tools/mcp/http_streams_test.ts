/** Streams and sessions of streamable HTTP, with the transport of npm `@modelcontextprotocol/server` on the other side. */
import assert from "node:assert/strict";
import {
  type JSONRPCMessage,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { opened } from "./mcp_place.ts";

/** Keeps what a stream was sent, as the SDK's own example does. */
function events() {
  const kept: { id: string; stream: string; message: JSONRPCMessage }[] = [];
  return {
    storeEvent(stream: string, message: JSONRPCMessage) {
      const id = `${stream}_${kept.length}`;
      kept.push({ id, stream, message });
      return Promise.resolve(id);
    },
    async replayEventsAfter(
      last: string,
      { send }: { send(id: string, message: JSONRPCMessage): Promise<void> },
    ) {
      const at = kept.findIndex(({ id }) => id === last);
      const { stream } = kept[at]!;
      for (const event of kept.slice(at + 1)) {
        if (event.stream === stream) await send(event.id, event.message);
      }
      return stream;
    },
  };
}

/** A server that closes the stream of each call before its answer. */
async function server() {
  const methods: string[] = [];
  let resumes = true;
  const { promise: left, resolve: leave } = Promise.withResolvers<string>();
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessionclosed: leave,
    eventStore: events(),
    retryInterval: 1,
  });
  const sdk = new Server({ name: "streams", version: "1" }, { capabilities: { tools: {} } });
  sdk.setRequestHandler("tools/list", () => ({
    tools: [{ name: "act", inputSchema: { type: "object" as const } }],
  }));
  sdk.setRequestHandler("tools/call", (_, { http }) => {
    // The transport answers on whichever stream the client opens next.
    http?.closeSSE?.();
    return { content: [{ type: "text", text: "done" }] };
  });
  await sdk.connect(transport);
  const http = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    methods.push(request.method);
    if (request.method === "GET" && !resumes) return new Response(null, { status: 500 });
    return await transport.handleRequest(request);
  });
  return {
    ...{ methods, left },
    refuse: () => resumes = false,
    url: `http://localhost:${http.addr.port}/mcp`,
    async [Symbol.asyncDispose]() {
      await sdk.close();
      await http.shutdown();
    },
  };
}

Deno.test("an answer whose stream a server closes is asked for again, and the session ends with the job", async () => {
  await using at = await server();
  {
    await using open = await opened([{ name: "far", url: at.url }]);
    assert.match((await open.call("far__act")).text, /done/);
    assert.match((await open.call("far__act")).text, /done/);
    assert.equal(at.methods.filter((method) => method === "GET").length, 2);
  }
  assert.notEqual(await at.left, "");
  assert.equal(at.methods.at(-1), "DELETE");
});

Deno.test("an answer that cannot be had again fails its call, long before the call's time is over", async () => {
  await using at = await server();
  await using open = await opened([{ name: "far", url: at.url }]);
  at.refuse();
  await assert.rejects(open.call("far__act"), {
    code: "failed",
    message: /^Cannot use the server "far": .*its answer broke off$/,
    remedy: /^The next call starts it anew/,
  });
});

/** A server whose sessions end after so many calls, as those do that are idle for long or whose server starts anew. */
function forgetful(
  calls: number,
  gone = () => new Response("Session not found", { status: 404 }),
) {
  const sessions = new Map<
    string,
    { transport: WebStandardStreamableHTTPServerTransport; left: number }
  >();
  const done: string[] = [];
  let begun = 0;
  const begin = async () => {
    begun++;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, { transport, left: calls }),
    });
    const sdk = new Server({ name: "forgetful", version: "1" }, { capabilities: { tools: {} } });
    sdk.setRequestHandler("tools/list", () => ({
      tools: [{ name: "act", inputSchema: { type: "object" as const } }],
    }));
    sdk.setRequestHandler("tools/call", ({ params }) => {
      done.push(String(params.arguments?.["word"]));
      return { content: [{ type: "text", text: "done" }] };
    });
    await sdk.connect(transport);
    return transport;
  };
  const http = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return await (await begin()).handleRequest(request);
    const session = sessions.get(id);
    const body = await request.clone().text();
    const isCall = body.includes("tools/call");
    if (session === undefined || (isCall && session.left-- <= 0)) {
      sessions.delete(id);
      return gone();
    }
    return await session.transport.handleRequest(request);
  });
  return {
    ...{ done, begun: () => begun },
    url: `http://localhost:${http.addr.port}/mcp`,
    [Symbol.asyncDispose]: () => http.shutdown(),
  };
}

const refused = (message: string) => ({
  jsonrpc: "2.0",
  id: null,
  error: { code: -32000, message },
});

/** How servers tell that a session has ended; the sources are in `http_fetch.ts`. */
const GONE: Readonly<Record<string, () => Response>> = {
  "by 404": () => new Response("Session not found", { status: 404 }),
  "by 400, as server-everything and the Python SDK": () =>
    Response.json(refused("Bad Request: No valid session ID provided"), { status: 400 }),
  "by 401, as the Rust SDK": () => new Response("Unauthorized: Session not found", { status: 401 }),
};

for (const [how, gone] of Object.entries(GONE)) {
  Deno.test(`a session that a server ended ${how} is begun anew, and the call that met it is asked again, once`, async () => {
    await using at = forgetful(1, gone);
    await using open = await opened([{ name: "far", url: at.url, timeout_seconds: 10 }]);
    const words = ["one", "two", "three", "four", "five"];
    for (const word of words) assert.match((await open.call("far__act", { word })).text, /done/);
    assert.deepEqual(at.done, words);
    assert.equal(at.begun(), words.length);
  });
}

Deno.test("a server that knows no session of its own is given up as one that breaks", async () => {
  await using at = forgetful(0);
  await using open = await opened([{ name: "far", url: at.url, timeout_seconds: 10 }]);
  const failures: string[] = [];
  for (let times = 0; times < 5; times++) {
    await open.call("far__act").catch((thrown) => failures.push(thrown.message));
  }
  assert.match(failures[0]!, /it knows this session no more/);
  assert.match(failures.at(-1)!, /it broke 3 times/);
  assert.ok(at.begun() <= 4, `${at.begun()}`);
});
