import assert from "node:assert/strict";
import type { ClaimLimits } from "svc/core/budget_shape.ts";
import { claimHolds } from "svc/features/jobs/claim_limits.ts";
import { claimNext, enqueue, finish } from "svc/features/jobs/job_store.ts";
import { addUse, NO_USE } from "svc/features/jobs/use_store.ts";
import { Config } from "svc/features/settings/config_file.ts";
import type { Db } from "svc/store/schema.ts";
import { verifies } from "tests/kit/verifies.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";
import { asked, NOW, REPO, running } from "./sample_job.ts";

const OTHER = "ba9876543210";
const at = (time: string) => Date.parse(time);

interface Spent {
  readonly role?: string;
  readonly repo?: string;
  readonly usd?: number;
  readonly tokens?: number;
  readonly unpriced?: boolean;
}

async function spend(db: Db, time: string, spent: Spent): Promise<void> {
  const { role = "engineer", repo: repo_id = REPO, usd = 0, tokens = 0, unpriced = false } = spent;
  const job = await running(db, { role, repo_id });
  await addUse(db, job, {
    ...{ ...NO_USE, turns: 1, spent_usd: usd, spent_tokens: tokens },
    ...(unpriced && { cost: { cost_basis: "unknown", cost_usd: null } as const }),
  }, at(time));
  await finish(db, job, { disposition: "submitted" }, NOW);
}

const says = async (db: Db, limits: ClaimLimits, time: string) =>
  (await claimHolds(db, limits, at(time))).map((hold) => hold.says);

Deno.test("a limit of the day holds once it is reached, until the next midnight in UTC", async () => {
  await using store = await tempStore();
  const { db } = store;
  const limits = { day: "$5" };
  await spend(db, "2026-05-04T08:00:00Z", { usd: 3 });
  assert.deepEqual(await says(db, limits, "2026-05-04T09:00:00Z"), []);
  await spend(db, "2026-05-04T10:00:00Z", { repo: OTHER, role: "qa", usd: 2.12 });
  const [hold, more] = await claimHolds(db, limits, at("2026-05-04T23:59:59Z"));
  assert.equal(more, undefined);
  assert.equal(
    hold!.says,
    "held until 00:00 UTC: the limit of $5.00 a day is reached ($5.12 spent)",
  );
  assert.equal(
    hold!.raise,
    "Raise claim_limits.day in ~/.svc/config.yaml, or wait: svc goes on by itself",
  );
  assert.equal(hold!.until, at("2026-05-05T00:00:00Z"));
  assert.deepEqual(await says(db, limits, "2026-05-05T00:00:00Z"), []);
  // Raised, it is free; lowered, it holds again.
  assert.deepEqual(await says(db, { day: "$6" }, "2026-05-04T12:00:00Z"), []);
  assert.equal((await says(db, { day: "$4" }, "2026-05-04T12:00:00Z")).length, 1);
  assert.deepEqual(await says(db, {}, "2026-05-04T12:00:00Z"), []);
});

Deno.test("days of 23 and 25 hours of the user's zone are days of 24 hours of UTC", async () => {
  for (const day of ["2026-03-29", "2026-10-25"]) {
    await using store = await tempStore();
    await spend(store.db, `${day}T00:00:00Z`, { tokens: 100 });
    const [hold] = await claimHolds(store.db, { day_tokens: 100 }, at(`${day}T12:00:00Z`));
    assert.equal(hold!.until, at(`${day}T00:00:00Z`) + 24 * 3_600_000);
    assert.deepEqual(await says(store.db, { day_tokens: 100 }, new Date(hold!.until).toJSON()), []);
    const before = new Date(hold!.until - 1).toJSON();
    assert.equal((await says(store.db, { day_tokens: 100 }, before)).length, 1);
  }
});

