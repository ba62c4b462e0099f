/** A heartbeat that a network has swallowed does not cost the lease. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { whileHeld } from "svc/runtime/job/heartbeat.ts";
import { verifies } from "tests/kit/verifies.ts";
import { running } from "tests/unit/features/jobs/sample_job.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

verifies(
  "2.1:shared-database:holds-serve-state",
  "the next heartbeat is sent although the last one has no answer",
  async () => {
    await using store = await tempStore();
    const job = await running(store.db);
    const second = Promise.withResolvers<void>();
    let sent = 0;
    const db = store.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult({ result }) {
        if (++sent === 1) return new Promise(() => {});
        second.resolve();
        return Promise.resolve(result);
      },
    });
    const log = { write: (level: string, text: string) => assert.fail(`${level} ${text}`) };
    const { signal } = new AbortController();
    const ports = { clock: systemClock, db, log, signal };
    const stopped = await whileHeld(
      ports as unknown as Parameters<typeof whileHeld>[0],
      job,
      async (held) => {
        await second.promise;
        return held.stopped();
      },
      { heartbeatMs: 5 },
    );
    assert.equal(stopped, undefined);
  },
);
