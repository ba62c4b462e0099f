/** Takes one delivery whose signature is good: stores it together with the request it makes. */
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { rolesTriggered } from "svc/features/jobs/job_triggers.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import type { Db } from "svc/store/schema.ts";
import { insertDelivery } from "./delivery_store.ts";
import type { DeliveryRow, WebhookSource } from "./delivery_table.ts";
import { GITHUB_RULES } from "./github_rules.ts";
import { LINEAR_RULES, teamOf } from "./linear_rules.ts";
import type { Payload } from "./payload.ts";
import { requestOfEvent, type RuleFacts, type WebhookRule } from "./rule.ts";
import type { RequestDraft } from "./request.ts";
import { addRequest } from "./request_store.ts";

export interface Delivery {
  readonly source: WebhookSource;
  readonly id: string;
  readonly event: string;
  readonly payload: Payload;
}

export interface IntakePorts {
  readonly db: Db;
  /** The last good one. */
  manifestOf(repo: RegisteredRepo): Promise<Manifest | undefined>;
  /** Undefined where none is known for sure. */
  hostOf(repo: RegisteredRepo): Promise<string | undefined>;
  /** svc's own accounts: logins of GitHub, ids of users or applications of Linear. */
  readonly own: Readonly<Record<WebhookSource, readonly string[]>>;
}

export type TakenDelivery =
  /** Stored before the answer, so a crash does not lose it. */
  | { readonly kind: "accepted" }
  /** It, or an event of the same meaning, came before. */
  | { readonly kind: "duplicate" }
  | { readonly kind: "noted" }
  | { readonly kind: "ignored"; readonly reason: string };

const RULES: Readonly<Record<WebhookSource, readonly WebhookRule[]>> = {
  github: GITHUB_RULES,
  linear: LINEAR_RULES,
};

/** The first registered one, when several clones have one remote. */
function oldest(repos: readonly RegisteredRepo[]): RegisteredRepo | undefined {
  return [...repos].sort((a, b) => a.created_at - b.created_at || a.path.localeCompare(b.path))[0];
}

interface DeliveryTarget {
  /** As the sender names it. */
  readonly subject: string | undefined;
  readonly repo: RegisteredRepo | undefined;
  readonly manifest: Manifest | undefined;
}

/** The signed body tells it; the header `X-GitHub-Enterprise-Host` is not signed. */
function hostOfGithub(payload: Payload): string | undefined {
  return URL.parse(payload.name("repository.html_url") ?? "")?.host;
}

const valueOf = <T>(settled: PromiseSettledResult<T> | undefined) =>
  settled?.status === "fulfilled" ? settled.value : undefined;

async function targetOf(
  ports: IntakePorts,
  { source, payload }: Delivery,
): Promise<DeliveryTarget> {
  const repos = await listRepos(ports.db);
  if (source === "github") {
    const subject = payload.name("repository.full_name");
    const name = subject?.toLowerCase();
    const named = repos.filter(({ remote }) => remote?.toLowerCase() === name);
    const hosts = await Promise.allSettled(named.map((repo) => ports.hostOf(repo)));
    const from = hostOfGithub(payload);
    const repo = oldest(named.filter((_, at) => from !== undefined && valueOf(hosts[at]) === from));
    // One that cannot be looked at, such as on a disk that is away, may be the one that is meant.
    const fault = hosts.find((host) => host.status === "rejected");
    if (repo === undefined && fault !== undefined) throw fault.reason;
    return { subject, repo, manifest: repo && await ports.manifestOf(repo) };
  }
  const subject = teamOf(payload);
  const manifests = await Promise.all(repos.map((repo) => ports.manifestOf(repo)));
  const repo = oldest(
    repos.filter((_, at) =>
      subject !== undefined && manifests[at]?.integrations.linear?.team === subject
    ),
  );
  return { subject, repo, manifest: repo && manifests[repos.indexOf(repo)] };
}

/** Labels that hand an issue of GitHub to svc. */
export function labelsOf(manifest: Manifest | undefined): readonly string[] {
  const labels = manifest?.integrations.github?.labels ?? [];
  return labels.length > 0 ? labels : ["svc"];
}

function factsOf(
  { source }: Delivery,
  { repo, manifest }: DeliveryTarget,
  own: IntakePorts["own"],
): RuleFacts {
  return {
    labels: labelsOf(manifest).map((label) => label.toLowerCase()),
    branch: repo?.branch ?? "",
    own: new Set(own[source].map((name) => name.toLowerCase())),
  };
}

const ACTORS: Readonly<Record<WebhookSource, readonly string[]>> = {
  github: ["sender.login"],
  linear: ["actor.id", "data.userId", "data.botActor.id"],
};

/** `github.issues.labeled`, as the manifest's triggers name it. */
function eventName({ source, event, payload }: Delivery): string {
  const action = payload.name("action");
  return [source, event, ...(action === undefined ? [] : [action])].join(".");
}

function requestedBy(
  delivery: Delivery,
  target: DeliveryTarget,
  own: IntakePorts["own"],
): RequestDraft | string {
  const { source, payload } = delivery;
  if (target.repo === undefined) return source === "github" ? "unknown repo" : "unknown team";
  const facts = factsOf(delivery, target, own);
  const actors = ACTORS[source].map((path) => payload.name(path)?.toLowerCase() ?? "");
  if (actors.some((actor) => facts.own.has(actor))) return "own doing";
  const happened = { event: delivery.event, action: payload.name("action"), payload };
  const draft = requestOfEvent(RULES[source], happened, facts);
  if (typeof draft !== "string" || target.manifest === undefined) return draft;
  const happening = { kind: "webhook", event: eventName(delivery) } as const;
  if (rolesTriggered(target.manifest, happening).length === 0) return draft;
  const item = {
    title: payload.text("data.title"),
    url: payload.name("url") ?? payload.name("repository.html_url") ?? "",
    by: payload.name("sender.login") ?? payload.name("actor.name") ?? "somebody",
  };
  return { kind: "trigger", item, key: `trigger:${delivery.id}` };
}

/** Stores all or nothing, so that a delivery that failed counts when it is sent again. @param signal aborted when nobody waits for the answer; then nothing is written */
export async function takeDelivery(
  ports: IntakePorts,
  delivery: Delivery,
  now: number,
  signal: AbortSignal,
): Promise<TakenDelivery> {
  signal.throwIfAborted();
  const { source, id, event, payload } = delivery;
  const ping = source === "github" && event === "ping";
  const target = await targetOf(ports, delivery);
  const draft = ping ? undefined : requestedBy(delivery, target, ports.own);
  const reason = typeof draft === "string" ? draft : null;
  const action = payload.name("action");
  const row: DeliveryRow = {
    source,
    id,
    event: action === undefined ? event : `${event}.${action}`,
    subject: target.subject ?? null,
    repo_id: target.repo?.id ?? null,
    outcome: ping ? "noted" : reason === null ? "accepted" : "ignored",
    reason,
    received_at: now,
  };
  return await ports.db.transaction().execute(async (db): Promise<TakenDelivery> => {
    signal.throwIfAborted();
    if (!await insertDelivery(db, row)) return { kind: "duplicate" };
    if (typeof draft === "string") return { kind: "ignored", reason: draft };
    if (draft === undefined) return { kind: "noted" };
    const request = { repo_id: target.repo!.id, source, event: eventName(delivery), draft };
    return { kind: await addRequest(db, request, now) === "known" ? "duplicate" : "accepted" };
  });
}
