/** Kills nodes of a team and connections of their server: `all.ts [kills] [seed] [stalls]`. CI takes a sample (`tests/fault/fleet_kill_test.ts`). */
import { havoc } from "./havoc.ts";

const [kills = "1000", seed = "1", stalls = "0"] = Deno.args;
const began = performance.now();
const { tickets } = await havoc({
  ...{ kills: Number(kills), seed: Number(seed), stalls: Number(stalls) },
  ...{ nodes: 3, repos: 3, tickets: 4 },
  progress: (line) => console.log(`${Math.round((performance.now() - began) / 1000)} s: ${line}`),
});
console.log(
  `${kills} kills, ${stalls} stalls, seed ${seed}: ${tickets} tickets, each done once by one merge`,
);
