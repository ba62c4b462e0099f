/**
 * svc beside codex and pi: the same fix of a broken script in a git repo, by a scripted model that
 * answers at once over HTTP on loopback; wall, CPU and memory of the fix, and what one more turn costs, interleaved,
 * medians; and beside the least loop there can be. What each did is looked at. Installs the two from
 * npm into `bench/.cache/peers`. Measures `dist/svc` where it is built: `bench/peers.ts [rounds]`.
 */
import { repoRoot } from "tests/kit/script.ts";
import { type ModelEndpoint, modelEndpoint } from "tests/kit/model_endpoint.ts";
import { type TempFolder, tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import { type Client, clients, PACKAGES, responsesOf } from "./peer_clients.ts";
import { asBefore, brokenRepo, built, type Cost, cost, median } from "./scripted_fix.ts";

const ROUNDS = Number(Deno.args[0] ?? 9);
const folder = `${repoRoot}bench/.cache/peers`;

/** pi wants a newer Node than some systems have; npm says so when it installs. */
async function install(): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const { code } = await new Deno.Command("npm", {
    args: ["install", "--prefix", folder, "--no-audit", "--no-fund", "--silent", ...PACKAGES],
    stdout: "null",
  }).output();
  if (code === 0) return;
  console.error(`Cannot install ${PACKAGES.join(" and ")}: npm ended with exit status ${code}`);
  console.error(`try: npm install --prefix ${folder} ${PACKAGES.join(" ")}`);
  Deno.exit(5);
}

const LENGTHS = ["fix", "four", "forty"] as const;
type Length = typeof LENGTHS[number];

/** A client in a repo and a home of its own. */
interface Site {
  readonly client: Client;
  readonly repo: TempRepo;
  readonly home: TempFolder;
  readonly costs: Record<Length, Cost[]>;
}

async function siteOf(client: Client, held: AsyncDisposableStack): Promise<Site> {
  const home = held.use(await tempFolder("svc-bench-"));
  return {
    ...{ client, home, repo: held.use(await brokenRepo()) },
    costs: { fix: [], four: [], forty: [] },
  };
}

const asks = ({ paths }: ModelEndpoint) =>
  paths.filter((path) => /POST .*(completions|responses)$/.test(path)).length;

/** @throws when the script was not mended, or the model was not asked as often as the script has turns */
async function mustHaveWorked(site: Site, length: Length, asked: number): Promise<void> {
  const { client, repo } = site;
  if (asked < client[length].length) {
    throw new Error(`${client.name} asked the model ${asked} times only`);
  }
  if (length !== "fix") return;
  const [branch] = (await repo.git("for-each-ref", "--format=%(refname)", "refs/heads/svc/"))
    .split("\n");
  const text = branch ? await repo.git("show", `${branch}:add.sh`) : await repo.read("add.sh");
  if (!text.includes("$1 + $2")) throw new Error(`${client.name} did not mend add.sh: ${text}`);
}

/** Each with an endpoint of its own, so that its requests are counted. */
async function measured(site: Site, length: Length): Promise<void> {
  const { client, repo, home } = site;
  const script = client[length];
  await using model = modelEndpoint({ steps: script }, {
    paths: { "/v1/responses": responsesOf(script) },
  });
  await client.setUp?.(home, model.url);
  const env = { HOME: home.path, ...client.env };
  site.costs[length].push(await cost(client.argv(model.url), repo.path, env));
  await mustHaveWorked(site, length, asks(model));
  await asBefore(repo);
}

await install();
await using held = new AsyncDisposableStack();
const sites: Site[] = [];
for (const client of clients(folder)) sites.push(await siteOf(client, held));
for (let round = 0; round <= ROUNDS; round++) {
  for (const site of round % 2 === 0 ? sites : sites.toReversed()) {
    for (const length of LENGTHS) {
      await measured(site, length);
      // The first round makes what is made once: a harness, databases, caches.
      if (round === 0) site.costs[length].splice(0);
    }
  }
}

const of = ({ costs }: Site, length: Length, what: keyof Cost) =>
  median(costs[length].map((one) => one[what]));
const more = (site: Site) =>
  (of(site, "forty", "wall") - of(site, "four", "wall")) /
  (site.client.forty.length - site.client.four.length);
const figures = sites.map((site) => ({
  name: site.client.name,
  wall: of(site, "fix", "wall"),
  cpu: of(site, "fix", "cpu") * 1000,
  turn: more(site),
  memory: of(site, "fix", "rssMiB"),
}));
type Figures = typeof figures[number];
const [svc, codex, , bare] = figures as [Figures, Figures, Figures, Figures];

console.log(
  `median of ${ROUNDS} (${built ? "dist/svc" : "svc from source"}; ${PACKAGES.join(", ")})`,
);
console.log("             four turns, ms   CPU, ms   one more turn, ms   peak memory, MiB");
for (const { name, wall, cpu, turn, memory } of figures) {
  const cells = [wall.toFixed(0).padStart(14), cpu.toFixed(0).padStart(10)];
  console.log(
    `  ${name.padEnd(11)}${cells.join("")}${turn.toFixed(1).padStart(20)}${
      memory.toFixed(0).padStart(19)
    }`,
  );
}

function goal(what: string, ratio: number, beside: string, most: number): void {
  const met = ratio <= most ? "met" : "missed";
  console.log(`  ${what.padEnd(22)} ${ratio.toFixed(2)} × ${beside}, goal ${most} ×: ${met}`);
}

console.log("\nsvc beside them");
goal("four-turn fix", svc.wall / codex.wall, "codex", 0.6);
goal("four-turn fix", svc.wall / bare.wall, "the bare loop", 2.5);
goal("one more turn", svc.turn / bare.turn, "the bare loop", 2);
goal("peak memory of a run", svc.memory / codex.memory, "codex", 0.6);
