/** A seeded sample of `chaos/all.ts`: engines killed at single steps come to the same end. */
import assert from "node:assert/strict";
import { POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { verifies } from "tests/kit/verifies.ts";
import { chaos, FAKETIME, type How } from "./chaos/chaos.ts";
import { dice } from "./chaos/dice.ts";

const POINTS = 5;
/** `CHAOS_SEED` gives it; else CI takes the same each time, and a person's machine another each day. */
const SEED = Number(
  Deno.env.get("CHAOS_SEED") ??
    (Deno.env.get("CI") === "true" ? 16 : Math.floor(Date.now() / 86_400_000)),
);
console.log(`seed ${SEED}; to repeat it: CHAOS_SEED=${SEED}`);

Deno.test(`engines that are killed come to the end of one that was not (seed ${SEED})`, async () => {
  await using place = await chaos();
  const whole = await place.run({ named: true });
  const total = Number(/steps (\d+)\n$/.exec(whole.stdout)?.[1]);
  const roll = dice(SEED);
  let deaths = 0;
  for (let count = 0; count < POINTS; count++) {
    const dieAt = 1 + Math.floor(((count + roll()) / POINTS) * total);
    const { killed, state } = await place.run({ dieAt });
    if (killed) deaths++;
    const where = whole.stdout.split("\n")[dieAt - 1];
    assert.equal(state, whole.state, `killed at step ${dieAt}: ${where}`);
  }
  // The last of them may lie beyond the end of a run that waited less.
  assert.ok(deaths >= POINTS - 1);
});

verifies(
  ["2.1:shared-database:holds-serve-state", "3.2:startup:resumes-active-jobs"],
  `so do engines on a PostgreSQL server that are killed, cut off or stand still (seed ${SEED})`,
  { ignore: POSTGRES === undefined },
  async () => {
    await using server = await startCluster();
    await using place = await chaos({ server });
    const whole = await place.run({ named: true });
    const total = Number(/steps (\d+)\n$/.exec(whole.stdout)?.[1]);
    const roll = dice(SEED);
    const some = (count: number) => 1 + Math.floor((0.1 + 0.8 * roll()) * count);
    const faults: How[] = [
      { dieAt: some(total), ...(FAKETIME && { clock: "+1h" }) },
      { cut: { at: some(whole.statements), when: "before" } },
      { cut: { at: some(whole.statements), when: "after" } },
      { stallAt: some(total) },
    ];
    for (const how of faults) {
      const { state } = await place.run(how);
      const where = whole.stdout.split("\n")[(how.dieAt ?? how.stallAt ?? 0) - 1];
      assert.equal(state, whole.state, `${JSON.stringify(how)}: ${where}`);
    }
  },
);
