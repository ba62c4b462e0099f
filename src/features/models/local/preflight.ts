/** Checks before agents run that the model is there and what it can do; keeps the answer for a week. */
import type { Redact } from "svc/core/redact.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Db } from "svc/store/schema.ts";
import { endpointOf } from "svc/features/models/client/endpoint.ts";
import type { ClientPlan } from "svc/features/models/client/client.ts";
import { entryWindow, runningWindow, smaller, usableWindow } from "./context_window.ts";
import type { Dialect } from "svc/features/models/client/dialect.ts";
import type { ExchangeLimits } from "svc/features/models/client/exchange.ts";
import { ANY_MODEL, type ModelTarget } from "svc/features/models/client/faults.ts";
import {
  type ModelClient,
  ModelFault,
  type ModelProfile,
  type ModelRoute,
} from "svc/features/models/client/model.ts";
import {
  entryOf,
  fingerprintOf,
  modelEntries,
  type ModelEntry,
  type ServerConnection,
} from "./model_list.ts";
import { missing, unlisted, unusable } from "./preflight_failures.ts";
import { findProfile, keepProfile } from "./profile_store.ts";
import type { StoredProfile } from "./profile_table.ts";
import { ErrorResponse, responseFault } from "svc/features/models/client/error_response.ts";

const MODEL_PROFILE_MS = 7 * 24 * 3_600_000;

/** Limit of the answer to the probe; a model that reasons first writes some hundred tokens. */
const MODEL_PROBE_TOKENS = 2_048;

export interface PreflightPorts {
  readonly clock: Clock;
  readonly redact: Redact;
  readonly signal: AbortSignal;
  readonly connect: (plan: ClientPlan) => ModelClient;
  readonly db?: Db;
  readonly key?: string | undefined;
  readonly fetch?: typeof fetch;
  readonly limits?: Partial<ExchangeLimits>;
}

export interface Preflight {
  readonly profile: ModelProfile;
  readonly route: ModelRoute;
  readonly notes: readonly string[];
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

async function asFailures<T>(
  target: ModelTarget,
  { clock, redact }: PreflightPorts,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    const fault = thrown instanceof ErrorResponse
      ? responseFault(target, thrown, { redact, now: clock.now() })
      : thrown;
    throw fault instanceof ModelFault ? unusable(target, fault) : fault;
  }
}

async function listed(server: ServerConnection): Promise<ModelEntry[]> {
  try {
    return await modelEntries(server);
  } catch (thrown) {
    const unknown = thrown instanceof ErrorResponse && [404, 405].includes(thrown.status);
    throw unknown ? unlisted(server.target, thrown.status, thrown) : thrown;
  }
}

interface ListedModel {
  readonly target: ModelTarget;
  readonly entry: ModelEntry;
  readonly evidence: ModelProfile["evidence"];
  readonly fingerprint: string;
  readonly window: number | undefined;
}

async function find(
  server: ServerConnection,
  entries: readonly ModelEntry[],
): Promise<ListedModel> {
  const { target } = server;
  const entry = entryOf(entries, target.model);
  if (entry === undefined) throw missing(target, entries);
  // llama.cpp states this at any time, Ollama only once the model is loaded.
  const running = entry["owned_by"] === "llamacpp" ? await runningWindow(server, entry) : undefined;
  const window = smaller(entryWindow(entry), running);
  return {
    target,
    entry,
    evidence: entry["owned_by"] === "svc-fixture" ? "fixture" : "live",
    fingerprint: await fingerprintOf(entry, window),
    window,
  };
}

function profileOf(route: ModelRoute, stored: StoredProfile): ModelProfile {
  const { endpoint, model, evidence, tools, context_window, usage_reported, probed_at } = stored;
  return {
    endpoint,
    model,
    evidence,
    tools,
    contextWindow: usableWindow(route, context_window),
    usageReported: usage_reported === 1,
    probedAt: probed_at,
  };
}

