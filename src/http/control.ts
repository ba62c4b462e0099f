/** The control listener: health and webhooks on a loopback address, nothing else (spec section 4.1). */
import { WEBHOOK_MANIFEST_MS } from "svc/core/bounds.ts";
import { loopbackAddress } from "svc/core/loopback.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { Clock } from "svc/platform/clock.ts";
import { type Listener, listenLoopback } from "svc/platform/net/listen.ts";
import type { RepoViews } from "svc/runtime/repo_view.ts";
import { gate } from "./gate.ts";
import { type HealthFacts, healthRoute } from "./health.ts";
import { ownHosts } from "./own_hosts.ts";
import { type WebhookPorts, webhookRoutes } from "./webhook_routes.ts";

export interface ControlPlan
  extends Pick<WebhookPorts, "db" | "log" | "onStored" | "own" | "secrets"> {
  /** `127.0.0.1:9090`; port 0 asks for a free one. */
  readonly addr: string;
  /** Further values of `Host`: of a tunnel on this machine that passes its own on. */
  readonly hosts?: readonly string[];
  readonly clock: Clock;
  /** Asked with the first event: reading manifests takes longer to load than the listener itself. */
  views(): Promise<Pick<RepoViews, "look">>;
  facts(): Promise<HealthFacts>;
}

/**
 * It takes requests at once; `stop` lets running ones end.
 * @throws Failure `usage` before anything is bound when `addr` is no literal loopback address
 */
export function controlListener(plan: ControlPlan): Listener {
  const address = loopbackAddress(plan.addr);
  const { clock, log, hosts = [] } = plan;
  const manifestOf = manifests(plan);
  const webhooks = webhookRoutes({ ...plan, manifestOf });
  const handler = gate({
    routes: [healthRoute(() => plan.facts(), clock), ...webhooks],
    hosts: () => [...ownHosts(listener.address), ...hosts],
    clock,
    log,
  });
  const listener: Listener = listenLoopback(address, handler);
  return listener;
}

/** Read again after `WEBHOOK_MANIFEST_MS`: many events come at once. */
function manifests(
  { views, clock }: ControlPlan,
): (repo: RegisteredRepo) => Promise<Manifest | undefined> {
  let opened: ReturnType<ControlPlan["views"]> | undefined;
  const known = new Map<string, { at: number; manifest: Promise<Manifest | undefined> }>();
  return async (repo) => {
    const now = clock.monotonic();
    const kept = known.get(repo.id);
    if (kept !== undefined && now - kept.at < WEBHOOK_MANIFEST_MS) return await kept.manifest;
    const manifest = (opened ??= views()).then((all) => all.look(repo))
      .then((view) => view.manifest);
    manifest.catch(() => known.delete(repo.id)); // whoever awaits it sees it
    known.set(repo.id, { at: now, manifest });
    return await manifest;
  };
}
