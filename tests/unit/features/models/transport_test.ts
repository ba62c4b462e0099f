import assert from "node:assert/strict";
import { createServer } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { ErrorResponse, responseFault } from "svc/features/models/client/error_response.ts";
import { exchange, MODEL_DRAIN_MS } from "svc/features/models/client/exchange.ts";
import { transportFault } from "svc/features/models/client/faults.ts";
import { openaiClient } from "svc/features/models/client/client.ts";
import { systemClock } from "svc/platform/clock.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { ask, faultOf, hastyClock, profile, QUESTION, route, SHORT, UNHURRIED } from "./asking.ts";

const KEY = "sk-test-0123456789abcdef";
const ok = { steps: [{ reply: { text: "ok" }, always: true }] };

Deno.test("ask sends the key to its endpoint, and nothing that it was not told to", async () => {
  await using endpoint = modelEndpoint(ok);
  const names = ["OPENAI_CUSTOM_HEADERS", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_BASE_URL"];
  for (const name of names) Deno.env.set(name, "x-from-env: leaked");
  try {
    await ask(endpoint.url, { key: KEY });
  } finally {
    for (const name of names) Deno.env.delete(name);
  }
  const { headers } = endpoint.requests[0]!;
  assert.equal(headers.get("authorization"), `Bearer ${KEY}`);
  const own = ["accept", "authorization", "content-length", "content-type", "host", "user-agent"];
  const ofFetch = ["accept-encoding", "accept-language"];
  const strange = [...headers.keys()].filter((name) => ![...own, ...ofFetch].includes(name));
  assert.deepEqual(strange, []);
  assert.equal(headers.get("user-agent"), "svc");
});

Deno.test("ask without a key sends no authorization", async () => {
  await using endpoint = modelEndpoint(ok);
  await ask(endpoint.url);
  assert.equal(endpoint.requests[0]!.headers.has("authorization"), false);
});

Deno.test("ask follows no redirect, so that another server gets neither key nor prompt", async () => {
  await using other = modelEndpoint(ok);
  await using endpoint = modelEndpoint({ steps: [{ bad: "redirect" }] }, { elsewhere: other.url });
  const fault = await faultOf(ask(endpoint.url, { key: KEY }));
  assert.equal(fault.detail.pausesLane, true);
  assert.match(fault.message, /it redirects elsewhere \(307\)$/);
  assert.deepEqual(other.paths, []);
});

Deno.test("ask keeps no cookie", async () => {
  await using endpoint = modelEndpoint({ steps: [{ bad: "redirect" }, { reply: { text: "ok" } }] });
  await faultOf(ask(endpoint.url));
  await ask(endpoint.url);
  assert.equal(endpoint.requests[1]!.headers.has("cookie"), false);
});

Deno.test("asks of one conversation share a connection", async () => {
  const connections = new Set<number>();
  const event = { choices: [{ delta: { content: "ok" }, finish_reason: "stop" }] };
  let draining = Promise.withResolvers<void>();
  const events = async function* () {
    yield `data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`;
    await draining.promise; // the rest comes when the client has its answer
    yield ": the end\n\n";
  };
  const clock = hastyClock();
  const told = {
    ...clock,
    sleep(ms: number, signal?: AbortSignal) {
      if (ms === MODEL_DRAIN_MS) draining.resolve();
      return clock.sleep(ms, signal);
    },
  };
  const headers = { "content-type": "text/event-stream" };
  const answer = async (incoming: Request, info: Deno.ServeHandlerInfo) => {
    await incoming.text(); // a server closes a connection whose request it did not read
    connections.add((info.remoteAddr as Deno.NetAddr).port);
    const body = ReadableStream.from(events()).pipeThrough(new TextEncoderStream());
    return new Response(body, { headers });
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);
  try {
    for (let n = 0; n < 5; n++) {
      draining = Promise.withResolvers();
      await ask(`http://127.0.0.1:${server.addr.port}/v1`, { clock: told });
    }
    // One each where the rest of an answer is thrown away; a busy machine may lose one or two.
    assert.ok(connections.size < 5, `${connections.size} connections`);
  } finally {
    await server.shutdown();
  }
});

Deno.test("a server that holds the connection after its last event holds nobody up", async () => {
  const event = { choices: [{ delta: { content: "ok" }, finish_reason: "stop" }] };
  const body = new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    const held = new ReadableStream({ start: (controller) => controller.enqueue(body) });
    return new Response(held, { headers: { "content-type": "text/event-stream" } });
  });
  try {
    const { text } = await ask(`http://127.0.0.1:${server.addr.port}/v1`);
    assert.equal(text, "ok");
  } finally {
    await server.shutdown();
  }
});

