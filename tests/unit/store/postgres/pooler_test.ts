/** What a pooler between svc and the server does to sessions: Debian's pgbouncer, in each of its ways. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { Failure } from "svc/core/failure.ts";
import { moreTelling, serverFailure } from "svc/store/postgres/errors.ts";
import { connectServer, openServer } from "svc/store/postgres/open.ts";
import { connectAlone } from "svc/store/postgres/pool.ts";
import { sql } from "svc/store/query.ts";
import { claimsOf } from "svc/store/server_adapter.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import type { Db } from "svc/store/schema.ts";
import { PGBOUNCER, pooler, type PoolerPlan } from "tests/kit/pgbouncer.ts";
import { POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { verifies } from "tests/kit/verifies.ts";

const ignore = POSTGRES === undefined || !PGBOUNCER;

/** By default it refuses settings that go with a login; told to, it drops them without a word. */
const WAYS: readonly (readonly string[])[] = [[], ["ignore_startup_parameters = options"]];

async function shown(db: Db, name: string): Promise<string> {
  const { rows: [row] } = await sql<
    Record<string, string>
  >`SELECT current_setting(${name}) AS found`
    .execute(db);
  return row!.found!;
}

const faultOf = async (login: ServerLogin): Promise<string> => {
  await using store = connectServer({ clock: systemClock }, login);
  return await shown(store.db, "statement_timeout")
    .then(
      (found) => `statement_timeout is ${found}`,
      (thrown) => thrown.message.replace(/^.*": /, ""),
    );
};

verifies("2.1:shared-database:holds-serve-state", "a pooler that keeps sessions gets all limits", {
  ignore,
}, async () => {
  await using cluster = await startCluster({ settings: ["timezone = 'Asia/Kolkata'"] });
  for (const settings of WAYS) {
    await using between = await pooler(cluster, { mode: "session", settings });
    const login = between.login(await cluster.database());
    await using store = await openServer({ clock: systemClock }, login);
    const claims = claimsOf(store.db)!.db as Db;
    for (const db of [store.db, claims]) {
      assert.equal(await shown(db, "statement_timeout"), "1min");
      assert.equal(await shown(db, "lock_timeout"), "20s");
      assert.equal(await shown(db, "idle_in_transaction_session_timeout"), "10s");
      assert.equal(await shown(db, "TimeZone"), "UTC");
      assert.equal(await shown(db, "jit"), "off");
    }
    assert.equal(await shown(store.db, "enable_sort"), "on");
    assert.equal(await shown(claims, "enable_sort"), "off");
    const alone = await connectAlone(login);
    const { rows } = await alone.query("SHOW lock_timeout");
    assert.deepEqual(rows, [{ lock_timeout: "20s" }]);
    await alone.end();
  }
});

verifies(
  "2.1:shared-database:holds-serve-state",
  "a pooler that mixes sessions is refused, and told how to keep them",
  { ignore },
  async () => {
    await using cluster = await startCluster();
    for (const mode of ["transaction", "statement"] as const) {
      for (
        const settings of [...WAYS, ["default_pool_size = 1"], ["server_round_robin = 1"]]
      ) {
        await using between = await pooler(cluster, { mode, settings });
        const login = await cluster.database();
        assert.equal(
          await faultOf(between.login(login)),
          "a pooler before it mixes sessions",
          `${mode} ${settings}`,
        );
        // What others do by way of it is as before.
        const left = await cluster.psql(
          `SELECT count(*) FROM pg_stat_activity WHERE datname = '${login.database}' AND state <> 'idle'`,
        );
        assert.equal(left.trim(), "0");
      }
    }
  },
);

verifies(
  "2.1:shared-database:holds-serve-state",
  "what a pooler refuses in its own words is told as the server's refusal",
  {
    ignore,
  },
  async () => {
    await using cluster = await startCluster();
    const users = { svc: "right" };
    const refused = async (plan: Partial<PoolerPlan>, more: Partial<ServerLogin>) => {
      await using between = await pooler(cluster, { mode: "session", users, ...plan });
      return await faultOf({ ...between.login(cluster.login), ...more });
    };
    assert.equal(await refused({}, { password: "right" }), "statement_timeout is 1min");
    assert.equal(await refused({}, { password: "wrong" }), "the server refuses the login");
    assert.equal(
      await refused({}, { password: "right", user: "stranger" }),
      "the server refuses the login",
    );
    assert.equal(
      await refused({}, { password: "right", database: "absent" }),
      "the server has no such database",
    );
  },
);

Deno.test("what a pooler passes on in the server's language is told in its words, and waits", () => {
  const said = (message: string) => {
    const thrown = Object.assign(new Error(message), { code: "08P01" });
    const silent = new Error("timeout exceeded when trying to connect");
    const { message: told, remedy, detail } = Failure.from(
      serverFailure(moreTelling(thrown, silent), "postgres://db"),
    );
    return [told.replace(/^.*?": /, ""), remedy, detail.waits];
  };
  const look = "Look whether the server runs, and has the database: psql -h <host> -p <port> -l";
  for (
    const words of ["Datenbank »absent« existiert nicht", "client_login_timeout (server down)"]
  ) {
    assert.deepEqual(said(words), [
      `the server or a pooler before it says "${words}"`,
      look,
      true,
    ]);
  }
  const gone = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  assert.equal(moreTelling(Object.assign(new Error("x"), { code: "08P01" }), gone), gone);
});
