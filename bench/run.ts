/**
 * `svc run` beside the least loop there can be, on one scripted endpoint, interleaved: wall, CPU and
 * memory of a four-turn fix and of forty turns, what one more turn costs, and the size of the first
 * request; and what a trivial ticket costs through all roles, beside a single agent. Prints figures,
 * ratios and goals; nothing fails on them. Measures `dist/svc` where it is
 * built, else the source: `bench/run.ts [rounds]`.
 */
import { modelEndpoint, type Scenario } from "tests/kit/model_endpoint.ts";
import { denoDir, svcCommand } from "tests/kit/script.ts";
import { tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";
import {
  bySingleAgent,
  type RoleCost,
  throughAllRoles,
  trivialSite,
} from "tests/kit/trivial_ticket.ts";

const ROUNDS = Number(Deno.args[0] ?? 7);
const HOST = ["--execution-profile", "host", "--acknowledge-host-execution"];
const root = decodeURIComponent(new URL("..", import.meta.url).pathname);
const built = await Deno.stat(`${root}dist/svc`).then(() => true, () => false);
const svc = built ? [`${root}dist/svc`] : [...svcCommand({ unpacks: true })];

const call = (name: string, args: unknown) => ({ reply: { calls: [{ name, args }] } });
const always = <T extends object>(turn: number, step: T) => ({
  ...step,
  when: { turn },
  always: true,
});

const fix = (names: readonly [string, string, string]) => [
  always(0, call(names[0], { path: "add.sh" })),
  always(1, call(names[1], { path: "add.sh", old: "$1 - $2", new: "$1 + $2" })),
  always(2, call(names[2], { argv: ["sh", "add.sh", "1", "2"] })),
  always(3, call("finish", { disposition: "submitted", evidence: "3" })),
];
const forty = (name: string) => [
  ...Array.from({ length: 40 }, (_, at) => always(at, call(name, { argv: ["echo", `${at}`] }))),
  always(40, call("finish", { disposition: "no_work", evidence: "nothing is to be changed" })),
];

interface Cost {
  /** Milliseconds from exec to exit. */
  readonly wall: number;
  /** Seconds of all its processes. */
  readonly cpu: number;
  readonly rssMiB: number;
}

/** GNU time (time(1)) tells of the whole tree, and adds some 1 ms. */
async function cost(command: readonly string[], repo: TempRepo, home: string): Promise<Cost> {
  const began = performance.now();
  const { code, stderr } = await new Deno.Command("/usr/bin/time", {
    args: ["-f", "\n%U %S %M", ...command],
    cwd: repo.path,
    env: { PATH: Deno.env.get("PATH")!, HOME: home, DENO_DIR: denoDir() },
    clearEnv: true,
  }).output();
  const wall = performance.now() - began;
  const text = new TextDecoder().decode(stderr);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${text}`);
  const [user = 0, system = 0, rss = 0] = text.trim().split("\n").at(-1)!.split(" ")
    .map(Number);
  return { wall, cpu: user + system, rssMiB: rss / 1024 };
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

const GIVEN = ["wall ms", "cpu s", "rss MiB"] as const;

/** @returns median wall of svc and of the least loop, in ms */
async function compare(title: string, scenario: Scenario): Promise<[number, number]> {
  await using repo = await tempRepo({ files: { "add.sh": "echo $(($1 - $2))\n" }, commit: true });
  await repo.git("config", "user.name", "Ada");
  await repo.git("config", "user.email", "ada@example.org");
  await using home = await tempFolder("svc-bench-");
  await using model = await modelEndpoint(scenario);
  const own = [...svc, "run", "engineer", "--task", "Mend add.sh", "--model-endpoint", model.url];
  const least = [
    Deno.execPath(),
    "run",
    "-A",
    "--no-config",
    `${root}bench/minimal_loop.ts`,
    model.url,
  ];
  const [ours, floor]: [Cost[], Cost[]] = [[], []];
  // Once for what is made the first time: harness, database, profile of the model.
  await cost([...own, ...HOST], repo, home.path);
  const first = model.requests[0]!;
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await cost([...own, ...HOST], repo, home.path));
    floor.push(await cost([...least, "echo 3"], repo, home.path));
    await repo.git("checkout", "--quiet", "--", "add.sh");
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

const short = await compare("four-turn fix (goals: 300 ms, 120 MiB)", {
  roles: {
    engineer: fix(["file_read", "file_edit", "command_run"]),
    minimal: fix(["read", "edit", "run"]),
  },
});
const long = await compare("forty turns", {
  roles: { engineer: forty("command_run"), minimal: forty("run") },
});
const slope = [0, 1].map((who) => (long[who]! - short[who]!) / (41 - 4));
console.log(
  `\none more turn: svc ${slope[0]!.toFixed(1)} ms, least ${slope[1]!.toFixed(1)} ms (goal: 8 ms)`,
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