async function probe(
  ports: PreflightPorts,
  route: ModelRoute,
  found: ListedModel,
): Promise<StoredProfile> {
  const { clock, redact, signal, connect, key, fetch, limits } = ports;
  const { target: { endpoint, model }, evidence, fingerprint, window } = found;
  const assumed: StoredProfile = {
    endpoint,
    model,
    fingerprint,
    tools: "native",
    context_window: window ?? null,
    usage_reported: 1,
    evidence,
    probed_at: clock.now(),
  };
  let learned: Dialect | undefined;
  const client = connect({
    route,
    profile: profileOf(route, assumed),
    clock,
    redact,
    onDialect: (dialect) => learned = dialect,
    key,
    fetch,
    limits,
  });
  const reply = await client.ask(PROBE, { signal });
  const native = learned?.tools !== "text" && !reply.textCalls && reply.calls.length > 0;
  return {
    ...assumed,
    tools: native ? "native" : "text",
    usage_reported: reply.usage.estimated ? 0 : 1,
    probed_at: clock.now(),
  };
}

async function known(
  { db, clock }: PreflightPorts,
  found: ListedModel,
): Promise<StoredProfile | undefined> {
  const { target, fingerprint, evidence } = found;
  const stored = db && await findProfile(db, target.endpoint, target.model);
  if (stored === undefined || stored.fingerprint !== fingerprint) return undefined;
  const age = clock.now() - stored.probed_at;
  return age >= 0 && age < MODEL_PROFILE_MS && stored.evidence === evidence ? stored : undefined;
}

async function probed(
  ports: PreflightPorts,
  route: ModelRoute,
  found: ListedModel,
  server: ServerConnection,
): Promise<StoredProfile> {
  const asked = await probe(ports, route, found);
  const running = await runningWindow(server, found.entry);
  const stored = { ...asked, context_window: smaller(found.window, running) ?? null };
  if (ports.db) await keepProfile(ports.db, stored);
  return stored;
}

/** @throws Failure `environment` that names the way out, `usage` for no endpoint, `interrupted` */
export async function preflight(ports: PreflightPorts, asked: ModelRoute): Promise<Preflight> {
  const { clock, key, signal, limits } = ports;
  const { href: endpoint } = endpointOf(asked.endpoint, "the model endpoint");
  const serverOf = (target: ModelTarget): ServerConnection => ({
    ports: { fetch: ports.fetch ?? fetch, clock },
    target,
    key,
    signal,
    limits,
  });
  const any = { ...asked, endpoint, model: asked.model || ANY_MODEL };
  const entries = await asFailures(any, ports, listed(serverOf(any)));
  const first = asked.model || (entries[0]?.id ?? any.model);
  const route: ModelRoute = { ...any, model: entryOf(entries, first)?.id ?? first };
  const server = serverOf(route);
  const found = await asFailures(route, ports, find(server, entries));
  const stored = await known(ports, found) ??
    await asFailures(route, ports, probed(ports, route, found, server));
  return {
    profile: profileOf(route, stored),
    route,
    notes: notesOf(asked, route, entries, stored),
  };
}

function notesOf(
  asked: ModelRoute,
  { model, endpoint, contextWindow }: ModelRoute,
  entries: readonly ModelEntry[],
  stored: StoredProfile,
): string[] {
  const notes: string[] = [];
  if (asked.model === "") {
    const which = entries.length === 1 ? "the only one" : `the first of ${entries.length}`;
    notes.push(`No model was named: taking "${model}", ${which} at "${endpoint}"`);
  }
  if (stored.evidence === "fixture") {
    notes.push(`"${endpoint}" is a test fixture: nothing that it does is live evidence`);
  }
  if (stored.tools === "text") {
    notes.push(`"${model}" does not call tools natively: they are offered in text`);
  }
  if (stored.context_window === null && contextWindow === undefined) {
    notes.push(
      `"${endpoint}" does not say its context window, and few tokens are assumed: ` +
        "svc models override --context-window <tokens>",
    );
  }
  return notes;
}
