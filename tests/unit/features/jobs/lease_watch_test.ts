/** An outage of the database is not the death of everybody who works. */
import assert from "node:assert/strict";
import { leaseWatch } from "svc/features/jobs/lease_watch.ts";
import { rescueExpired } from "svc/features/jobs/job_store.ts";
import { verifies } from "tests/kit/verifies.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";
import { NOW, running } from "./sample_job.ts";

verifies(
  "1:serve:recovery-watchdog",
  "a lease starts anew after an outage, however the watcher met it",
  async () => {
    await using store = await tempStore();
    const job = await running(store.db);
    let monotonic = 0;
    const watch = leaseWatch({ monotonic: () => monotonic });
    const look = (tookMs = 0) => {
      watch.ask();
      monotonic += tookMs;
      watch.look([job]);
      return watch.silent(job);
    };
    const pass = (ms: number) => (monotonic += ms);
    const outages: Record<string, () => void> = {
      "a look that failed": () => watch.ask(),
      "an answer that came late": () => look(20_000),
      "a write that failed": () => watch.cannotWrite(),
    };
    assert.equal(look(), false);
    for (const [how, outage] of Object.entries(outages)) {
      pass(59_999);
      outage();
      assert.equal(look(), false, how);
      pass(59_999);
      assert.equal(look(), false, how);
      pass(1);
      assert.equal(look(), true, how);
      watch.cannotWrite();
      look();
    }
  },
);

verifies(
  "1:serve:recovery-watchdog",
  "a job that cannot be taken back, as nothing can be written, gets a full lease",
  async () => {
    await using store = await tempStore();
    const job = await running(store.db);
    let monotonic = 0;
    const watch = leaseWatch({ monotonic: () => monotonic });
    const rescue = (db = store.db) =>
      rescueExpired(db, { now: NOW, watch, isAlive: () => "unknown" });
    await rescue();
    monotonic += 60_000;
    const full = store.db.withPlugin({
      transformQuery({ node }) {
        if (node.kind === "RawNode") throw new Error("no room");
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    await assert.rejects(rescue(full), /no room/);
    assert.deepEqual(await rescue(), []);
    monotonic += 60_000;
    assert.deepEqual((await rescue()).map((each) => each.job.id), [job.id]);
  },
);
