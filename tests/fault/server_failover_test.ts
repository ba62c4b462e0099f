/** A primary dies in the middle of a job, and its standby takes over: the address follows it, or names both. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { connectServer } from "svc/store/postgres/open.ts";
import { connectAlone } from "svc/store/postgres/pool.ts";
import { POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { tcpProxy } from "tests/kit/tcp_proxy.ts";
import { until } from "tests/kit/until.ts";
import { verifies } from "tests/kit/verifies.ts";
import { watchedEngine } from "tests/unit/runtime/engine_place.ts";
import {
  assertDoneOnce,
  hurried,
  migrated,
  QUICK_ENGINE,
  serverPlace,
  SHORT,
} from "./server_place.ts";

verifies(
  ["2.1:shared-database:holds-serve-state", "3.2:startup:resumes-active-jobs"],
  "nodes go on at a standby that was promoted (pg_basebackup, synchronous), and lose nothing that was acknowledged",
  { ignore: POSTGRES === undefined },
  async () => {
    await using primary = await startCluster({ durable: true });
    const login = await (await migrated(primary))();
    await using standby = await startCluster({ standbyOf: primary });
    await primary.psql("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await primary.psql("SELECT pg_reload_conf()");
    await until(
      async () => /sync/.test(await primary.psql("SELECT sync_state FROM pg_stat_replication")),
      () => "no standby",
    );
    {
      await using proxy = tcpProxy(standby.port);
      await using moved = connectServer({ clock: systemClock }, proxy.login(login), SHORT);
      const write = () => moved.db.insertInto("meta").values({ key: "k", value: "v" }).execute();
      await assert.rejects(write(), { message: /: the server is a read-only copy$/ });
      proxy.target(primary.port);
      await write(); // over another connection
      // libpq's form of an address skips the copy, for a pool and for a connection of its own.
      const others = [{ host: login.host, port: primary.port }];
      const skips = { ...login, port: standby.port, others, writable: true };
      await using pooled = connectServer({ clock: systemClock }, skips, SHORT);
      await pooled.db.deleteFrom("meta").where("key", "=", "k").execute();
      const alone = await connectAlone(skips);
      const { rows } = await alone.query("SELECT pg_is_in_recovery() AS copy");
      assert.deepEqual(rows, [{ copy: 0 }]);
      await alone.end();
    }
    // No proxy leads there: the address names both hosts, and takes the one that takes writes.
    const { host } = login;
    const both = { ...login, others: [{ host, port: standby.port }], writable: true };
    await using at = await serverPlace(both);
    // Nothing waits for its end, which a busy machine could reach between two signs of life.
    const times = { ...QUICK_ENGINE, leaseMs: 15_000 };
    const watched = watchedEngine(at.far, { modelEndpoint: at.model.url, times });
    const { engine, seen, events } = watched;
    await at.model.asked(2);
    await primary.stop("immediate");
    const lost = await seen((event) => event.kind === "claiming" && event.reason !== undefined);
    assert.match(
      lost.kind === "claiming" ? `${lost.reason}` : "",
      /the server (?:does not answer|is a read-only copy)$/,
    );
    // Before somebody promotes it, there is a copy alone that takes no writes.
    await until(
      () => /the server is a read-only copy$/.test(engine.state().reason ?? ""),
      () => engine.state().reason ?? "an engine that claims",
    );
    await standby.promote();
    await standby.psql("ALTER SYSTEM RESET synchronous_standby_names");
    await standby.psql("SELECT pg_reload_conf()");
    await using there = connectServer({ clock: systemClock }, both, SHORT);
    const moved = { ...at, near: { ...at.near, db: there.db } };
    await hurried(moved, watched);
    await seen((event) => event.kind === "ended" && event.job.role === "qa");
    await engine.idle();
    await engine.stop();
    assert.deepEqual(events.filter(({ kind }) => kind === "rescued"), []);
    await assertDoneOnce(moved);
  },
);
