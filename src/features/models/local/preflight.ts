/** Checks before agents run that the model is there and what it can do; keeps the answer for a week. */
import { LOCAL_BUNDLES } from "svc/core/local_bundles.ts";
import type { Db } from "svc/store/schema.ts";
import { endpointOf } from "svc/features/models/client/endpoint.ts";
import { entryWindow, smaller, usableWindow } from "./context_window.ts";
import { ANY_MODEL, type ModelTarget } from "svc/features/models/client/faults.ts";
import {
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
  usualEntry,
} from "./model_list.ts";
import { declareWindow } from "./declare_window.ts";
import { missing, unlisted, unusable } from "./preflight_failures.ts";
import { findProfile, keepProfile } from "./profile_store.ts";
import type { StoredProfile } from "./profile_table.ts";
import { ErrorResponse, responseFault } from "svc/features/models/client/error_response.ts";
import { aliasOf } from "svc/features/models/server/server_plan.ts";
import { FIXTURE_OWNER, roomToGain, type SaidWindow, saidWindow } from "./server_window.ts";
import { type ProbePorts, probeTools } from "./tool_probe.ts";

const MODEL_PROFILE_MS = 7 * 24 * 3_600_000;

export interface PreflightPorts extends ProbePorts {
  readonly db?: Db;
  /** The role that it is opened for, to say what declares its window. */
  readonly role?: string;
}

export interface Preflight {
  readonly profile: ModelProfile;
  readonly route: ModelRoute;
  readonly notes: readonly string[];
}

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

/** Servers without a list: they do not know the path, the method, or what to answer (RFC 9110, 15.5.5, 15.5.6, 15.6.2). */
const NO_LIST = [404, 405, 501];

interface Listing {
  readonly entries: readonly ModelEntry[];
  /** Set where the server has no list; then the model that was named is asked. */
  readonly unlisted?: { readonly why: string; readonly thrown?: unknown };
}

async function listed(server: ServerConnection): Promise<Listing> {
  try {
    const entries = await modelEntries(server);
    if (entries !== undefined) return { entries };
    return { entries: [], unlisted: { why: "its list of models has no `data`" } };
  } catch (thrown) {
    if (!(thrown instanceof ErrorResponse) || !NO_LIST.includes(thrown.status)) throw thrown;
    const why = `it answered ${thrown.status} to "/models"`;
    return { entries: [], unlisted: { why, thrown } };
  }
}

interface FoundModel {
  readonly target: ModelTarget;
  readonly entry: ModelEntry;
  readonly said: SaidWindow;
  /** Tokens, as far as the server has said it by now. */
  readonly window: number | undefined;
}

async function find(server: ServerConnection, listing: Listing): Promise<FoundModel> {
  const { target } = server;
  const entry = listing.unlisted === undefined
    ? entryOf(listing.entries, target.model)
    : { id: target.model };
  if (entry === undefined) throw missing(target, listing.entries);
  const stated = entryWindow(entry);
  const said = await saidWindow(server, entry, { stated: stated !== undefined });
  return { target, entry, said, window: smaller(stated, said.running) };
}

function profileOf(
  route: ModelRoute,
  { endpoint, model, evidence, tools, context_window, usage_reported, probed_at }: StoredProfile,
  usual: number | undefined,
): ModelProfile {
  return {
    endpoint,
    model,
    evidence,
    tools,
    contextWindow: usableWindow(route, context_window, usual),
    usageReported: usage_reported === 1,
    probedAt: probed_at,
  };
}

const evidenceOf = ({ entry }: FoundModel) =>
  entry["owned_by"] === FIXTURE_OWNER ? "fixture" : "live";

/** With another window, or one that is known only once the model is loaded, the fingerprint is another. */
async function known(
  { db, clock }: PreflightPorts,
  found: FoundModel,
): Promise<StoredProfile | undefined> {
  const { target, entry, window } = found;
  const stored = db && await findProfile(db, target.endpoint, target.model);
  if (stored?.fingerprint !== await fingerprintOf(entry, window)) return undefined;
  const age = clock.now() - stored.probed_at;
  const fresh = age >= 0 && age < MODEL_PROFILE_MS && stored.evidence === evidenceOf(found);
  return fresh ? stored : undefined;
}

