/** A conversation with a model as the agent has it: each reply goes back with its reasoning, each call gets a result. */
import type { ClientPlan } from "svc/features/models/client/client.ts";
import type { Message, ModelReply } from "svc/features/models/client/model.ts";
import type { ScriptedReply } from "tests/kit/model_scenario.ts";
import { type OpenZoo, openZoo, type ZooServer } from "tests/kit/servers/zoo.ts";
import { systemClock } from "svc/platform/clock.ts";
import { client, LOOK, profile, route } from "tests/unit/features/models/asking.ts";

/** Its time limits are far away: a server of a test may be slow on a busy machine. */
export const patientClient = (url: string, more: Partial<ClientPlan> = {}) =>
  client(url, {
    clock: systemClock,
    limits: { idleMs: 60_000, totalMs: 60_000 },
    ...more,
  });

export const signal = new AbortController().signal;
export const THOUGHT = "First I look, since the file may differ from what was said.";
export const look = (a: number) => ({ name: "look", args: { a } });

/** Two calls side by side, then one, then words; the last thoughts are empty. */
export const REPLIES: readonly ScriptedReply[] = [
  { reasoning: THOUGHT, calls: [look(1), look(2)] },
  { reasoning: "", calls: [look(3)] },
  { reasoning: "All is read.", text: "Done." },
];

export const START: readonly Message[] = [
  { role: "system", text: "You are a test." },
  { role: "user", text: "Look at all files." },
];

export interface Talk {
  readonly replies: readonly ModelReply[];
  readonly messages: readonly Message[];
}

/** Asks until a reply has no call, and hands each reply back as the agent does. */
export async function talk(
  model: ReturnType<typeof client>,
  start: readonly Message[] = START,
): Promise<Talk> {
  const messages = [...start];
  const replies: ModelReply[] = [];
  for (;;) {
    const reply = await model.ask({ messages, tools: [LOOK], maxTokens: 500 }, { signal });
    const { text, calls, reasoning } = reply;
    replies.push(reply);
    messages.push({ role: "assistant", text, calls, ...(reasoning && { reasoning }) });
    if (calls.length === 0) return { replies, messages };
    for (const { id } of calls) messages.push({ role: "tool", callId: id, text: "a line" });
  }
}

export const opened = (server: ZooServer, replies = REPLIES) =>
  openZoo(server, { steps: replies.map((reply) => ({ reply })) });

export function askedOf({ url, server }: OpenZoo, more: Partial<ClientPlan> = {}) {
  const { model, key } = server;
  return patientClient(url, {
    route: route(url, { model }),
    profile: profile(url, { model, contextWindow: server.window }),
    ...(key !== undefined && { key }),
    ...more,
  });
}

// deno-lint-ignore no-explicit-any -- a body as it came over the wire
export type Body = any;

export const sentReplies = (
  { asked }: { readonly asked: readonly { readonly body: Body }[] },
): Body[] =>
  asked.at(-1)!.body.messages.filter(({ role }: { role: string }) => role === "assistant");
