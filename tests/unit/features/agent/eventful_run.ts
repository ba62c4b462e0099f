/**
 * One eventful run (calls side by side, a silent turn, a circle, masking, the last turn): all shapes of messages that
 * svc sends to a model.
 */
import { runAgent } from "svc/features/agent/loop.ts";
import { openaiClient } from "svc/features/models/client/client.ts";
import { systemClock } from "svc/platform/clock.ts";
import {
  type ChatRequest,
  modelEndpoint,
  type Recorded,
  type Step,
} from "tests/kit/model_endpoint.ts";
import { profile, route } from "tests/unit/features/models/asking.ts";
import { rig } from "./scripted_run.ts";

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Natively where tools are offered, else in the form that svc asks a model for. */
const calling = (...calls: readonly Call[]): Step => ({
  reply: (request) =>
    request.tools !== undefined ? { calls } : {
      text: calls.map(({ name, args }) =>
        `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`
      ).join("\n"),
    },
});
const read = (path: string): Call => ({ name: "read", args: { path } });

const SCRIPT: readonly Step[] = [
  calling(read("a"), read("b")),
  { reply: { text: "I think about it." } },
  ...Array.from({ length: 3 }, () => calling(read("same"))),
  ...Array.from({ length: 8 }, (_, at) => calling(read(`long${at}`))),
  { when: { last: "## Next steps" }, always: true, reply: { text: "## Goal\nread all" } },
  {
    when: { last: "The run ends now" },
    ...calling({ name: "finish", args: { disposition: "blocked", evidence: "done" } }),
  },
];

const OUTPUT = "a line of output\n";

export interface Eventful {
  readonly end: Awaited<ReturnType<typeof runAgent>>;
  readonly compacted: boolean;
  readonly requests: readonly Recorded[];
}

/** @param refuse why a server refuses a request, if it does */
export async function eventfulRun(
  refuse: (request: ChatRequest) => string | undefined,
): Promise<Eventful> {
  await using endpoint = modelEndpoint({ steps: SCRIPT }, { refuse });
  const run = rig([], {
    tools: {
      read: (args) => ({ text: args.includes("long") ? OUTPUT.repeat(60) : `${OUTPUT}${args}` }),
    },
    limits: { maxTurns: 13 },
  });
  const model = openaiClient({
    route: route(endpoint.url),
    profile: profile(endpoint.url, { contextWindow: 1_600 }),
    clock: systemClock,
    redact: (text) => text,
  });
  const end = await runAgent({ ...run.plan, model });
  const compacted = run.trace.kinds().includes("compacted");
  return { end, compacted, requests: [...endpoint.requests] };
}
