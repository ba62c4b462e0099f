/** The dashboard's listener: pages, controls, reads and events on a loopback address (spec section 4.3). */
import { loopbackAddress } from "svc/core/loopback.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import { type Listener, listenLoopback } from "svc/platform/net/listen.ts";
import type { Service } from "svc/runtime/service/plan.ts";
import type { Reads } from "svc/runtime/views/all.ts";
import { readRoutes, serviceRoutes } from "./api.ts";
import { type ControlPorts, controlRoutes } from "./control_routes.ts";
import { lastEventId } from "./event_message.ts";
import { EventStreams } from "./event_streams.ts";
import { gate } from "./gate.ts";
import { inboxRoutes } from "./inbox_routes.ts";
import { authorityOf, ownHosts, trustedOrigin } from "./own_hosts.ts";
import { lostPage, type PageAssets, pageRoutes } from "./pages.ts";
import { People } from "./people.ts";
import type { RouteHandler } from "./route.ts";
import { sessionRoutes } from "./session_routes.ts";

export interface DashboardPlan {
  /** Port 0 asks for a free one. */
  readonly addr: string;
  /** An exact https origin; requests through it need a session. */
  readonly trustedOrigin?: string | undefined;
  /** Without a strong one nobody can log in: reads and controls answer 503. */
  readonly secret?: string | undefined;
  /** The command that was run, such as `svc start`. */
  readonly command?: string | undefined;
  readonly clock: Clock;
  readonly log: Pick<Log, "write">;
  readonly service:
    & ControlPorts["service"]
    & Pick<Service, "decide" | "feed" | "glance" | "status">;
  readonly reads: Partial<Reads>;
  readonly assets: PageAssets;
}

/** `stop` ends event streams first. @throws Failure `usage`, before anything is bound */
export function dashboardListener(plan: DashboardPlan): Listener {
  const address = loopbackAddress(plan.addr);
  const { clock, log, service, secret, command } = plan;
  const trusted = plan.trustedOrigin === undefined ? undefined : trustedOrigin(plan.trustedOrigin);
  const remoteHost = trusted === undefined ? undefined : authorityOf(trusted);
  const port = () => listener.address.port;
  const people = new People({ clock, secret, command, trustedOrigin: trusted, port });
  const streams = new EventStreams({ feed: service.feed, sessions: people.sessions, clock });
  const events: RouteHandler = {
    handle: (call) => streams.open(people.caller(call)!, lastEventId(call.header("last-event-id"))),
    head: (call) => Promise.resolve(streams.head(people.caller(call)!)),
  };
  const routes = [
    ...serviceRoutes({
      ...sessionRoutes({ people, clock, log, service }),
      ...controlRoutes({ service, clock, log }),
      ...inboxRoutes({ service, log }),
      "GET /api/events": events,
    }),
    ...readRoutes(plan.reads),
    ...pageRoutes(plan.assets),
  ];
  let known: readonly string[] | undefined;
  const hosts = () =>
    known ??= [...ownHosts(listener.address), ...remoteHost === undefined ? [] : [remoteHost]];
  const listener = listenLoopback(
    address,
    gate({
      routes,
      hosts,
      // A page may call only the host that it was loaded from.
      origins: (host) => [host === remoteHost ? trusted! : `http://${host}`],
      clock,
      log,
      rate: people.rate,
      session: people.person,
      csrf: people.csrf,
      lost: (head) => lostPage(plan.assets, head),
    }),
  );
  return {
    address: listener.address,
    async stop(graceMs) {
      streams.close();
      await listener.stop(graceMs);
    },
  };
}
