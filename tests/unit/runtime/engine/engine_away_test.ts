/** A model that is away for a while: jobs wait for it without using an attempt, and say so. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import type { EngineEvent } from "svc/runtime/engine/engine_plan.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { toldOf } from "tests/kit/queued_events.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { until } from "tests/kit/until.ts";
import {
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

/** As llama.cpp's server answers while it loads (tools/server/README.md, "GET /health"). */
const loading = () =>
  Response.json({
    error: { code: 503, message: "Loading model", type: "unavailable_error" },
  }, { status: 503 });

const refused = (): never => {
  throw new TypeError(
    "error sending request: tcp connect error: Connection refused (os error 111)",
  );
};

/** Waits a twentieth of the time: a request that is refused is asked again five times. */
const IMPATIENT = {
  ...systemClock,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 20, signal),
};

const isOver = ({ kind }: EngineEvent) => kind === "given_back" || kind === "ended";

const isChat = (url: string) => url.endsWith("/chat/completions");

/** Who is away, at which requests; and what the job says of it. */
const AWAY: Readonly<Record<string, [(url: string) => boolean, () => Response, RegExp]>> = {
  "refuses connections": [() => true, refused, /its model is away: .*nothing listens there/],
  "loads its model": [() => true, loading, /its model is away: .*503.*Loading model/],
  "lists its model while it loads": [isChat, loading, /503.*Loading model/],
};

for (const [what, [which, away, says]] of Object.entries(AWAY)) {
  Deno.test(`a job waits for a server that ${what}, and uses no attempt`, async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    let back = false;
    const tapped = async (input: string | URL | Request, init?: RequestInit) => {
      const url = input instanceof Request ? input.url : String(input);
      return back || !which(url) ? await fetch(input, init) : away();
    };
    await using ports = await enginePorts(base.path, { fetch: tapped, clock: IMPATIENT });
    await using endpoint = modelEndpoint(TEAM);
    const id = await registered(ports, repo.path);
    const ticket = await ticketed(ports, repo.path);
    const times = { modelLookMs: 20, modelLookMaxMs: 20, pollMs: 20, settleMs: 200 };
    const { engine, events, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url, times });
    await engine.begun;
    await queued(ports, id, "engineer", ticket);
    engine.wake();
    // More often than a job, and a ticket, has attempts.
    for (let look = 1; look <= 4; look++) {
      await seen(() => events.filter(isOver).length >= look);
      await ports.db.updateTable("jobs").set({ run_after: 0 }).where("status", "=", "pending")
        .execute();
      engine.wake();
    }
    // It is begun again and again meanwhile, and pending in between.
    const rowOfJob = () => ports.db.selectFrom("jobs").selectAll().executeTakeFirstOrThrow();
    let job = await rowOfJob();
    await until(async () => {
      job = await rowOfJob();
      return job.status !== "running";
    }, () => job.status);
    assert.deepEqual([job.status, job.disposition], ["pending", null]);
    assert.ok(job.attempt <= 1, "it may have begun an eighth time by now");
    assert.match(job.reason!, says);
    assert.deepEqual(await ports.db.selectFrom("settlements").selectAll().execute(), []);
    back = true;
    engine.wake();
    await seen((event) => event.kind === "ended" && event.job.role === "qa");
    await engine.idle();
    await engine.stop();
    const [done] = await ticketsOf(ports, repo.path);
    assert.deepEqual([done!.state, done!.attempts], ["done", 0]);
    const { attempt } = await ports.db.selectFrom("jobs").selectAll().where("id", "=", job.id)
      .executeTakeFirstOrThrow();
    assert.equal(attempt, 1);
    const told = await toldOf(ports.db, job.id);
    // Whoever follows the events knows that it waits, and why.
    const [ended] = told.splice(-1);
    assert.equal(ended!.status, "completed");
    for (const [at, { status, reason }] of told.entries()) {
      assert.equal(status, at % 2 === 0 ? "running" : "pending");
      if (status === "pending") assert.match(String(reason), says);
    }
    assert.ok(told.length >= 9, `${told.length}`);
    assert.equal((await jobLines(ports))[0], "engineer T-0001 completed submitted");
  });
}

Deno.test("a server that names a time is not asked before it", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  const busy = () =>
    Promise.resolve(
      Response.json({ error: { message: "busy" } }, {
        status: 429,
        headers: { "retry-after": "3600" },
      }),
    );
  await using ports = await enginePorts(base.path, { fetch: busy, clock: IMPATIENT });
  const id = await registered(ports, repo.path);
  const times = { modelLookMs: 20, modelLookMaxMs: 20, pollMs: 20, settleMs: 200 };
  const plan = { modelEndpoint: "http://127.0.0.1:9/v1", times };
  const { engine, seen } = watchedEngine(ports, plan);
  await engine.begun;
  await queued(ports, id, "engineer", await ticketed(ports, repo.path));
  engine.wake();
  await seen(({ kind }) => kind === "given_back");
  await engine.stop();
  const job = await ports.db.selectFrom("jobs").selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([job.status, job.attempt], ["pending", 0]);
  assert.ok(job.run_after > Date.now() + 3_000_000, job.reason ?? "");
});