verifies(
  "3.2:pause:no-new-claims",
  "a clock that is set back frees no limit again, and one that was wrong by far holds for no year",
  async () => {
    await using store = await tempStore();
    const { db } = store;
    const limits = { day: "$5" };
    await spend(db, "2026-05-04T23:00:00Z", { usd: 2 });
    await spend(db, "2026-05-05T00:30:00Z", { usd: 5 });
    assert.equal((await says(db, limits, "2026-05-05T01:00:00Z")).length, 1);
    // Set back by an hour and a half, and by three days: what was spent since is spent.
    assert.deepEqual(await says(db, limits, "2026-05-04T23:30:00Z"), [
      "held until 2026-05-06, 00:00 UTC: the limit of $5.00 a day is reached ($7.00 spent)",
    ]);
    assert.equal((await says(db, limits, "2026-05-02T01:00:00Z")).length, 1);
    await spend(db, "2031-01-01T00:00:00Z", { usd: 900 });
    assert.deepEqual(await says(db, limits, "2026-05-06T00:00:00Z"), []);
  },
);

Deno.test("a role's limit holds that role of that repo alone; tokens are bounded as money is", async () => {
  await using store = await tempStore();
  const { db } = store;
  await spend(db, "2026-05-04T08:00:00Z", { role: "qa", tokens: 600 });
  await spend(db, "2026-05-04T08:00:00Z", { role: "qa", repo: OTHER, tokens: 400 });
  await spend(db, "2026-05-04T08:00:00Z", { tokens: 100 });
  const holds = await claimHolds(db, { role_tokens: 500 }, at("2026-05-04T09:00:00Z"));
  assert.deepEqual(holds.map(({ repo_id, role, says }) => [repo_id, role, says]), [[
    ...[REPO, "qa"],
    'role "qa" is held until 00:00 UTC: the limit of 500 tokens a day for a role is reached (600 tokens spent)',
  ]]);
  assert.equal((await says(db, { day_tokens: "1k" }, "2026-05-04T09:00:00Z")).length, 1);
  assert.equal((await says(db, { day_tokens: 1_101 }, "2026-05-04T09:00:00Z")).length, 0);
});

verifies(
  "3.2:pause:no-new-claims",
  "what has no known price is not passed over as free: a limit in money holds, unless tokens bound it",
  async () => {
    await using store = await tempStore();
    const { db } = store;
    await spend(db, "2026-05-04T08:00:00Z", { tokens: 700, unpriced: true });
    const now = "2026-05-04T09:00:00Z";
    const [hold] = await claimHolds(db, { day: "$5" }, at(now));
    assert.equal(
      hold!.says,
      "held until 00:00 UTC: the limit of $5.00 a day (claim_limits.day) cannot be kept, since a model without a known price was used",
    );
    assert.equal(
      hold!.raise,
      "Write claim_limits.day_tokens beside it in ~/.svc/config.yaml, and prices under models.prices",
    );
    assert.deepEqual(await says(db, { day: "$5", day_tokens: "1k" }, now), []);
    assert.equal((await says(db, { day: "$5", day_tokens: 700 }, now)).length, 1);
  },
);

verifies(
  "3.2:pause:no-new-claims",
  "a role that is held back has no job claimed, and others go on",
  async () => {
    await using store = await tempStore();
    const { db } = store;
    await enqueue(db, asked({ role: "qa" }), NOW);
    const { job: other } = await enqueue(db, asked({ role: "ceo" }), NOW + 1);
    const claim = { owner: "w", now: NOW + 2, heldRoles: [`${REPO}/qa`] };
    assert.equal((await claimNext(db, claim))?.id, other.id);
    assert.equal(await claimNext(db, claim), undefined);
    assert.equal((await claimNext(db, { ...claim, heldRoles: [] }))?.role, "qa");
  },
);

Deno.test("limits of claims have the words of budgets, and refuse others", () => {
  const limits = { day: "$5.00", day_tokens: "2m", role: "1.50usd", role_tokens: 400_000 };
  assert.deepEqual(Config.parse({ claim_limits: limits }).claim_limits, limits);
  for (const wrong of [{ ticket: "$1" }, { day: 5 }, { day: "$0" }, { day_tokens: "some" }]) {
    assert.equal(Config.safeParse({ claim_limits: wrong }).success, false, JSON.stringify(wrong));
  }
});
