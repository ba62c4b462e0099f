/** Asks a model to call one tool: whether it does so natively, and whether its server counts tokens. */
import type { Redact } from "svc/core/redact.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { ClientPlan } from "svc/features/models/client/client.ts";
import type { Dialect } from "svc/features/models/client/dialect.ts";
import type { ExchangeLimits } from "svc/features/models/client/exchange.ts";
import type { ModelClient, ModelProfile, ModelRoute } from "svc/features/models/client/model.ts";

/** Limit of the answer to the probe; a model that reasons first writes some hundred tokens. */
const MODEL_PROBE_TOKENS = 2_048;

export interface ProbePorts {
  readonly clock: Clock;
  readonly redact: Redact;
  readonly signal: AbortSignal;
  readonly connect: (plan: ClientPlan) => ModelClient;
  readonly key?: string | undefined;
  readonly fetch?: typeof fetch;
  readonly limits?: Partial<ExchangeLimits>;
}

/** The probe's only tool; the tests' fixture knows the name. */
export const PROBE_TOOL = "svc_probe";

const PROBE = {
  messages: [
    { role: "system", text: "You check that tools can be called. Answer with a tool call." },
    { role: "user", text: `Call the tool ${PROBE_TOOL} with the word "kiwi".` },
  ],
  tools: [{
    type: "function",
    function: {
      name: PROBE_TOOL,
      description: "Takes one word",
      parameters: {
        type: "object",
        properties: { word: { type: "string" } },
        required: ["word"],
        additionalProperties: false,
      },
    },
  }],
  maxTokens: MODEL_PROBE_TOKENS,
} as const;

/** @param assumed what is believed until the model has answered. @throws ModelFault */
export async function probeTools(
  ports: ProbePorts,
  route: ModelRoute,
  assumed: ModelProfile,
): Promise<Pick<ModelProfile, "tools" | "usageReported">> {
  const { clock, redact, signal, connect, key, fetch, limits } = ports;
  let learned: Dialect | undefined;
  const client = connect({
    route,
    profile: assumed,
    clock,
    redact,
    onDialect: (dialect) => learned = dialect,
    key,
    fetch,
    limits,
  });
  const reply = await client.ask(PROBE, { signal });
  // Vendors' own protocols have no other way to offer tools.
  const native = (route.protocol ?? "chat") !== "chat" ||
    (learned?.tools !== "text" && !reply.textCalls && reply.calls.length > 0);
  return { tools: native ? "native" : "text", usageReported: !reply.usage.estimated };
}
