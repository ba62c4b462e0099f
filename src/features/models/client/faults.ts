/** Every way in which a model request fails, what it means for the job and what the user can do. */
import { causesOf, connectionFault, PROXY_LOGIN } from "svc/core/connection_faults.ts";
import type { FailureCategory } from "svc/core/disposition.ts";
import { isLoopbackHost } from "svc/core/loopback.ts";
import type { Protocol } from "svc/core/model_protocol.ts";
import { ModelFault, type ModelFaultKind, type ModelRoute } from "./model.ts";

export type ModelTarget = Pick<
  ModelRoute,
  "provider" | "endpoint" | "model" | "apiKeyEnv" | "protocol"
>;

interface FaultRule {
  readonly category: FailureCategory;
  readonly transient: boolean;
  readonly pausesLane: boolean;
  readonly remedy: (target: ModelTarget) => string;
}

const LOCAL_SERVERS = [
  { ids: ["ollama"], port: "11434", start: "ollama serve", pull: "ollama pull" },
  { ids: ["llama.cpp", "local"], port: "8080", start: "llama-server -m <file>.gguf --jinja" },
  { ids: ["lm-studio"], port: "1234", start: "lms server start", pull: "lms get" },
  { ids: ["vllm"], port: "8000", start: "vllm serve <model>" },
] as const;

function serverOf({ provider, endpoint }: ModelTarget) {
  const port = URL.parse(endpoint)?.port;
  const named = LOCAL_SERVERS.find(({ ids }) => (ids as readonly string[]).includes(provider));
  return named ?? LOCAL_SERVERS.find((server) => server.port === port);
}

export function isLocal({ endpoint }: Pick<ModelTarget, "endpoint">): boolean {
  const { hostname = "" } = URL.parse(endpoint) ?? {};
  return hostname === "localhost" || isLoopbackHost(hostname);
}

function startRemedy(target: ModelTarget): string {
  if (!isLocal(target)) {
    return "Check the network, the endpoint and any proxy (HTTPS_PROXY), then try again";
  }
  const start = serverOf(target)?.start;
  if (start !== undefined) return `Start the model server: ${start}`;
  const { hostname, port } = new URL(target.endpoint);
  // svc takes localhost as 127.0.0.1; servers on Node take it as ::1 where that is there.
  const there = hostname === "127.0.0.1"
    ? `; where it listens on ::1 alone, name it as http://[::1]:${port}`
    : "";
  return `Start the model server${there}`;
}

/** Undefined where the server cannot fetch a model, or svc does not know how. */
export function pullCommand(target: ModelTarget): string | undefined {
  const server = isLocal(target) ? serverOf(target) : undefined;
  const name = target.model === ANY_MODEL ? "<model>" : target.model;
  return server !== undefined && "pull" in server ? `${server.pull} ${name}` : undefined;
}

export function pullRemedy(target: ModelTarget): string {
  const command = pullCommand(target);
  return command === undefined
    ? "Name a model that the endpoint has: svc models override --model <model>"
    : `Pull the model: ${command}`;
}

function keyRemedy({ apiKeyEnv }: ModelTarget): string {
  return apiKeyEnv === undefined
    ? "Name the variable that holds the key: svc models override --api-key-env <name>, or api_key_env of the route"
    : `Set ${apiKeyEnv} to a key of this provider`;
}

export const PROTOCOL_NAMES: Readonly<Record<Protocol, string>> = {
  chat: "OpenAI chat completions",
  responses: "OpenAI Responses",
  messages: "Anthropic Messages",
};

const again = () => "Try again; if it stays so, look at the server's own log";

