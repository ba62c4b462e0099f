/** A client over a scripted endpoint, with limits short enough for a test. */
import { type ClientPlan, openaiClient } from "svc/features/models/client/client.ts";
import type { ExchangeLimits } from "svc/features/models/client/exchange.ts";
import {
  ModelFault,
  type ModelProfile,
  type ModelRequest,
} from "svc/features/models/client/model.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";
import { type Clock, systemClock } from "svc/platform/clock.ts";
import { FIXTURE_MODEL } from "tests/kit/model_endpoint.ts";

export const SHORT: ExchangeLimits = {
  idleMs: 250,
  endMs: 250,
  totalMs: 900,
  responseBytes: 2 * 1024 * 1024,
  lineBytes: 256 * 1024,
};

/** For tests in which nothing is late: a busy machine must not look like a dead server. */
export const UNHURRIED: ExchangeLimits = { ...SHORT, idleMs: 999, totalMs: 999 };

/** Waits that a person would notice are noted down, not waited. */
export function hastyClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    ...systemClock,
    waits,
    sleep(ms, signal) {
      if (ms < 1000 || signal?.aborted) return systemClock.sleep(ms, signal);
      waits.push(ms);
      return Promise.resolve();
    },
  };
}

export const LOOK = {
  type: "function",
  function: {
    name: "look",
    description: "Looks",
    parameters: { type: "object", properties: { a: { type: "integer" }, b: { type: "string" } } },
  },
};

export const QUESTION: ModelRequest = {
  messages: [{ role: "system", text: "You are a test." }, { role: "user", text: "Look." }],
  tools: [LOOK],
};

export function route(endpoint: string, other: Partial<ModelRoute> = {}): ModelRoute {
  return { provider: "test", endpoint, model: FIXTURE_MODEL, because: "a test", ...other };
}

export function profile(endpoint: string, other: Partial<ModelProfile> = {}): ModelProfile {
  return {
    endpoint,
    model: FIXTURE_MODEL,
    evidence: "fixture",
    tools: "native",
    contextWindow: 8192,
    usageReported: true,
    probedAt: 1,
    ...other,
  };
}

export function client(endpoint: string, other: Partial<ClientPlan> = {}) {
  return openaiClient({
    route: route(endpoint),
    profile: profile(endpoint),
    clock: hastyClock(),
    redact: (text) => text,
    random: () => 0,
    limits: SHORT,
    ...other,
  });
}

export const ask = (
  endpoint: string,
  other: Partial<ClientPlan> = {},
  request: ModelRequest = QUESTION,
) => client(endpoint, other).ask(request, { signal: new AbortController().signal });

/** The fault that a promise ends in; anything else is thrown on. */
export async function faultOf(asked: Promise<unknown>): Promise<ModelFault> {
  try {
    await asked;
  } catch (thrown) {
    if (thrown instanceof ModelFault) return thrown;
    throw thrown;
  }
  throw new Error("it went well");
}