async function probed(
  ports: PreflightPorts,
  route: ModelRoute,
  found: FoundModel,
  server: ServerConnection,
): Promise<StoredProfile> {
  const { target: { endpoint, model }, entry, said, window } = found;
  const assumed: StoredProfile = {
    endpoint,
    model,
    fingerprint: "",
    tools: "native",
    context_window: window ?? null,
    usage_reported: 1,
    evidence: evidenceOf(found),
    probed_at: ports.clock.now(),
  };
  const { tools, usageReported } = await probeTools(
    ports,
    route,
    profileOf(route, assumed, said.usual),
  );
  // Answering has loaded the model.
  const awake = said.kind !== undefined && said.running === undefined
    ? await saidWindow(server, entry, { stated: window !== undefined, kind: said.kind })
    : said;
  const running = smaller(window, awake.running);
  const stored: StoredProfile = {
    ...assumed,
    fingerprint: await fingerprintOf(entry, running),
    tools,
    context_window: running ?? null,
    usage_reported: usageReported ? 1 : 0,
    probed_at: ports.clock.now(),
  };
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
  const listing = await asFailures(any, ports, listed(serverOf(any)));
  const { entries, unlisted: noList } = listing;
  if (noList !== undefined && asked.model === "") throw unlisted(any, noList.why, noList.thrown);
  const first = asked.model || (usualEntry(entries)?.id ?? any.model);
  const route: ModelRoute = { ...any, model: entryOf(entries, first)?.id ?? first };
  const server = serverOf(route);
  const found = await asFailures(route, ports, find(server, listing));
  try {
    const stored = await known(ports, found) ?? await probed(ports, route, found, server);
    return {
      profile: profileOf(route, stored, found.said.usual),
      route,
      notes: notesOf(asked, route, listing, { found, stored, role: ports.role }),
    };
  } catch (thrown) {
    const nowhere = thrown instanceof ModelFault && thrown.kind === "not_found" &&
      thrown.detail.ofModel === undefined;
    if (noList !== undefined && nowhere) throw unlisted(route, noList.why, thrown);
    return await asFailures(route, ports, Promise.reject(thrown));
  }
}

function notesOf(
  asked: ModelRoute,
  route: ModelRoute,
  { entries, unlisted }: Listing,
  { found, stored, role }: {
    readonly found: FoundModel;
    readonly stored: StoredProfile;
    readonly role: string | undefined;
  },
): string[] {
  const { model, endpoint } = route;
  const notes: string[] = [];
  if (asked.model === "") {
    const which = entries.length === 1
      ? "the only one"
      : `${entries[0]!.id === model ? "the first" : "one"} of ${entries.length}`;
    notes.push(`No model was named: taking "${model}", ${which} at "${endpoint}"`);
  }
  if (unlisted !== undefined) {
    notes.push(`"${endpoint}" lists no models: taking "${model}" as it was named`);
  }
  if (stored.evidence === "fixture") {
    notes.push(`"${endpoint}" is a test fixture: nothing that it does is live evidence`);
  }
  if (stored.tools === "text") {
    notes.push(`"${model}" does not call tools natively: they are offered in text`);
  }
  if (stored.context_window === null && route.contextWindow === undefined) {
    const { contextWindow } = profileOf(route, stored, found.said.usual);
    notes.push(
      `"${endpoint}" does not state its context window: ${contextWindow} tokens are assumed; ` +
        `to say it: ${declareWindow(route, role, contextWindow)}`,
    );
  }
  // For a server of its own svc has chosen the window.
  if (LOCAL_BUNDLES.some((id) => aliasOf({ id }) === model)) return notes;
  const gain = roomToGain(route, { ...found.said, running: stored.context_window ?? undefined });
  return gain === undefined ? notes : [...notes, gain];
}
