/**
 * The frame of the strict zoo: what a model server publishes about itself as data and small rules, and one HTTP
 * server that holds a client to it. It listens by node:http, because that keeps the request target as it stands
 * on the request line (`Deno.serve` turns absolute form into origin form, and would hide that a client sends it).
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Protocol } from "svc/core/model_protocol.ts";
import { isProbe, probeReply } from "tests/kit/model_endpoint.ts";
import {
  type ChatRequest,
  Director,
  filled,
  type Scenario,
  type ScriptedReply,
} from "tests/kit/model_scenario.ts";
import { cachedTokens, cutAt, inText, promptTokens, replyTokens } from "./zoo_model.ts";

export interface ZooRequest {
  readonly method: string;
  /** As it stands on the request line (RFC 9112 section 3.2): "/v1/models", where a client sends origin form. */
  readonly target: string;
  readonly headers: Headers;
  readonly text: string;
  /** The body's JSON; undefined where there is none or it does not parse. */
  // deno-lint-ignore no-explicit-any -- rules look for what a client should not have sent
  readonly body: any;
}

/** What a rule sees: the request, and what this server has answered before it. */
export interface Asked extends ZooRequest {
  readonly said: readonly Said[];
  /** Replies given so far, that to svc's probe among them. */
  readonly answered: number;
}

/** The vendor's own error for a request that it does not take. */
export type Rule = (asked: Asked) => Response | undefined;

/** A reply as the server sends it: cut at the token limit, with its counts. */
export interface Said {
  readonly reply: ScriptedReply;
  /** Number of the reply, from 1; 0 for the answer to svc's probe. */
  readonly turn: number;
  readonly usage: {
    readonly prompt: number;
    readonly completion: number;
    /** The part of `prompt` with which an earlier request began too. */
    readonly cached: number;
  };
}

export interface ZooProtocol {
  /** Path of the POST that asks for a reply. */
  readonly target: string;
  readonly rules: readonly Rule[];
  /** The request in the form that scenarios are written for. */
  read(asked: Asked): ChatRequest;
  /** Tokens the reply may have, as asked for or by the server's default. */
  replyLimit(asked: Asked): number | undefined;
  /** The answer to a prompt of so many tokens, more than `window`; undefined: the server cuts it silently. */
  overflow(asked: Asked, tokens: number): Response | undefined;
  /** The text of a streamed reply in the pieces in which it is written. */
  stream(asked: Asked, said: Said): readonly string[];
  /** The JSON of a reply that is not streamed. */
  whole(asked: Asked, said: Said): unknown;
}

export interface ZooServer {
  /** As in the table of docs/models.md. */
  readonly name: string;
  /** Where this behaviour is published: page, file or issue. */
  readonly sources: readonly string[];
  readonly model: string;
  /** Tokens that it reads. */
  readonly window: number;
  /** Path of the base URL that a person gives to svc. */
  readonly base: string;
  /** The key that it wants; its rules check how it is sent. */
  readonly key?: string;
  /** `chat` unless given. */
  readonly speaks?: Protocol;
  /** Tokens that its model thinks before each reply, where they are counted beside what it writes. */
  readonly thoughts?: number;
  /** Checked before a request is routed: keys, hosts, versions. */
  readonly gate?: Rule;
  readonly protocol: ZooProtocol;
  /** Everything else, as "GET /v1/models". */
  readonly routes: Readonly<Record<string, (asked: Asked) => Response>>;
  readonly notFound: (asked: Asked) => Response;
}

/** Tokens: what a server reads, and what it says it reads where that differs. */
export interface ZooSizes {
  readonly window?: number;
  readonly stated?: number;
}

export interface OpenZoo extends AsyncDisposable {
  /** The base URL that svc is given. */
  readonly url: string;
  readonly server: ZooServer;
  /** All requests, as "GET /v1/models", oldest first. */
  readonly targets: readonly string[];
  /** Requests for a reply but for the probe, oldest first, as they came. */
  readonly asked: readonly ZooRequest[];
  /** What was refused by a rule, as "400 {…}"; a flow says which it expects. */
  refusals(): Promise<readonly string[]>;
  readonly said: readonly Said[];
  /** Resolves when a client has gone away before its answer was complete. */
  readonly left: Promise<void>;
}

async function requestOf(incoming: IncomingMessage): Promise<ZooRequest> {
  const parts: Uint8Array[] = [];
  for await (const part of incoming) parts.push(part);
  const text = new TextDecoder().decode(await new Blob(parts as BlobPart[]).arrayBuffer());
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined; // a rule answers it in the vendor's words
  }
  return { method: incoming.method ?? "", target: incoming.url ?? "", headers, text, body };
}

async function send(response: Response, to: ServerResponse, onLeft: () => void): Promise<void> {
  const reader = response.body?.getReader();
  to.on("close", () => {
    if (to.writableFinished) return;
    onLeft();
    reader?.cancel().catch(() => {});
  });
  to.writeHead(response.status, Object.fromEntries(response.headers));
  for (let part = await reader?.read(); part && !part.done; part = await reader!.read()) {
    to.write(part.value);
  }
  to.end();
}

