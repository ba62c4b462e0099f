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
