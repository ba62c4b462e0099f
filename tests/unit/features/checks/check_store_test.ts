import assert from "node:assert/strict";
import { checksWithin, recordCheck } from "svc/features/checks/check_store.ts";
import { type Check, ENDINGS, OUTCOMES } from "svc/features/checks/check_table.ts";
import { verifies } from "tests/kit/verifies.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";
import { check, checksOf } from "./sample_check.ts";

Deno.test("checksWithin gives a role's checks in a repo and a span of time, oldest first", async () => {
  await using store = await tempStore();
  for (const [name, started_at] of [["a", 10], ["c", 30], ["b", 20]] as const) {
    await recordCheck(store.db, check({ name, started_at }));
  }
  await recordCheck(store.db, check({ name: "other", repo_id: "ba9876543210", started_at: 20 }));
  await recordCheck(store.db, check({ name: "judge's", role: "qa", started_at: 20 }));
  const names = async (from: number, to: number, limit: number) => {
    const span = { repoId: "0123456789ab", role: "engineer", from, to, limit };
    return (await checksWithin(store.db, span)).map(({ name }) => name);
  };
  assert.deepEqual(await names(10, 30, 10), ["a", "b", "c"]);
  assert.deepEqual(await names(10, 30, 2), ["a", "b"]);
  assert.deepEqual(await names(11, 29, 10), ["b"]);
});

Deno.test("a check comes back as it was stored", async () => {
  await using store = await tempStore();
  const failed = check({
    outcome: "checks_failed",
    ending: "signalled",
    exit_code: null,
    signal: "SIGKILL",
    reason: "was killed by SIGKILL",
  });
  await recordCheck(store.db, failed);
  assert.deepEqual(await checksOf(store.db, failed.repo_id), [failed]);
});

verifies(
  "3.1:check-outcome:closed-list",
  "the database refuses a check that cannot be",
  async () => {
    await using store = await tempStore();
    const failed = { outcome: "checks_failed", reason: "why" } as const;
    const endings = (ending: Check["ending"]): Partial<Check> => ({
      ...failed,
      ending,
      exit_code: ending === "exited" ? 1 : null,
      signal: ending === "signalled" ? "SIGTERM" : null,
    });
    for (const ending of ENDINGS) await recordCheck(store.db, check(endings(ending)));
    assert.deepEqual(OUTCOMES, ["passed", "checks_failed"]);
    const impossible: Partial<Record<keyof Check, unknown>>[] = [
      { outcome: "failed", reason: "why", exit_code: 1 },
      { outcome: "passed", exit_code: 1 },
      { outcome: "passed", ending: "timed_out", exit_code: null },
      { ...failed, exit_code: 0 },
      { ...failed, exit_code: 1, reason: null },
      { ...endings("exited"), exit_code: null },
      { ...endings("exited"), signal: "SIGTERM" },
      { ...endings("signalled"), signal: null },
      { ...endings("not_started"), exit_code: 1 },
      { ending: "bored" },
      { name: "" },
      { command: "make test" },
      { started_at: "yesterday" },
      { duration_ms: -1 },
      { log_path: "relative.log" },
    ];
    for (const other of impossible) {
      const stored = recordCheck(store.db, check(other as Partial<Check>));
      await assert.rejects(
        stored,
        /constraint|cannot store|invalid input syntax/i,
        JSON.stringify(other),
      );
    }
  },
);
