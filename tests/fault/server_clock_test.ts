/** Nodes whose clocks are wrong, apart and jumping: the clock of the server decides who has a job, and for how long. */
import assert from "node:assert/strict";
import { type Clock, systemClock } from "svc/platform/clock.ts";
import { POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { verifies } from "tests/kit/verifies.ts";
import { watchedEngine } from "tests/unit/runtime/engine_place.ts";
import { assertDoneOnce, migrated, QUICK_ENGINE, serverPlace } from "./server_place.ts";

const HOUR = 3_600_000;

/** Long beside what a busy machine lets a node wait, short beside an hour: only a wrong clock ends such a lease. */
const TIMES = { ...QUICK_ENGINE, leaseMs: 60_000 };

/** The time of day alone, as a clock that somebody sets does. */
const setBy = (offset: () => number): Clock => ({
  ...systemClock,
  now: () => systemClock.now() + offset(),
});

verifies(
  ["2.1:shared-database:holds-serve-state", "4.5:serve:db"],
  "nodes whose clocks are an hour apart, or jump, take no job from each other",
  { ignore: POSTGRES === undefined },
  async () => {
    await using cluster = await startCluster();
    let jumps = 0;
    const clock = setBy(() => (jumps++ % 3 - 1) * HOUR);
    await using at = await serverPlace(await (await migrated(cluster))(), { far: { clock } });
    const early = { ...at.near, clock: setBy(() => -HOUR) };
    const late = { ...at.near, clock: setBy(() => HOUR) };
    const nodes = [at.far, early, late].map((ports) =>
      watchedEngine(ports, { modelEndpoint: at.model.url, times: TIMES })
    );
    await Promise.race(
      nodes.map(({ seen }) => seen((event) => event.kind === "ended" && event.job.role === "qa")),
    );
    await Promise.all(nodes.map(({ engine }) => engine.idle()));
    await Promise.all(nodes.map(({ engine }) => engine.stop()));
    const events = nodes.flatMap(({ events }) => events);
    assert.deepEqual(events.filter(({ kind }) => kind === "rescued"), []);
    await assertDoneOnce(at);
    const jobs = await at.near.db.selectFrom("jobs").selectAll().execute();
    for (const { attempt, started_at, finished_at } of jobs) {
      assert.equal(attempt, 1);
      const lasted = finished_at! - started_at!;
      assert.ok(lasted >= 0 && lasted < HOUR / 2, `a job that lasted ${lasted} ms`);
    }
  },
);
