/** A repo, a scripted team and a PostgreSQL database that lies behind a proxy, for faults of the server and of the way to it. */
import { systemClock } from "svc/platform/clock.ts";
import type { ServerTimes } from "svc/store/postgres/dialect.ts";
import { connectServer, openServer } from "svc/store/postgres/open.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import type { Store } from "svc/store/store.ts";
import { type ModelEndpoint, modelEndpoint, type Scenario } from "tests/kit/model_endpoint.ts";
import { addressOf, type Cluster } from "tests/kit/postgres.ts";
import { type TcpProxy, tcpProxy } from "tests/kit/tcp_proxy.ts";
import { tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  type Parts,
  queued,
  registered,
  type Taps,
  ticketed,
  ticketsOf,
  type Watched,
} from "tests/unit/runtime/engine_place.ts";
import { TEAM } from "tests/unit/runtime/team.ts";
import assert from "node:assert/strict";
import { jobLines } from "tests/unit/runtime/engine_place.ts";

/** What a node waits for in seconds is waited for in parts of one. */
export const SHORT: ServerTimes = { awayMs: 300, answerMs: 700 };

export const QUICK_ENGINE = {
  ...{ pollMs: 50, watchMs: 200, settleMs: 100, repoWaitMs: 100 },
  ...{ leaseMs: 1500, heartbeatMs: 300, claimRetry: { firstMs: 100, mostMs: 400 } },
};

/** With svc's schema, on which databases of tests are modelled: a fifth of the time of migrating each. */
export async function migrated(cluster: Cluster): Promise<() => Promise<ServerLogin>> {
  const model = await cluster.database();
  await using _store = await openServer({ clock: systemClock }, model);
  let made = 0;
  return async () => {
    const database = `${model.database}_${++made}`;
    await cluster.psql(`CREATE DATABASE ${database} TEMPLATE ${model.database}`);
    const login = { ...model, database };
    return { ...login, shown: addressOf(login) };
  };
}

export interface ServerPlace extends AsyncDisposable {
  readonly login: ServerLogin;
  readonly proxy: TcpProxy;
  readonly repo: TempRepo;
  readonly model: ModelEndpoint;
  /** A node whose way to the server is the proxy. */
  readonly far: Parts;
  /** A node that is beside the server. */
  readonly near: Parts;
}

/** A job of the engineer waits for a node. */
export async function serverPlace(
  login: ServerLogin,
  { scenario = TEAM, far: taps = {}, port = login.port }: {
    readonly scenario?: Scenario;
    readonly far?: Taps;
    readonly port?: number;
  } = {},
): Promise<ServerPlace> {
  await using held = new AsyncDisposableStack();
  const repo = held.use(await harnessedRepo());
  const base = held.use(await tempFolder("svc-server-"));
  const model = held.use(modelEndpoint(scenario));
  const proxy = held.use(tcpProxy(port));
  const near = held.use(await enginePorts(base.path, { database: login.shown }));
  const through: Store = held.use(
    connectServer({ clock: taps.clock ?? systemClock }, proxy.login(login), SHORT),
  );
  const far = held.use(
    await enginePorts(base.path, { database: login.shown, ...taps, db: () => through.db }),
  );
  const id = await registered(near, repo.path);
  await queued(near, id, "engineer", await ticketed(near, repo.path));
  const parts = held.move();
  return {
    ...{ login, proxy, repo, model, far, near },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** The next attempt of a job that met a fault begins at once. */
export async function hurried({ near }: Pick<ServerPlace, "near">, { engine, seen }: Watched) {
  await seen((event) => event.kind === "given_back" || event.kind === "ended");
  await near.db.updateTable("jobs").set({ run_after: 1 }).where("status", "=", "pending")
    .execute();
  engine.wake();
}

/** The ticket is done by one merge, and each of its jobs counted once. */
export async function assertDoneOnce({ near, repo }: ServerPlace): Promise<void> {
  // Sorted: the clocks of nodes, which may be wrong, say in which order jobs were made.
  assert.deepEqual((await jobLines(near)).sort(), [
    "engineer T-0001 completed submitted",
    "orchestrator - completed no_work",
    "qa T-0001 completed approved",
  ]);
  assert.deepEqual((await ticketsOf(near, repo.path)).map(({ state }) => state), ["done"]);
  const merges = await repo.git("log", "--merges", "--first-parent", "--format=%s");
  assert.equal(merges.trim().split("\n").length, 1);
  const moves = await repo.git("log", "--format=%s", "main", "--", ".tickets", ".harness");
  const told = moves.trim().split("\n");
  assert.equal(new Set(told).size, told.length, moves);
  const decisions = await near.db.selectFrom("decisions").select("job_id").execute();
  assert.equal(new Set(decisions.map(({ job_id }) => job_id)).size, decisions.length);
  assert.equal(await repo.git("status", "--porcelain"), "");
}
