/** Clients of the vendors' own protocols over a `fetch` that follows a script: no network, no waiting. */
import assert from "node:assert/strict";
import type { ClientPlan } from "svc/features/models/client/client.ts";
import type { ModelClient, ModelRequest, ModelRoute } from "svc/features/models/client/model.ts";
import { anthropicClient } from "svc/features/models/client/vendors/anthropic_client.ts";
import { responsesClient } from "svc/features/models/client/vendors/responses_client.ts";
import { hastyClock, profile, QUESTION, SHORT } from "tests/unit/features/models/asking.ts";

export const CLIENTS = { responses: responsesClient, messages: anthropicClient };
export type VendorName = keyof typeof CLIENTS;

// deno-lint-ignore no-explicit-any -- tests look into bodies as they please
export type Json = any;

export interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  readonly text: string;
}

/** One answer; a function is given the body. */
export type Answer = Response | ((body: Json, signal: AbortSignal) => Response | Promise<Response>);

export interface Asking {
  readonly sent: readonly Sent[];
  readonly client: ModelClient;
  readonly heard: () => string;
  ask(request?: ModelRequest, signal?: AbortSignal): ReturnType<ModelClient["ask"]>;
}

export const ENDPOINT = "https://models.example.com/v1";

export function asking(
  protocol: VendorName,
  answers: readonly Answer[],
  more: Partial<ClientPlan> & { readonly route?: ModelRoute } = {},
): Asking {
  const sent: Sent[] = [];
  let heard = "";
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const text = String(init?.body);
    const body = JSON.parse(text);
    sent.push({ url: String(url), headers: init?.headers as Sent["headers"], body, text });
    const answer = answers[sent.length - 1];
    assert.ok(answer !== undefined, `request ${sent.length} is not in the script`);
    return typeof answer === "function" ? await answer(body, init!.signal!) : answer.clone();
  };
  const client = CLIENTS[protocol]({
    route: vendorRoute(protocol),
    profile: profile(ENDPOINT),
    key: "sk-test-key-1234",
    clock: hastyClock(),
    redact: (text) => text,
    random: () => 0,
    limits: SHORT,
    fetch,
    ...more,
  });
  return {
    sent,
    client,
    heard: () => heard,
    ask: (request = QUESTION, signal = new AbortController().signal) =>
      client.ask(request, { signal, onText: (delta) => heard += delta }),
  };
}

export function vendorRoute(protocol: VendorName, more: Partial<ModelRoute> = {}): ModelRoute {
  return {
    provider: "vendor",
    endpoint: ENDPOINT,
    model: "some-model",
    because: "a test",
    protocol,
    ...more,
  };
}

const encoder = new TextEncoder();

/** Events with their names, as both vendors send them. */
export function events(...all: readonly Json[]): Response {
  const lines = all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(encoder.encode(lines.join("")), {
    headers: { "content-type": "text/event-stream" },
  });
}

export function failing(
  status: number,
  body: Json,
  headers: Record<string, string> = {},
): Response {
  return Response.json(body, { status, headers });
}

/** A whole reply of Anthropic from its blocks. */
export function message(
  blocks: readonly Json[],
  { stop = "end_turn", usage = {}, details = null }: Json = {},
): Response {
  const input = { input_tokens: 10, output_tokens: 1 };
  return events(
    { type: "message_start", message: { id: "msg_1", content: [], usage: { ...input, ...usage } } },
    ...blocks.flatMap(blockEvents),
    {
      type: "message_delta",
      delta: { stop_reason: stop, stop_details: details },
      usage: { output_tokens: 7 },
    },
    { type: "message_stop" },
  );
}

function blockEvents(block: Json, index: number): Json[] {
  const delta = (fields: Json) => ({ type: "content_block_delta", index, delta: fields });
  const start = (content_block: Json) => ({ type: "content_block_start", index, content_block });
  const stop = { type: "content_block_stop", index };
  if (block.type === "text") {
    return [start({ ...block, text: "" }), delta({ type: "text_delta", text: block.text }), stop];
  }
  if (block.type === "thinking") {
    const { thinking, signature } = block;
    return [
      start({ type: "thinking", thinking: "", signature: "" }),
      delta({ type: "thinking_delta", thinking }),
      delta({ type: "signature_delta", signature }),
      stop,
    ];
  }
  if (block.type === "tool_use") {
    const partial_json = typeof block.input === "string"
      ? block.input
      : JSON.stringify(block.input);
    return [
      start({ ...block, input: {} }),
      delta({ type: "input_json_delta", partial_json }),
      stop,
    ];
  }
  return [start(block), stop];
}

/** A whole response of OpenAI from its items. */
export function response(items: readonly Json[], more: Json = {}): Response {
  const final = {
    id: "resp_1",
    status: "completed",
    output: items,
    usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 7 },
    ...more,
  };
  const type = final.status === "completed" ? "response.completed" : "response.incomplete";
  return events(
    { type: "response.created", response: { ...final, output: [], usage: null } },
    ...items.flatMap((item, output_index) => [
      ...(item.type === "message"
        ? [{ type: "response.output_text.delta", output_index, delta: item.content[0].text }]
        : []),
      { type: "response.output_item.done", output_index, item },
    ]),
    { type, response: final },
  );
}

export const said = (text: string, more: Json = {}): Json => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  content: [{ type: "output_text", text }],
  ...more,
});

export const called = (call_id: string, args: string, name = "look"): Json => ({
  type: "function_call",
  id: `fc_${call_id}`,
  call_id,
  name,
  arguments: args,
  status: "completed",
});

export const reasoned = (id: string): Json => ({
  type: "reasoning",
  id,
  summary: [],
  encrypted_content: `gAAAA-${id}`,
});

/** "ok" in either protocol. */
export const OK: Readonly<Record<VendorName, Response>> = {
  responses: response([said("ok")]),
  messages: message([{ type: "text", text: "ok" }]),
};