/** @param end number of pieces after which nothing comes, until the client goes away */
function eventStream(pieces: readonly string[], end = Infinity): Response {
  const encoder = new TextEncoder();
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at === end) return;
      if (at === pieces.length) return controller.close();
      controller.enqueue(encoder.encode(pieces[at++]));
    },
  });
  const headers = { "content-type": "text/event-stream", "cache-control": "no-cache" };
  return new Response(body, { headers });
}

/** Answers by the server's routes and rules; what its model says comes from the scenario. */
class ZooKeeper {
  readonly #director: Director;
  readonly #prompts: string[] = [];
  readonly asked: ZooRequest[] = [];
  readonly said: Said[] = [];
  readonly refused: Response[] = [];

  constructor(readonly server: ZooServer, readonly scenario: Scenario) {
    this.#director = new Director(scenario);
  }

  answer(request: ZooRequest): Response {
    const { server } = this;
    const asked = { ...request, said: this.said, answered: this.#prompts.length };
    const stopped = server.gate?.(asked);
    if (stopped !== undefined) return this.#refuse(stopped);
    const path = request.target.split("?", 1)[0]!;
    const route = server.routes[`${request.method} ${path}`];
    if (route !== undefined) return route(asked);
    const { target, rules } = server.protocol;
    if (path !== target || request.method !== "POST") return server.notFound(asked);
    for (const rule of rules) {
      const refusal = rule(asked);
      if (refusal !== undefined) return this.#refuse(refusal);
    }
    return this.#reply(asked);
  }

  #refuse(refusal: Response): Response {
    this.refused.push(refusal.clone());
    return refusal;
  }

  #reply(asked: Asked): Response {
    const { protocol, window } = this.server;
    const chat = protocol.read(asked);
    const prompt = promptTokens(chat);
    if (prompt > window) {
      const refusal = protocol.overflow(asked, prompt);
      if (refusal !== undefined) return this.#refuse(refusal);
    }
    const probe = isProbe(chat);
    if (!probe) this.asked.push(asked);
    const scripted = probe ? probeReply(this.scenario.probe) : this.#scripted(chat);
    const spoken = chat.tools?.length ? scripted : inText(scripted);
    const reply = cutAt(spoken, protocol.replyLimit(asked));
    const read = Math.min(prompt, window);
    const said: Said = {
      reply,
      turn: probe ? 0 : this.asked.length,
      usage: {
        prompt: reply.usage?.prompt_tokens ?? read,
        completion: reply.usage?.completion_tokens ?? replyTokens(reply),
        cached: Math.min(cachedTokens(chat, this.#prompts), read),
      },
    };
    if (!probe) this.said.push(said);
    if (chat.stream !== true) return Response.json(protocol.whole(asked, said));
    const pieces = protocol.stream(asked, said);
    const words = (reply.text ?? "").slice(0, 5);
    const begun = pieces.findIndex((piece) => piece.includes(words)) + 1;
    return eventStream(pieces, reply.stalls === true ? begun : undefined);
  }

  #scripted(chat: ChatRequest): ScriptedReply {
    const step = this.#director.next(chat);
    if (step === undefined) throw new Error(`The scenario has no step for ${JSON.stringify(chat)}`);
    step.expect?.(chat);
    const said = typeof step.reply === "function" ? step.reply(chat) : step.reply ?? {};
    return filled(said, chat) as ScriptedReply;
  }
}

/** Where a server of the zoo listens, where that matters. */
export interface ZooPlace {
  /** An ephemeral one unless given. */
  readonly port?: number;
  /** PEM; it speaks https then. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** Listens on 127.0.0.1 until disposed of, which throws what went wrong in the zoo itself. */
export async function openZoo(
  server: ZooServer,
  scenario: Scenario,
  { port = 0, tls }: ZooPlace = {},
): Promise<OpenZoo> {
  const keeper = new ZooKeeper(server, scenario);
  const targets: string[] = [];
  const faults: unknown[] = [];
  const left = Promise.withResolvers<void>();

  async function take(incoming: IncomingMessage, to: ServerResponse): Promise<void> {
    const request = await requestOf(incoming);
    let response: Response;
    try {
      response = keeper.answer(request);
    } catch (thrown) {
      faults.push(thrown);
      response = new Response("the zoo itself is at fault", { status: 500 });
    }
    targets.push(`${request.method} ${request.target}`);
    await send(response, to, left.resolve);
  }

  const onRequest = (incoming: IncomingMessage, to: ServerResponse) => {
    take(incoming, to).catch((thrown) => faults.push(thrown));
  };
  const http = tls === undefined
    ? createServer(onRequest)
    : createSecureServer({ ...tls }, onRequest);
  await new Promise<void>((listening) => http.listen(port, "127.0.0.1", listening));
  const { port: taken } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}${server.base}`,
    server,
    targets,
    asked: keeper.asked,
    said: keeper.said,
    left: left.promise,
    refusals: () =>
      Promise.all(keeper.refused.map(async (refusal) => {
        return `${refusal.status} ${await refusal.clone().text()}`;
      })),
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((done) => http.close(() => done()));
      http.closeAllConnections();
      await closed;
      if (faults.length > 0) throw new AggregateError(faults, `The zoo's ${server.name} failed`);
    },
  };
}
