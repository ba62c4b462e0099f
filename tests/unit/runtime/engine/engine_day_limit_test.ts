/** Limits of the day, with the real engine, git, SQLite and HTTP; the model's price is the user's. */
import assert from "node:assert/strict";
import { Config } from "svc/features/settings/config_file.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import {
  AT_NOON,
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  ticketed,
  ticketsOf,
  watchedEngine,
} from "tests/unit/runtime/engine_place.ts";
import { TEAM } from "tests/unit/runtime/team.ts";

/** A dollar for a thousand tokens, in and out. */
const PRICES = { "*": { input: 1_000, cached_input: 1_000, output: 1_000 } };

verifies(
  ["3.2:pause:no-new-claims", "3.2:pause:running-jobs-finish"],
  "a limit of the day lets the job that runs finish, holds the next ones of every service, and is raised while svc runs",
  async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    const limits: Record<string, string> = { day: "$0.01" };
    const settings = () =>
      Promise.resolve(Config.parse({ models: { prices: PRICES }, claim_limits: { ...limits } }));
    await using ports = await enginePorts(base.path, { clock: AT_NOON });
    await using second = await enginePorts(base.path, { clock: AT_NOON });
    const id = await registered(ports, repo.path);
    const ticket = await ticketed(ports, repo.path);
    await using endpoint = modelEndpoint(TEAM);
    await queued(ports, id, "engineer", ticket);
    const plan = {
      ...{ concurrency: 1, modelEndpoint: endpoint.url },
      times: { limitsLookMs: 0, pollMs: 20 },
    };

    // What it may spend is gone with the first reply, and the job goes on to its end.
    const first = watchedEngine({ ...ports, settings }, plan);
    await first.engine.idle();
    assert.deepEqual(await jobLines(ports), [
      "engineer T-0001 completed submitted",
      "qa T-0001 pending -",
    ]);
    const [hold] = first.engine.state().holds;
    assert.match(hold!.says, /^held until 00:00 UTC: the limit of <?\$0\.01 a day is reached \(/);
    assert.equal(first.engine.state().claims, "claiming");
    assert.equal(first.events.filter(({ kind }) => kind === "held").length, 1);
    const told = await ports.db.selectFrom("events").select("data")
      .where("type", "=", "status_change").orderBy("id", "desc").executeTakeFirstOrThrow();
    assert.match(told.data, /"state":"paused","claims":"paused","reason":"held until 00:00 UTC/);

    // Another service on the same database is held by what the first one spent.
    const other = watchedEngine({ ...second, settings }, plan);
    await other.engine.idle();
    assert.equal(other.engine.state().holds.length, 1);
    await other.engine.stop();
    assert.equal(other.events.filter(({ kind }) => kind === "claimed").length, 0);

    // Raised in the config: nobody starts anything anew.
    limits.day = "$5000";
    await first.seen((event) => event.kind === "held" && event.holds.length === 0);
    await first.seen((event) => event.kind === "claimed" && event.job.role === "qa");
    await first.engine.idle();
    assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "done");
    await first.engine.stop();
    await first.engine.done;
  },
);
