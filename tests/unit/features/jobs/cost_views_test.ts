import assert from "node:assert/strict";
import { spentText } from "svc/core/cost.ts";
import { costs, type CostsAsked } from "svc/features/jobs/cost_views.ts";
import { finish } from "svc/features/jobs/job_store.ts";
import { type AddedUse, addUse, NO_USE } from "svc/features/jobs/use_store.ts";
import { spent } from "svc/dashboard/state/words.ts";
import type { Db } from "svc/store/schema.ts";
import { verifies } from "tests/kit/verifies.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";
import { NOW, REPO, running } from "./sample_job.ts";

const at = (time: string) => Date.parse(time);

const asked = (by: CostsAsked["by"], now: string, days = 3): CostsAsked => ({
  ...{ by, days, now: at(now), repoIds: [REPO] },
});

interface Used {
  readonly usd?: number;
  readonly basis?: "price" | "local" | "unknown" | "fixture";
  readonly model?: string;
  readonly tokens?: number;
}

/** @param tokens in; a tenth of them comes out */
function use({ usd, basis = "price", model = "large-1", tokens = 100 }: Used): AddedUse {
  return {
    ...{ ...NO_USE, turns: 1, tokens_in: tokens, tokens_out: tokens / 10, model },
    cost: { cost_basis: basis, cost_usd: basis === "price" ? usd! : null },
  };
}

async function history(db: Db): Promise<void> {
  const first = await running(db, { role: "engineer", ticket_id: "T-0001" });
  await finish(db, first, { disposition: "submitted" }, NOW);
  const review = await running(db, { role: "qa", ticket_id: "T-0001" });
  const alone = await running(db, { role: "ceo" });
  const elsewhere = await running(db, { role: "engineer", repo_id: "ba9876543210" });
  await addUse(db, first, use({ usd: 1.25 }), at("2026-05-04T23:59:59Z"));
  await addUse(db, first, use({ usd: 0.5 }), at("2026-05-05T00:00:00Z"));
  await addUse(
    db,
    review,
    use({ basis: "local", model: "own", tokens: 1_000 }),
    at("2026-05-05T08:00:00Z"),
  );
  await addUse(
    db,
    alone,
    use({ basis: "unknown", model: "odd", tokens: 500 }),
    at("2026-05-06T08:00:00Z"),
  );
  await addUse(db, elsewhere, use({ usd: 99 }), at("2026-05-06T08:00:00Z"));
}

verifies(
  "4.3:throughput:shape",
  "costs are told by day, ticket, role and model, each sum the same, other repos apart",
  async () => {
    await using store = await tempStore();
    await history(store.db);
    const now = "2026-05-06T12:00:00Z";
    const told = async (by: CostsAsked["by"]) => {
      const { rows, total } = await costs(store.db, asked(by, now));
      const { jobs, tokens_in, tokens_local, tokens_unknown, cost_usd, cost_unknown } = total;
      assert.deepEqual(
        { jobs, tokens_in, tokens_local, tokens_unknown, cost_usd, cost_unknown },
        {
          ...{ jobs: 3, tokens_in: 1_700, tokens_local: 1_100, tokens_unknown: 550 },
          ...{ cost_usd: 1.75, cost_unknown: 1 },
        },
      );
      return rows.map((row) => `${row.key} ${row.jobs}: ${spentText(row)}`);
    };
    assert.deepEqual(await told("day"), [
      "2026-05-04 1: $1.25",
      "2026-05-05 2: $0.50, and 1 k tokens without a price",
      "2026-05-06 1: no price known",
    ]);
    assert.deepEqual(await told("ticket"), [
      "T-0001 2: $1.75, and 1 k tokens without a price",
      "null 1: no price known",
    ]);
    assert.deepEqual(await told("role"), [
      ...["engineer 1: $1.75", "qa 1: no price (local)", "ceo 1: no price known"],
    ]);
    assert.deepEqual(await told("model"), [
      ...["large-1 1: $1.75", "own 1: no price (local)", "odd 1: no price known"],
    ]);
  },
);

Deno.test("what has no price is never told as free, by the command and by the page alike", () => {
  const tokens = { tokens_local: 0, tokens_unknown: 0, cost_unknown: 0 };
  const cases = [
    [{ cost_basis: null, cost_usd: null, ...tokens }, "–"],
    [{ cost_basis: "fixture", cost_usd: null, ...tokens }, "fixture"],
    [{ cost_basis: "price", cost_usd: 0.004, ...tokens }, "<$0.01"],
    [{ cost_basis: "local", cost_usd: null, ...tokens, tokens_local: 9 }, "no price (local)"],
    [{ cost_basis: "unknown", cost_usd: null, ...tokens, tokens_unknown: 9 }, "no price known"],
    [
      { cost_basis: "price", cost_usd: 0, ...tokens, tokens_unknown: 2e6, cost_unknown: 1 },
      "$0.00, and 2.0 M tokens without a price",
    ],
  ] as const;
  for (const [used, text] of cases) {
    assert.equal(spentText(used), text);
    assert.equal(spent(used), text);
  }
});

Deno.test("each day has 24 hours of UTC, also those on which clocks of a zone are set", async () => {
  // In Berlin 29 March 2026 has 23 hours and 25 October 25; in New York 8 March and 1 November.
  for (const day of ["2026-03-29", "2026-10-25", "2026-03-08", "2026-11-01"]) {
    await using store = await tempStore();
    const job = await running(store.db);
    const midnight = at(`${day}T00:00:00Z`);
    for (let hour = -1; hour <= 24; hour++) {
      await addUse(store.db, job, use({ usd: 1 }), midnight + hour * 3_600_000);
    }
    const { rows } = await costs(store.db, asked("day", `${day}T23:59:59Z`));
    assert.deepEqual(rows.map(({ cost_usd }) => cost_usd), [null, 1, 24]);
    assert.equal(rows.at(-1)!.key, day);
    const next = await costs(store.db, {
      ...asked("day", `${day}T23:59:59Z`, 5),
      now: midnight + 86_400_000,
    });
    assert.deepEqual(next.rows.map(({ turns }) => turns), [0, 0, 1, 24, 1]);
  }
});

Deno.test("days without use are told too; no database is no use", async () => {
  await using store = await tempStore();
  const empty = await costs(store.db, asked("day", "2026-03-01T00:00:00Z"));
  assert.deepEqual(empty.rows.map(({ key, jobs }) => [key, jobs]), [
    ...[["2026-02-27", 0], ["2026-02-28", 0], ["2026-03-01", 0]],
  ]);
  assert.deepEqual(await costs(undefined, asked("day", "2026-03-01T00:00:00Z")), empty);
});

Deno.test("of very many tickets the costliest are told, and the sum has them all", async () => {
  await using store = await tempStore();
  for (let nth = 1; nth <= 205; nth++) {
    const ticket_id = `T-${String(nth).padStart(4, "0")}`;
    const job = await running(store.db, { ticket_id, role: `r${nth}` });
    await addUse(store.db, job, use({ usd: nth }), at("2026-05-06T08:00:00Z"));
  }
  const { rows, left_out, total } = await costs(store.db, asked("ticket", "2026-05-06T09:00:00Z"));
  assert.deepEqual([rows.length, rows[0]!.key, left_out], [200, "T-0205", 5]);
  assert.deepEqual([total.jobs, total.cost_usd], [205, 205 * 206 / 2]);
});
