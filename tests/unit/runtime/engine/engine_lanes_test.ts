/** Models and roles that are held back: it is said once, and lifted by what shows that they work again. */
import assert from "node:assert/strict";
import { lineOf } from "svc/cli/service/lines.ts";
import { endStatus } from "svc/features/jobs/job_machine.ts";
import { cancel, claimNext, finish as end } from "svc/features/jobs/job_store.ts";
import {
  pausedLanes,
  pauseFailingRole,
  resumeLane,
  roleLane,
} from "svc/features/jobs/lane_store.ts";
import { peekLanes } from "svc/features/jobs/peek_lanes.ts";
import type { EngineEvent } from "svc/runtime/engine/engine_plan.ts";
import { type ModelEndpoint, modelEndpoint, type Step } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  jobLines,
  type Parts,
  queued,
  registered,
  watchedEngine,
} from "tests/unit/runtime/engine_place.ts";
import { finish, turns } from "tests/unit/runtime/team.ts";

/** A model whose quota is used up until `paid` is called; then each role finds no work. */
function billedModel(): ModelEndpoint & { paid(): void } {
  let owed = true;
  const [step] = turns(finish("no_work"));
  const roles = Object.fromEntries(
    ["orchestrator", "gardener"].map((role) => [role, [{
      ...step!,
      get bad() {
        return owed ? "insufficient_quota" : undefined;
      },
    } as Step]]),
  );
  return Object.assign(modelEndpoint({ roles }), { paid: () => void (owed = false) });
}

/** Lists its models only for a key that it knows; from `opened` on it knows whichever comes. */
function lockedModel(): AsyncDisposable & { readonly url: string; asks: number; opened(): void } {
  const [step] = turns(finish("no_work"));
  const roles = { orchestrator: [step!], gardener: [step!] };
  const model = modelEndpoint({ roles });
  let locked = true;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (incoming) => {
    if (locked) {
      made.asks++;
      // As https://api.openai.com/v1/models answers.
      const error = { message: "Incorrect API key provided", code: "invalid_api_key" };
      return Response.json({ error }, { status: 401 });
    }
    const { pathname } = new URL(incoming.url);
    const { method, headers } = incoming;
    const body = method === "POST" ? { body: await incoming.text() } : {};
    return await fetch(new URL(pathname, model.url), { method, headers, ...body });
  });
  const made = {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    asks: 0,
    opened: () => void (locked = false),
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await model[Symbol.asyncDispose]();
    },
  };
  return made;
}

interface Place extends AsyncDisposable {
  readonly ports: Parts;
  readonly id: string;
  readonly root: string;
  readonly base: string;
}

