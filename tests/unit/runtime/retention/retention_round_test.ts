/** The daily retention of a team: records once, and files where they lie. */
import assert from "node:assert/strict";
import { nodeBegan } from "svc/features/nodes/node_store.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { removeOwn } from "svc/platform/files/remove_below.ts";
import { homeOf } from "svc/platform/home.ts";
import { retentionRound } from "svc/runtime/retention/retention_round.ts";
import { DAY, NOW, type OldPlace, oldPlace } from "./old_place.ts";

/** A node with a home of its own, beside the place's, on the same database. */
async function nodeIn(place: OldPlace, nth: number) {
  const node = { id: `01a206f5-0000-7000-8000-00000000000${nth}`, name: `node-${nth}` };
  const facts = {
    ...node,
    ...{ owner: `o${nth}`, version: "1.0.0", concurrency: 1, abilities: "[]", schema: null },
  };
  await nodeBegan(place.ports.db, facts, null, NOW);
  const home = homeOf({ get: (name) => name === "SVC_HOME" ? `${place.base}/${nth}` : undefined });
  const ports = { ...place.ports, home, node, removeOwn: removeOwn(() => home.root) };
  return {
    ports,
    /** What a job leaves that ran here. */
    async fileOf(job: string) {
      await Deno.mkdir(`${home.traces}/outputs/${job}`, { recursive: true });
      await Deno.writeTextFile(`${home.traces}/outputs/${job}/file`, "x");
      return () => Deno.stat(`${home.traces}/outputs/${job}`).then(() => true, () => false);
    },
    round(days: number, settings = ports.settings) {
      const clock = { ...ports.clock, now: () => NOW + days * DAY };
      const look = { signal: ports.signal, quiet: true, freeBytes: 0 };
      return retentionRound(
        { ...ports, clock, settings, diskFree: () => Promise.resolve(1e12) },
        look,
      );
    },
  };
}

Deno.test("a service does not say which repo it looks at: nobody waits for it", async () => {
  await using place = await oldPlace();
  const node = await nodeIn(place, 1);
  await node.round(0); // the first look believes no time yet
  const said: string[] = [];
  Object.assign(node.ports, { progress: { update: (text: string) => said.push(text) } });
  assert.ok(await node.round(0.9));
  assert.deepEqual(said, []);
});

Deno.test("each node looks through its own files once a day, and one of them through the records", async () => {
  await using place = await oldPlace();
  const [north, south] = [await nodeIn(place, 1), await nodeIn(place, 2)];
  const job = await place.job(40);
  const [there, here] = [await north.fileOf(job), await south.fileOf(job)];
  const oldReport = () =>
    recordEvent(place.ports.db, { type: "telemetry", data: {} }, NOW - 4000 * DAY);
  const reports = async () =>
    (await place.ports.db.selectFrom("events").select("id").where("type", "=", "telemetry")
      .execute()).length;
  await oldReport();
  await north.round(0); // the first look believes no time yet

  assert.ok(await north.round(0.9));
  assert.equal(await there(), false);
  assert.equal(await here(), true, "files of another node's home are its own");
  assert.equal(await reports(), 0, "records went with the first node");

  await oldReport();
  assert.ok(await south.round(0.95));
  assert.equal(await here(), false);
  assert.equal(await reports(), 1, "the day's run over records was the other's");
  assert.equal(await south.round(1), undefined);
});

Deno.test("a node that was killed in its run looks through its files soon, not a day later", async () => {
  await using place = await oldPlace();
  const [north, south] = [await nodeIn(place, 1), await nodeIn(place, 2)];
  const there = await north.fileOf(await place.job(40));
  await north.round(0); // the first look believes no time yet
  await south.round(0.9); // has the day's run over records
  await assert.rejects(north.round(0.91, () => Promise.reject(new Error("killed"))), /killed/);
  assert.equal(await there(), true);
  assert.ok(await north.round(0.96));
  assert.equal(await there(), false);
});
