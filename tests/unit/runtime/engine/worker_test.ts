/** What a worker does when the database answers late or not at all, and when a role ends with nothing to hand on. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import type { Db } from "svc/store/schema.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  type Taps,
  ticketed,
  watchedEngine,
} from "tests/unit/runtime/engine_place.ts";
import { finish, turns } from "tests/unit/runtime/team.ts";

/** A repo whose roles have nothing to do. */
async function place(taps: Taps = {}) {
  await using parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo());
  const base = parts.use(await tempFolder());
  const ports = parts.use(await enginePorts(base.path, taps));
  const endpoint = parts.use(modelEndpoint({ steps: turns(finish("no_work")) }));
  const id = await registered(ports, repo.path);
  const held = parts.move();
  return {
    ...{ repo, ports, endpoint, id },
    job: () => ports.db.selectFrom("jobs").selectAll().executeTakeFirstOrThrow(),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const away = () => new Failure("environment", "Cannot read: the server is away", { waits: true });

Deno.test("what waits after model calls were made uses an attempt: they would be paid for without end [1:serve:worker-pool]", async () => {
  let broken = false;
  const db = (real: Db): Db =>
    new Proxy(real, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          // The work is done by then, and is about to be concluded.
          if (broken && name === "selectFrom" && args[0] === "jobs") throw away();
          return Reflect.apply(value, target, args);
        };
      },
    });
  await using at = await place({ db });
  await queued(at.ports, at.id, "gardener");
  const { engine, seen } = watchedEngine(at.ports, { modelEndpoint: at.endpoint.url });
  await seen(({ kind }) => kind === "turn");
  broken = true;
  await seen(({ kind }) => kind === "given_back");
  broken = false;
  await engine.stop();
  const { status, attempt, category, reason } = await at.job();
  assert.deepEqual([status, attempt, category], ["pending", 1, "internal"]);
  assert.equal(reason, "Cannot read: the server is away");
});

Deno.test("a job whose claim was stored and never answered is done by the worker that asked [3.2:startup:resumes-active-jobs]", async () => {
  let lost = 0;
  const db = (real: Db): Db =>
    real.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult({ result }) {
        const [row] = result.rows;
        if (row?.status === "running" && row.lease_owner !== null && lost++ === 0) throw away();
        return Promise.resolve(result);
      },
    });
  await using at = await place({ db });
  await queued(at.ports, at.id, "gardener");
  const { engine, seen } = watchedEngine(at.ports, {
    modelEndpoint: at.endpoint.url,
    concurrency: 1,
    times: { pollMs: 20, watchMs: 20, claimRetry: { firstMs: 10, mostMs: 10 } },
  });
  await seen(({ kind }) => kind === "claiming");
  await seen((event) => event.kind === "claiming" && event.reason === undefined);
  await engine.idle();
  await engine.stop();
  assert.ok(lost > 0);
  assert.deepEqual(await jobLines(at.ports), ["gardener - completed no_work"]);
  const { attempt, generation } = await at.job();
  assert.deepEqual([attempt, generation], [1, 1]);
});

Deno.test("a dispatcher that hands out nothing is not asked again at once [1:serve:worker-pool]", async () => {
  await using at = await place();
  await ticketed(at.ports, at.repo.path);
  let audits = 0;
  const { engine, seen } = watchedEngine(at.ports, {
    modelEndpoint: at.endpoint.url,
    leads: () => ++audits > 0,
    times: { auditMs: 600_000 },
  });
  await engine.begun;
  await engine.idle();
  const before = audits;
  // A person asks for it, so that its model answers.
  await queued(at.ports, at.id, "orchestrator");
  engine.wake();
  await seen(({ kind }) => kind === "ended");
  await engine.idle();
  assert.equal(audits, before);
  await engine.stop();
  assert.deepEqual(await jobLines(at.ports), ["orchestrator - completed no_work"]);
});