/** What each kind of fault means (domain decisions, section 4). */
const FAULT_RULES: Readonly<Record<ModelFaultKind, FaultRule>> = {
  unreachable: {
    category: "model_unreachable",
    transient: true,
    pausesLane: false,
    remedy: startRemedy,
  },
  // Worth another attempt of the job; `retry.ts` does not wait that long twice in one request.
  idle: { category: "model_unreachable", transient: true, pausesLane: false, remedy: again },
  server: { category: "model_unreachable", transient: true, pausesLane: false, remedy: again },
  rate_limited: {
    category: "rate_limited",
    transient: true,
    pausesLane: false,
    remedy: () => "Wait, or lower --concurrency",
  },
  auth: { category: "model_unreachable", transient: false, pausesLane: true, remedy: keyRemedy },
  quota: {
    category: "rate_limited",
    transient: false,
    pausesLane: true,
    remedy: ({ provider }) =>
      `Add credit or raise the limit at "${provider}", or route to another provider`,
  },
  not_found: {
    category: "model_unreachable",
    transient: false,
    pausesLane: true,
    remedy: pullRemedy,
  },
  bad_request: {
    category: "model_protocol",
    transient: false,
    pausesLane: false,
    remedy: ({ protocol = "chat" }) =>
      `Check that the endpoint speaks ${PROTOCOL_NAMES[protocol]} with tools`,
  },
  context_overflow: {
    category: "context_overflow",
    transient: false,
    pausesLane: false,
    remedy: () => "Use a model with a larger context window, or start the server with a larger one",
  },
  protocol: { category: "model_protocol", transient: true, pausesLane: false, remedy: again },
  too_large: {
    category: "model_protocol",
    transient: false,
    pausesLane: false,
    remedy: () => "Use another model: this one does not come to an end",
  },
  cancelled: {
    category: "timeout",
    transient: false,
    pausesLane: false,
    remedy: () => "Run the command again",
  },
};

type FaultDetail = Partial<Omit<ModelFault["detail"], "category">> & ErrorOptions;

/** For a model, or a filter before it, that takes the request but does not answer it. */
export const NOT_ANSWERED_REMEDY =
  "Word the task in another way, or route the role to another model: svc models override --model <model>";

/** Azure calls it so in errors too (learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter). */
export const CONTENT_FILTER = "content_filter";

export function filteredFault(target: ModelTarget): ModelFault {
  return modelFault(target, "bad_request", "its provider's content filter stopped the answer", {
    remedy: NOT_ANSWERED_REMEDY,
  });
}

export const ANY_MODEL = "any";

/** @param why completes "Cannot ask the model …:"; safe to show */
export function modelFault(
  target: ModelTarget,
  kind: ModelFaultKind,
  why: string,
  { cause, ...other }: FaultDetail = {},
): ModelFault {
  const { category, transient, pausesLane, remedy } = FAULT_RULES[kind];
  const name = ["", ANY_MODEL].includes(target.model) ? "" : ` "${target.model}"`;
  return new ModelFault(
    kind,
    `Cannot ask the model${name} at "${target.endpoint}": ${why}`,
    { category, transient, pausesLane, remedy: remedy(target), ...other },
    { cause },
  );
}

/** RFC 9110, section 15.5.8. */
export function proxyLoginFault(target: ModelTarget): ModelFault {
  const { why, remedy } = PROXY_LOGIN;
  return modelFault(target, "unreachable", why, { transient: false, pausesLane: true, remedy });
}

export function transportFault(target: ModelTarget, thrown: unknown): ModelFault {
  const text = causesOf(thrown);
  const kind = "unreachable";
  const broken = (why: string, detail: FaultDetail = {}) =>
    modelFault(target, kind, why, { cause: thrown, ...detail });
  if (/requests to port \d+ are blocked/i.test(text)) {
    const remedy = "Let the server listen on another port: fetch refuses this one (fetch.spec)";
    return broken("its port is one that no HTTP client may use", { transient: false, remedy });
  }
  if (/requires net access/i.test(text)) {
    const remedy = "Start the command with this endpoint in --model-endpoint or in a route";
    return broken("this run may not reach it", { transient: false, pausesLane: true, remedy });
  }
  const fault = connectionFault(text);
  if (fault !== undefined) {
    const { why, remedy, lasts } = fault;
    return broken(why, lasts ? { transient: false, pausesLane: true, remedy } : { remedy });
  }
  if (/refused/i.test(text)) return broken("nothing listens there");
  if (/dns|lookup|resolve/i.test(text)) return broken("its name cannot be resolved");
  // Something listens there: a server that crashed, or a proxy before it.
  return broken("the connection broke off", { remedy: again() });
}
