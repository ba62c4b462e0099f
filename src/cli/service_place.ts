/** Where a service runs: its ports as its confined Worker has them, its repos, its control listener. */
import type { App } from "svc/app.ts";
import { Failure } from "svc/core/failure.ts";
import type { Profile } from "svc/core/permission.ts";
import { quoted } from "svc/core/repo_path.ts";
import { claimState } from "svc/features/jobs/queue_store.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import type { Repo } from "svc/features/repos/repo_table.ts";
import type { Listener } from "svc/platform/net/listen.ts";
import type { EnginePorts } from "svc/runtime/engine/engine_plan.ts";
import type { Service, Shape } from "svc/runtime/service/plan.ts";
import type { Store } from "svc/store/open.ts";
import type { ServiceAsked, StartAsked } from "./service_confine.ts";
import {
  listenAt,
  ownAccounts,
  type Secrets,
  takeSecrets,
  usualAddress,
} from "./service_listen.ts";

export type Allowed = Exclude<Profile, "isolated">;

export interface Place {
  readonly app: App;
  readonly shape: Shape;
  readonly asked: ServiceAsked & Partial<StartAsked>;
  readonly profile: Allowed;
  readonly ports: EnginePorts;
  readonly secrets: Secrets;
  /** Monotonic ms. */
  readonly startedAt: number;
  /** Asked anew each time. */
  repos(): Promise<readonly Repo[]>;
  /** The service, once it began. */
  readonly living: { service?: Service };
}

export function placeOf(
  app: App,
  store: Store,
  asked: Pick<Place, "asked" | "profile" | "shape">,
): Place {
  const { shape, profile } = asked;
  const root = app.confinement?.repos[0];
  return {
    app,
    ...asked,
    startedAt: app.clock.monotonic(),
    living: {},
    secrets: takeSecrets(app),
    ports: {
      ...app,
      home: app.home,
      db: store.db,
      profile,
      folder: confinedFolder(app),
    },
    repos: async () =>
      (await listRepos(store.db)).filter(({ path }) => shape === "serve" || path === root),
  };
}

/** A repo of the database that this Worker may not reach is named as such, and stays out of its way. */
function confinedFolder(app: App): EnginePorts["folder"] {
  const known = new Set(app.confinement?.repos);
  const own = `${app.home.worktrees}/`;
  return async (root) => {
    if (known.has(root) || root.startsWith(own)) return await app.folder(root);
    throw new Failure("refused", `Cannot work on ${quoted(root)}: it was registered later`, {
      remedy: "Start svc serve again",
    });
  };
}

/** Binds the control listener: it answers from now on, also while the service still begins. */
export async function openControl(place: Place): Promise<Listener> {
  const { app, asked, shape, ports, secrets, living, startedAt } = place;
  const { controlListener } = await app.load("src/http/control");
  const { concurrency: workers } = asked;
  const usual = await usualAddress(app, "control");
  return listenAt({ typed: asked.addr, flag: "--addr", usual, shape }, (addr) =>
    controlListener({
      addr,
      clock: app.clock,
      db: ports.db,
      log: app.log,
      async views() {
        const { RepoViews } = await app.load("src/runtime/repo_view");
        return new RepoViews(ports);
      },
      own: ownAccounts(app),
      secrets: { github: secrets.github, linear: secrets.linear },
      onWish: () => living.service?.wake(),
      async facts() {
        const uptimeSecs = Math.floor((app.clock.monotonic() - startedAt) / 1000);
        const { paused } = await claimState(ports.db); // throws when the database does not answer
        const status = await living.service?.status();
        const looked = status?.watchedAt;
        return {
          database: true,
          workers,
          paused,
          uptimeSecs,
          running: status?.running.length ?? 0,
          lastHeartbeatSecs: looked === undefined
            ? undefined
            : Math.max(0, Math.floor((app.clock.now() - looked) / 1000)),
        };
      },
    }));
}
