/** The control listener: health and webhooks on a loopback address, nothing else (spec section 4.1). */
import { HEALTH_MS, WEBHOOK_MANIFEST_MS } from "svc/core/bounds.ts";
import { loopbackAddress } from "svc/core/loopback.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { Clock } from "svc/platform/clock.ts";
import { type Listener, listenLoopback } from "svc/platform/net/listen.ts";
import type { RepoOpener } from "svc/features/repos/repo.ts";
import { answer } from "./answer.ts";
import { gate } from "./gate.ts";
import { ownHosts } from "./own_hosts.ts";
import type { HttpRoute } from "./route.ts";
import { type WebhookPorts, webhookRoutes } from "./webhook_routes.ts";

interface HealthFacts {
  readonly database: boolean;
  readonly workers: number;
  readonly running: number;
  readonly paused: boolean;
  /** Undefined before svc first looked for lost workers. */
  readonly lastHeartbeatSecs: number | undefined;
  readonly uptimeSecs: number;
}

export interface ControlPlan
  extends Pick<WebhookPorts, "db" | "log" | "onStored" | "own" | "secrets"> {
  /** Port 0 asks for a free one. */
  readonly addr: string;
  /** Further values of `Host`, such as a tunnel's. */
  readonly hosts?: readonly string[];
  readonly clock: Clock;
  /** Called with the first event: the code that reads manifests takes longer to load than the listener. */
  opener(): Promise<Pick<RepoOpener, "hostAt" | "manifestAt">>;
  facts(): Promise<HealthFacts>;
}

/** @throws Failure `usage`, before anything is bound, for an address that is no loopback one */
export function controlListener(plan: ControlPlan): Listener {
  const address = loopbackAddress(plan.addr);
  const { clock, log, hosts = [] } = plan;
  let opened: ReturnType<ControlPlan["opener"]> | undefined;
  const opener = () => {
    if (opened === undefined) {
      opened = plan.opener();
      // The next event tries again; the caller sees the error.
      opened.catch(() => opened = undefined);
    }
    return opened;
  };
  const webhooks = webhookRoutes({
    ...plan,
    manifestOf: manifests({ clock, opener }),
    hostOf: async (repo) => repo.host ?? await (await opener()).hostAt(repo),
  });
  const handler = gate({
    routes: [healthRoute(() => plan.facts(), clock), ...webhooks],
    hosts: () => [...ownHosts(listener.address), ...hosts],
    clock,
    log,
  });
  const listener: Listener = listenLoopback(address, handler);
  return listener;
}

/** Cached for `WEBHOOK_MANIFEST_MS`, since many events come at once. */
function manifests(
  { opener, clock }: Pick<ControlPlan, "clock" | "opener">,
): (repo: RegisteredRepo) => Promise<Manifest | undefined> {
  const known = new Map<string, { at: number; manifest: Promise<Manifest | undefined> }>();
  return async (repo) => {
    const now = clock.monotonic();
    const kept = known.get(repo.id);
    if (kept !== undefined && now - kept.at < WEBHOOK_MANIFEST_MS) return await kept.manifest;
    const manifest = opener().then((found) => found.manifestAt(repo.path))
      .then((reading) => reading.manifest);
    manifest.catch(() => known.delete(repo.id)); // its caller sees the error
    known.set(repo.id, { at: now, manifest });
    return await manifest;
  };
}

/** Names no path and no secret; facts that fail or are late count as no database. */
function healthRoute(
  facts: () => Promise<HealthFacts>,
  clock: Pick<Clock, "sleep">,
): HttpRoute {
  return {
    method: "GET",
    path: "/healthz",
    access: "open",
    body: { kind: "none" },
    async handle() {
      const ended = new AbortController();
      const late = clock.sleep(HEALTH_MS, ended.signal).then(() => undefined);
      const known = await Promise.race([facts().catch(() => undefined), late]);
      ended.abort();
      if (known === undefined) return answer(503, { ok: false, database: false });
      const { database, workers, running, paused, lastHeartbeatSecs, uptimeSecs } = known;
      return answer(database ? 200 : 503, {
        ok: database,
        database,
        workers,
        running,
        paused,
        last_heartbeat_secs: lastHeartbeatSecs ?? null,
        uptime_secs: uptimeSecs,
      });
    },
  };
}
