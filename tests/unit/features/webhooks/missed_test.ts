import assert from "node:assert/strict";
import type { HostDelivery } from "svc/features/access/code_host_intake.ts";
import { missedDeliveries } from "svc/features/webhooks/missed.ts";
import { verifies } from "tests/kit/verifies.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString();

const delivery = (id: number, guid: string, status_code: number): HostDelivery => ({
  ...{ id, guid, status_code, delivered_at: at(id) },
});

const ids = (deliveries: readonly HostDelivery[], taken: readonly string[] = []) =>
  missedDeliveries(deliveries, new Set(taken)).map(({ id }) => id);

verifies(
  "6:code-host:missed-deliveries",
  "what failed, and arrived in no other attempt, is asked for again in the order that it happened",
  () => {
    const failed = [delivery(4, "d", 502), delivery(2, "b", 504), delivery(1, "a", 0)];
    assert.deepEqual(ids(failed), [1, 2, 4]);
    assert.deepEqual(ids([delivery(5, "a", 200), ...failed]), [2, 4]);
    // An answer that was lost: svc took it, and GitHub counts it as failed.
    assert.deepEqual(ids(failed, ["b"]), [1, 4]);
  },
);

Deno.test("the newest attempt is asked for again, and after three nobody asks", () => {
  assert.deepEqual(ids([delivery(3, "a", 503), delivery(1, "a", 502)]), [3]);
  assert.deepEqual(ids([1, 2, 3].map((id) => delivery(id, "a", 401))), []);
});
