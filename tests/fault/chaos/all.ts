/**
 * Kills an engine at every awaited step, then so many times at random moments, and compares what the next
 * process made of it with an uninterrupted run: `all.ts [quick | slow] [steps] [random kills] [seed] [file | postgres]`.
 * On a server it also cuts the connection of each statement, before and after it, sets clocks wrong, and lets
 * processes stand still.
 * Takes about an hour; CI takes a sample (`tests/fault/engine_chaos_test.ts`).
 */
import { startCluster } from "tests/kit/postgres.ts";
import { chaos, FAKETIME, type How } from "./chaos.ts";
import { dice } from "./dice.ts";

const [team = "slow", steps = "all", kills = "1000", seed = "1", engine = "file"] = Deno.args;
const SIDE_BY_SIDE = 2;

await using server = engine === "postgres" ? await startCluster() : undefined;
await using place = await chaos({
  team: team === "quick" ? "quick" : "slow",
  ...(server && { server }),
});
const began = performance.now();
const whole = await place.run({ named: true });
const span = performance.now() - began;
const total = Number(/steps (\d+)\n$/.exec(whole.stdout)?.[1]);
const names = whole.stdout.split("\n");
console.log(`${total} steps of the ${team} team in ${Math.round(span)} ms; seed ${seed}`);

const roll = dice(Number(seed));
const every = Array.from({ length: total }, (_, index) => ({ dieAt: index + 1 }));
const points = steps === "all"
  ? every
  : Array.from({ length: Number(steps) }, () => every[Math.floor(roll() * total)]!);
const moments = Array.from({ length: Number(kills) }, () => ({
  dieAfterMs: Math.floor(roll() * span),
}));

let killed = 0;
let wrong = 0;
/** Ms from the start of a process after a kill to its first claim. */
const claims: number[] = [];
const orders: How[] = [...points, ...moments];
if (server !== undefined) {
  const cuts = Array.from({ length: whole.statements }, (_, index) => index + 1)
    .flatMap((at) => [{ cut: { at, when: "before" } }, { cut: { at, when: "after" } }] as const);
  orders.push(...steps === "all" ? cuts : cuts.filter(() => roll() < Number(steps) / total));
  const clocks = FAKETIME === undefined ? [] : ["+1h", "-1h", "+1d", "+0 x1.5"];
  orders.push(...clocks.map((clock, nth) => ({ clock, ...points[nth * 3] })));
  orders.push(
    ...points.filter((_, nth) => nth % 20 === 0).map(({ dieAt }) => ({ stallAt: dieAt })),
  );
}

const others = orders.length - points.length - moments.length;

async function workOff(): Promise<void> {
  for (let order; (order = orders.shift()) !== undefined;) {
    const outcome = await place.run(order);
    if (outcome.killed) killed++;
    if (outcome.claimedMs !== undefined) claims.push(outcome.claimedMs);
    if (outcome.state === whole.state) continue;
    wrong++;
    const step = order.dieAt ?? order.stallAt;
    const at = step === undefined ? "a moment" : names[step - 1];
    console.log(`WRONG after ${JSON.stringify(order)} (${at}):\n${outcome.state}\n`);
  }
}

const progress = setInterval(() => {
  console.log(`${orders.length} to do, ${killed} killed, ${wrong} wrong`);
}, 60_000);
await Promise.all(Array.from({ length: SIDE_BY_SIDE }, workOff));
clearInterval(progress);
console.log(
  `${points.length} steps, ${moments.length} moments and ${others} other faults: ${killed} killed, ${wrong} wrong`,
);
claims.sort((a, b) => a - b);
const [median, last] = [claims[claims.length >> 1], claims.at(-1)];
console.log(`first claim after a kill: median ${median} ms, at most ${last} ms`);
Deno.exit(wrong === 0 ? 0 : 1);