async function place(): Promise<Place> {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo());
  const base = parts.use(await tempFolder());
  const ports = parts.use(await enginePorts(base.path));
  const id = await registered(ports, repo.path);
  const [root, folder] = [repo.path, base.path];
  return { ports, id, root, base: folder, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

const ended = (events: readonly EngineEvent[]) =>
  events.flatMap((event) => event.kind === "ended" ? [lineOf(event, () => "")!.text] : []);

const lanes = async ({ db, clock }: Parts) =>
  (await pausedLanes(db, clock.now())).map(({ kind }) => kind);

Deno.test("a model without quota is held back, said once, and lifted by the next job it answers", async () => {
  await using at = await place();
  const { ports, id } = at;
  await using model = billedModel();
  await queued(ports, id, "orchestrator");
  await queued(ports, id, "gardener");
  const said = ended(await carryOut(ports, model.url, { concurrency: 1 }));
  assert.match(
    said[0]!,
    /^orchestrator: waits: .*quota.*; model \S+ at \S+ is held back; mend that/,
  );
  assert.match(said[0]!, /svc doctor says what lifts it$/);
  assert.match(said[1]!, /^gardener: waits: .*; model \S+ at \S+ is held back$/);
  const told = (await ports.db.selectFrom("events").select("data").orderBy("id").execute())
    .map(({ data }) => JSON.parse(data) as { held_back?: string; status?: string })
    .filter(({ held_back }) => held_back !== undefined);
  assert.deepEqual(told.map(({ status }) => status), ["pending"]);
  assert.deepEqual(await jobLines(ports), ["orchestrator - pending -", "gardener - pending -"]);
  const [peeked] = peekLanes(`${at.base}/svc.db`, "in use", Date.now());
  assert.deepEqual([peeked!.kind, peeked!.role, peeked!.repo], ["model", "orchestrator", at.root]);

  model.paid();
  assert.deepEqual(ended(await carryOut(ports, model.url)), [], "nobody asks it by itself");
  await queued(ports, id, "ceo");
  await ports.db.updateTable("jobs").set({ role: "gardener" }).where("role", "=", "ceo").execute();
  await carryOut(ports, model.url);
  assert.deepEqual(await lanes(ports), []);
  assert.deepEqual(await jobLines(ports), [
    "orchestrator - completed no_work",
    "gardener - completed no_work",
    "gardener - completed no_work",
  ]);
});

for (const named of ["#fixture-model", ""]) {
  Deno.test(`a model that refuses the key before any work is held back, too: "${named}"`, async () => {
    await using at = await place();
    const { ports, id } = at;
    await using model = lockedModel();
    const url = model.url + named;
    const most = { concurrency: 1 };
    await queued(ports, id, "orchestrator");
    await queued(ports, id, "gardener");
    const said = ended(await carryOut(ports, url, most));
    assert.match(
      said[0]!,
      /^orchestrator: waits: .*key.*; model \S+ at \S+ is held back; mend that/,
    );
    assert.match(said[1]!, /^gardener: waits: .*; model \S+ at \S+ is held back$/);
    assert.deepEqual(await jobLines(ports), ["orchestrator - pending -", "gardener - pending -"]);
    const { asks } = model;
    assert.deepEqual(ended(await carryOut(ports, url, most)), [], "no attempt is made");
    assert.equal(model.asks, asks);

    model.opened();
    assert.deepEqual(ended(await carryOut(ports, url, most)), [], "nobody asks it by itself");
    await queued(ports, id, "ceo");
    await ports.db.updateTable("jobs").set({ role: "gardener" }).where("role", "=", "ceo")
      .execute();
    await carryOut(ports, url, most);
    assert.deepEqual(await lanes(ports), [], "the first job that it answers lifts it");
    assert.deepEqual(await jobLines(ports), [
      "orchestrator - completed no_work",
      "gardener - completed no_work",
      "gardener - completed no_work",
    ]);
  });
}

/** @returns whether the role is held back by it now */
async function failOnce({ ports, id }: Place): Promise<boolean> {
  const { id: jobId } = await queued(ports, id, "gardener");
  const now = ports.clock.now();
  const job = (await claimNext(ports.db, { owner: "w", now, jobId }))!;
  await end(ports.db, job, { disposition: "stuck" }, now);
  assert.equal(endStatus("stuck"), "failed");
  return await pauseFailingRole(ports.db, job, now);
}

Deno.test("a job that a person ends holds no role back, whatever failed before", async () => {
  await using at = await place();
  const { ports, id } = at;
  assert.deepEqual([await failOnce(at), await failOnce(at), await failOnce(at)].at(-1), true);
  await resumeLane(ports.db, "role", roleLane(id, "gardener")); // as a person lets it go on
  await using model = modelEndpoint({ roles: { gardener: [{ bad: "hang", always: true }] } });
  const job = await queued(ports, id, "gardener");
  const times = { heartbeatMs: 50 };
  const { engine, seen } = watchedEngine(ports, { modelEndpoint: model.url, times });
  await model.asked(1);
  await cancel(ports.db, job.id, "changed my mind", ports.clock.now());
  await seen(({ kind }) => kind === "ended");
  await engine.idle();
  await engine.stop();
  assert.equal((await jobLines(ports)).at(-1), "gardener - failed cancelled");
  assert.deepEqual(await lanes(ports), []);
});

Deno.test("a role that failed thrice and then does its work is not held back again", async () => {
  await using at = await place();
  const { ports, id } = at;
  const fail = () => failOnce(at);
  assert.deepEqual([await fail(), await fail(), await fail()], [false, false, true]);
  await resumeLane(ports.db, "role", roleLane(id, "gardener"));
  await using model = billedModel();
  model.paid();
  await queued(ports, id, "gardener");
  await carryOut(ports, model.url);
  assert.equal((await jobLines(ports)).at(-1), "gardener - completed no_work");
  assert.deepEqual(await lanes(ports), []);
  assert.equal(await fail(), false, "the count begins anew");
});
