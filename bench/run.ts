/**
 * `svc run` beside the least loop there can be, on one scripted endpoint, interleaved: wall, CPU and
 * memory of a four-turn fix and of forty turns, what one more turn costs, and the size of the first
 * request; and what a trivial ticket costs through all roles, beside a single agent. Prints figures,
 * ratios and goals; nothing fails on them. Measures `dist/svc` where it is
 * built, else the source: `bench/run.ts [rounds]`.
 */
import { modelEndpoint, type Scenario } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  bySingleAgent,
  type RoleCost,
  throughAllRoles,
  trivialSite,
} from "tests/kit/trivial_ticket.ts";
import {
  asBefore,
  brokenRepo,
  built,
  commandRuns,
  type Cost,
  cost,
  fix,
  leastRun,
  median,
  svcRun,
} from "./scripted_fix.ts";

const ROUNDS = Number(Deno.args[0] ?? 7);

const GIVEN = ["wall ms", "cpu s", "rss MiB"] as const;

/** @returns median wall of svc and of the least loop, in ms */
async function compare(title: string, scenario: Scenario): Promise<[number, number]> {
  await using repo = await brokenRepo();
  await using home = await tempFolder("svc-bench-");
  await using model = await modelEndpoint(scenario);
  const env = { HOME: home.path };
  const [ours, floor]: [Cost[], Cost[]] = [[], []];
  // Once for what is made the first time: harness, database, profile of the model.
  await cost(svcRun(model.url), repo.path, env);
  const first = model.requests[0]!;
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await cost(svcRun(model.url), repo.path, env));
    floor.push(await cost(leastRun(model.url), repo.path, env));
    await asBefore(repo);
  }
  const pick = (costs: readonly Cost[], what: keyof Cost) => median(costs.map((one) => one[what]));
  console.log(`\n${title}, median of ${ROUNDS} (${built ? "dist/svc" : "source"})`);
  for (const [at, what] of (["wall", "cpu", "rssMiB"] as const).entries()) {
    const [a, b] = [pick(ours, what), pick(floor, what)];
    console.log(
      `  ${GIVEN[at]!.padEnd(8)} svc ${a.toFixed(2)}  least ${b.toFixed(2)}  ` +
        `ratio ${(a / b).toFixed(2)}`,
    );
  }
  const tools = first.request.tools?.length ?? 0;
  console.log(`  first request ${first.text.length} bytes, ${tools} tools (goal: 14 KB)`);
  return [pick(ours, "wall"), pick(floor, "wall")];
}

await compare(
  "four-turn fix (goal: 2.5 × the least loop; beside codex and pi: make bench-peers)",
  {
    roles: {
      engineer: fix(["file_read", "file_edit", "command_run"]),
      minimal: fix(["read", "edit", "run"]),
    },
  },
);
const [ours, least] = [commandRuns("command_run"), commandRuns("run")];
const few = await compare("four turns without work", {
  roles: { engineer: [...ours.four], minimal: [...least.four] },
});
const long = await compare("forty turns without work", {
  roles: { engineer: [...ours.forty], minimal: [...least.forty] },
});
const slope = [0, 1].map((who) =>
  (long[who]! - few[who]!) / (ours.forty.length - ours.four.length)
);
console.log(
  `\none more turn: svc ${slope[0]!.toFixed(1)} ms, least ${
    slope[1]!.toFixed(1)
  } ms (goal: 2 × it)`,
);

async function allRoles(): Promise<readonly RoleCost[]> {
  await using site = await trivialSite();
  return await throughAllRoles(site);
}

const costs = await allRoles();
const alone = await bySingleAgent();
const total = (of: "turns" | "tokens") => costs.reduce((sum, cost) => sum + cost[of], 0);
const row = (name: string, turns: number, tokens: number, goal = "") =>
  console.log(`  ${name.padEnd(14)}${`${turns}`.padStart(5)}${`${tokens}`.padStart(8)}${goal}`);
console.log("\ntrivial ticket   turns  tokens (in and out, four characters each)");
for (const { role, turns, tokens } of costs) row(role, turns, tokens);
row("all roles", total("turns"), total("tokens"), "  (goal: 9, 24000)");
row(
  "single agent",
  alone.turns,
  alone.tokens,
  `  ratio ${(total("tokens") / alone.tokens).toFixed(2)}`,
);
