/** A scripted model over real HTTP on loopback: what it says is data, what it was asked is recorded. */
import { BAD_MODES } from "./model_endpoint_faults.ts";
import { completionOf, eventsOf } from "./model_answers.ts";
import { type ChatRequest, Director, filled, type Scenario } from "./model_scenario.ts";
import type { ScriptedReply, Step } from "./model_scenario.ts";
import { within } from "./within.ts";

export type { ChatRequest, Scenario, ScriptedReply, Step };

export interface Recorded {
  readonly path: string;
  readonly headers: Headers;
  /** As it came, byte for byte. */
  readonly text: string;
  readonly request: ChatRequest;
}

export interface ModelEndpoint extends AsyncDisposable {
  /** Base URL with `/v1`. */
  readonly url: string;
  /** Chat requests but for the probe, oldest first. */
  readonly requests: readonly Recorded[];
  /** Requests of the probe whether tools are called natively. */
  readonly probes: readonly Recorded[];
  /** Resolves once so many chat requests have come. */
  asked(count: number): Promise<void>;
  /** Paths of all requests, with method. */
  readonly paths: readonly string[];
}

export const FIXTURE_MODEL = "fixture-model";
/** The only tool of the probe (`features/models/local/preflight.ts`). */
const PROBE_TOOL = "svc_probe";

/** Other paths of a server, such as `/props`; given by tests. */
export type OtherPaths = Readonly<
  Record<string, (request: Request) => Response | Promise<Response>>
>;

export function isProbe(request: ChatRequest): boolean {
  const offered = request.tools?.map((tool) => tool.function.name) ?? [];
  const inText = request.messages.some(({ content }) =>
    content?.includes(`"name":"${PROBE_TOOL}"`)
  );
  return offered.includes(PROBE_TOOL) || inText;
}

const PROBE_ARGS = { word: "kiwi" };

export function probeReply(how: Scenario["probe"]): ScriptedReply {
  const text = `<tool_call>${
    JSON.stringify({ name: PROBE_TOOL, arguments: PROBE_ARGS })
  }</tool_call>`;
  if (how === "none") return { text: "I cannot do that." };
  if (how === "text") return { text };
  return { calls: [{ name: PROBE_TOOL, args: PROBE_ARGS }] };
}

function answer(
  request: ChatRequest,
  reply: ScriptedReply,
  turn: number,
  usage: boolean,
): Response {
  const counted = usage ? request : { ...request, stream_options: {} };
  if (request.stream !== true) return Response.json(completionOf(counted, reply, turn));
  const body = ReadableStream.from(eventsOf(counted, reply, turn))
    .pipeThrough(new TextEncoderStream());
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function refused(message: string): Response {
  return Response.json({ error: { message, type: "invalid_request_error" } }, { status: 400 });
}

/** Listens on an ephemeral port until disposed of. */
export function modelEndpoint(
  scenario: Scenario,
  options: {
    readonly elsewhere?: string;
    /** Where it listens instead of on 127.0.0.1. */
    readonly hostname?: string;
    /** Instead of an ephemeral one. */
    readonly port?: number;
    readonly paths?: OtherPaths;
    /** Awaited before each answer but that of the probe: a model takes its time. */
    readonly pace?: () => Promise<void>;
    /** Why a chat request is refused; answered as llama.cpp answers an error of its chat template (500). */
    readonly refuse?: (request: ChatRequest) => string | undefined;
  } = {},
): ModelEndpoint {
  const { hostname = "127.0.0.1", port = 0 } = options;
  const closing = new AbortController();
  const director = new Director(scenario);
  const requests: Recorded[] = [];
  const probes: Recorded[] = [];
  const paths: string[] = [];
  const arrived: (() => void)[] = [];
  const models = scenario.models ?? [{ id: FIXTURE_MODEL }];

  function chat(recorded: Recorded): Response | Promise<Response> {
    const { request } = recorded;
    if (isProbe(request)) {
      probes.push(recorded);
      const inText = request.tools === undefined;
      if (scenario.probe === "refuse" && !inText) {
        return refused("this model does not support tools");
      }
      const how = inText && scenario.probe !== "none" ? "text" : scenario.probe;
      return answer(request, probeReply(how), 0, scenario.usage !== false);
    }
    requests.push(recorded);
    arrived.splice(0).forEach((wake) => wake());
    const why = options.refuse?.(request);
    if (why !== undefined) {
      const error = { code: 500, message: why, type: "server_error" };
      return Response.json({ error }, { status: 500 });
    }
    const step = director.next(request);
    if (step === undefined) {
      return refused(`the scenario has no step for ${recorded.text.slice(-500)}`);
    }
    try {
      step.expect?.(request);
    } catch (thrown) {
      return refused(`not what the scenario expects: ${(thrown as Error).message}`);
    }
    const bad = step.bad === undefined ? undefined : BAD_MODES[step.bad];
    const { elsewhere = "http://127.0.0.1:9/v1" } = options;
    if (bad !== undefined) return bad({ request, closing: closing.signal, elsewhere });
    const said = typeof step.reply === "function" ? step.reply(request) : step.reply ?? {};
    const reply = filled(said, request) as ScriptedReply;
    return answer(request, reply, requests.length, scenario.usage !== false);
  }

  const server = Deno.serve({
    hostname,
    port,
    signal: closing.signal,
    onListen() {},
    // A stream that is cut on purpose is no error of the endpoint.
    onError: () => new Response(null, { status: 500 }),
  }, async (incoming) => {
    const { pathname } = new URL(incoming.url);
    paths.push(`${incoming.method} ${pathname}`);
    if (pathname === "/v1/models" && incoming.method === "GET") {
      const data = models.map((model) => ({ object: "model", owned_by: "svc-fixture", ...model }));
      return Response.json({ object: "list", data });
    }
    if (pathname === "/v1/chat/completions" && incoming.method === "POST") {
      const text = await incoming.text();
      const recorded = {
        path: pathname,
        headers: incoming.headers,
        text,
        request: JSON.parse(text),
      };
      const answered = await chat(recorded);
      if (!isProbe(recorded.request)) await options.pace?.();
      return answered;
    }
    return options.paths?.[pathname]?.(incoming) ?? Response.json({}, { status: 404 });
  });

  return {
    url: `http://${hostname}:${server.addr.port}/v1`,
    requests,
    probes,
    paths,
    asked(count) {
      const come = async () => {
        while (requests.length < count) await new Promise<void>((wake) => arrived.push(wake));
      };
      return within(come(), () => `${requests.length} requests of ${count}`);
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await server.finished;
    },
  };
}