/** As Deno 2.9 words them. */
const TLS_WORDS: readonly (readonly [said: string, why: RegExp, remedy: RegExp])[] = [
  ["invalid peer certificate: UnknownIssuer", /is not trusted$/, /DENO_CERT/],
  ["invalid peer certificate: Expired", /not valid at this time$/, /^Renew it/],
  [
    'invalid peer certificate: certificate not valid for name "127.0.0.1"; certificate is only valid for DnsName("a.test")',
    /for another name$/,
    /the name that the certificate has/,
  ],
  [
    "invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))",
    /that of a CA, which is none for a server$/,
    /a CA signed/,
  ],
  ["Failed opening CA file: No such file or directory (os error 2)", /DENO_CERT/, /^Set DENO_CERT/],
  ["received fatal alert: HandshakeFailure", /TLS, or its certificate/, /DENO_CERT/],
];

Deno.test("each fault of TLS says what is wrong with the certificate", () => {
  for (const [said, why, remedy] of TLS_WORDS) {
    const thrown = new TypeError("fetch failed", { cause: new Error(`(Connect): ${said}`) });
    const { message, detail } = transportFault(route("https://127.0.0.1:8443/v1"), thrown);
    assert.match(message, why, said);
    assert.match(detail.remedy, remedy, said);
    assert.deepEqual([detail.transient, detail.pausesLane], [false, true]);
  }
});

Deno.test("a proxy that stands before the model is named, and what it wants", () => {
  const target = route("https://llm.example/v1");
  const faultOfWords = (said: string) =>
    transportFault(
      target,
      new TypeError("fetch failed", { cause: new Error(`(Connect): ${said}`) }),
    );
  const login = faultOfWords("proxy authentication required");
  const plain = responseFault(
    target,
    new ErrorResponse(407, "<html>corp</html>"),
    { redact: (text) => text, now: 0 },
  );
  for (const { kind, message, detail } of [login, plain]) {
    assert.equal(kind, "unreachable");
    assert.match(message, /the proxy before it asks for a login$/);
    assert.match(detail.remedy, /HTTPS_PROXY=http:\/\/name:password@host:port/);
    assert.deepEqual([detail.transient, detail.pausesLane], [false, true]);
  }
  const closed = faultOfWords("unsuccessful tunnel");
  assert.match(closed.message, /the proxy before it does not let it through$/);
  assert.match(closed.detail.remedy, /NO_PROXY/);
  // It says so, too, when the host beyond does not answer.
  assert.equal(closed.detail.transient, true);
});

Deno.test("ask says that a server has no TLS", async () => {
  await using endpoint = modelEndpoint(ok);
  const fault = await faultOf(ask(endpoint.url.replace("http:", "https:"), { limits: UNHURRIED }));
  assert.match(fault.message, /it does not speak TLS$/);
  assert.match(fault.detail.remedy, /http URL/);
});

