/** One run of `svc start` or `svc serve`: its ports as the confined Worker has them, and its control listener. */
import type { App } from "svc/app.ts";
import type { Profile } from "svc/core/permission.ts";
import { claimState } from "svc/features/jobs/queue_store.ts";
import { isOurs, listRepos } from "svc/features/repos/repo_store.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { Listener } from "svc/platform/net/listen.ts";
import type { EnginePorts } from "svc/runtime/engine/engine_plan.ts";
import type { Service, Shape } from "svc/runtime/service/plan.ts";
import { reposWithin } from "svc/runtime/start/confinement.ts";
import type { Store } from "svc/store/open.ts";
import type { ServiceOptions } from "./flags.ts";
import type { SaidByEnvironment } from "svc/features/settings/reporting.ts";
import {
  listenAt,
  ownAccounts,
  type Secrets,
  takeReporting,
  takeSecrets,
  usualAddress,
} from "./listen.ts";

export interface ServiceCall {
  readonly shape: Shape;
  readonly options: ServiceOptions & { readonly force?: boolean; readonly newLifecycle?: boolean };
  readonly profile: Exclude<Profile, "isolated">;
}

export interface ServiceRun extends ServiceCall {
  readonly app: App;
  readonly ports: EnginePorts;
  readonly secrets: Secrets;
  /** What the environment says about telemetry. */
  readonly said: SaidByEnvironment;
  /** Monotonic ms. */
  readonly startedAt: number;
  /** Read anew each time. */
  repos(): Promise<readonly RegisteredRepo[]>;
  readonly living: { service?: Service };
}

export function serviceRun(app: App, { db }: Store, call: ServiceCall): ServiceRun {
  const { shape, profile } = call;
  const root = app.confinement?.repos[0];
  return {
    ...call,
    app,
    startedAt: app.clock.monotonic(),
    living: {},
    secrets: takeSecrets(app),
    said: takeReporting(app),
    ports: { ...app, db, profile, ...reposWithin(app, app.confinement) },
    repos: async () =>
      (await listRepos(db)).filter((row) =>
        shape === "serve" ? isOurs(row, app.node) : row.path === root
      ),
  };
}

/** Binds the control listener: it answers from now on, also while the service still begins. */
export async function openControl(run: ServiceRun): Promise<Listener> {
  const { app, options, shape, ports, secrets, living, startedAt } = run;
  const { controlListener } = await app.load("src/http/control");
  const { addr: typed, concurrency: workers } = options;
  const usual = await usualAddress(app, "control");
  return listenAt({ typed, flag: "--addr", usual, shape }, (addr) =>
    controlListener({
      addr,
      clock: app.clock,
      db: ports.db,
      log: app.log,
      async opener() {
        const { RepoOpener } = await app.load("src/features/repos/repo");
        return new RepoOpener(ports);
      },
      own: ownAccounts(app),
      secrets: { github: secrets.github, linear: secrets.linear },
      onStored: () => living.service?.wake(),
      async facts() {
        const uptimeSecs = Math.floor((app.clock.monotonic() - startedAt) / 1000);
        const { paused } = await claimState(ports.db); // throws when the database does not answer
        // Not the status: that looks at every repo, which a probe of health need not wait for.
        const { running = [], watchedAt: looked } = living.service?.vitals() ?? {};
        return {
          database: true,
          workers,
          paused,
          uptimeSecs,
          running: running.length,
          lastHeartbeatSecs: looked === undefined
            ? undefined
            : Math.max(0, Math.floor((app.clock.now() - looked) / 1000)),
        };
      },
    }));
}