/** Node's own server, which sends what a proxy may make of an answer. */
async function encoding(encoding: string, status: number, made: (body: string) => Uint8Array) {
  const said = status === 200
    ? { choices: [{ message: { content: "ok" }, finish_reason: "stop" }] }
    : { error: { message: "Add credit", code: "insufficient_quota" } };
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.writeHead(status, {
      "content-type": "application/json",
      "content-encoding": encoding,
    });
    response.end(made(JSON.stringify(said)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

Deno.test("ask reads what a proxy compressed as asked, and says of other encodings what is wrong", async () => {
  for (const [name, made] of [["gzip", gzipSync], ["br", brotliCompressSync]] as const) {
    await using good = await encoding(name, 200, made);
    assert.equal((await ask(good.url, { limits: UNHURRIED })).text, "ok");
    await using refusing = await encoding(name, 429, made);
    assert.equal((await faultOf(ask(refusing.url, { limits: UNHURRIED }))).kind, "quota");
  }
  // Next.js's documentation has the first, against a proxy that would hold events back.
  for (const name of ["none", "UTF-8", "identity"]) {
    await using plain = await encoding(name, 200, (body) => new TextEncoder().encode(body));
    assert.equal((await ask(plain.url, { limits: UNHURRIED })).text, "ok");
  }
  for (const status of [200, 429]) {
    await using odd = await encoding("deflate", status, deflateSync);
    const { message, detail } = await faultOf(ask(odd.url, { limits: UNHURRIED }));
    assert.match(message, /it answered in the encoding "deflate", which svc did not ask for$/);
    assert.match(detail.remedy, /a proxy before it/);
    assert.deepEqual([detail.transient, odd.requests()], [false, 1]);
  }
});

Deno.test("exchange refuses a URL of another origin than the endpoint's", async () => {
  const ports = { fetch, clock: systemClock };
  const target = route("http://127.0.0.1:9999/v1");
  for (
    const url of [
      "http://127.0.0.1:9998/v1/models",
      "https://127.0.0.1:9999/v1/models",
      "http://localhost:9999/v1/models",
      "http://user@127.0.0.1:9999/v1/models",
    ]
  ) {
    const asked = exchange(ports, { target, url, key: KEY, accept: "*/*" }, SHORT, neverAborted);
    assert.match((await faultOf(asked)).message, /would go to another origin$/, url);
  }
});

const neverAborted = new AbortController().signal;

Deno.test("openaiClient refuses to send a key over a network unencrypted", () => {
  const plan = (endpoint: string) => ({
    route: route(endpoint),
    profile: profile(endpoint),
    clock: systemClock,
    redact: (text: string) => text,
    key: KEY,
  });
  for (
    const endpoint of [
      "http://models.example/v1",
      "http://127.0.0.1.example/v1",
      "http://localhost.example/v1",
      "http://10.0.0.1/v1",
    ]
  ) {
    assert.throws(() => openaiClient(plan(endpoint)), /over a network unencrypted$/, endpoint);
  }
  assert.throws(() => openaiClient(plan("https://user:pass@models.example/v1")), /user name/);
  for (
    const endpoint of ["https://models.example/v1", "http://[::1]:8080/v1", "http://localhost"]
  ) {
    openaiClient(plan(endpoint));
  }
});

Deno.test("no fault's text holds the key, whatever the server answers", async () => {
  for (const bad of ["http_401", "http_402", "insufficient_quota", "model_404", "html_502"]) {
    await using endpoint = modelEndpoint({ steps: [{ bad, always: true }] });
    const fault = await faultOf(ask(endpoint.url, { key: "sk-abc" }));
    assert.equal(`${fault.message} ${fault.detail.remedy}`.includes("sk-abc"), false, bad);
  }
});

Deno.test("ask works in a Worker that may reach its endpoint and nothing else", async () => {
  await using endpoint = modelEndpoint(ok);
  const host = new URL(endpoint.url).host;
  const worker = new Worker(import.meta.resolve("./asking_worker.ts"), {
    type: "module",
    deno: {
      permissions: { net: [host], read: false, env: false, run: false, sys: false, ffi: false },
    },
  } as WorkerOptions);
  try {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    worker.postMessage({ url: endpoint.url, request: QUESTION });
    assert.equal(await promise, "ok");
  } finally {
    worker.terminate();
  }
});
