/**
 * What `svc serve` with ten repos costs while nothing happens, how soon a webhook reaches the model, and how
 * soon a killed service goes on: `make bench-footprint`. Beside it the least service there can be.
 */
import { cpuSeconds, residentMib } from "tests/kit/proc.ts";
import { fleet } from "tests/kit/fleet.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { finish, turns } from "tests/unit/runtime/team.ts";

const REPOS = 10;
const IDLE_MS = 30_000;
/** V8 compacts its heaps some 20 s after the last work. */
const SETTLED_MS = 40_000;
const ROUNDS = 15;

const FLOOR = `
import { DatabaseSync } from "node:sqlite";
const db = new DatabaseSync(":memory:");
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () =>
  Response.json(db.prepare("SELECT 1 AS one").get()));
console.log(server.addr.port);
`;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[all.length >> 1]!;
const ms = (all: readonly number[]) =>
  `median ${median(all).toFixed(0)} ms, worst ${Math.max(...all).toFixed(0)} ms`;

async function idle(pid: number): Promise<string> {
  const before = cpuSeconds(pid);
  await wait(IDLE_MS);
  const share = (cpuSeconds(pid) - before) / (IDLE_MS / 1000) * 100;
  return `${share.toFixed(2)} % of a core, ${residentMib(pid).toFixed(0)} MiB resident`;
}

async function floor(): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), { args: ["eval", FLOOR], stdout: "piped" })
    .spawn();
  const reader = child.stdout.getReader();
  await reader.read(); // it listens
  const said = await idle(child.pid);
  child.kill("SIGTERM");
  await child.status;
  await reader.cancel();
  return said;
}

console.log(`idle, the least there can be: ${await floor()}`);
let held = false;
const silence = Promise.withResolvers<void>();
await using model = modelEndpoint({ steps: turns(finish("approved")) }, {
  // A model that thinks: whoever asks is killed meanwhile.
  pace: () => held ? silence.promise : Promise.resolve(),
});
await using place = await fleet(REPOS, model);
let service = place.serve();
let { control_url: control, pid } = await service.first;
await wait(SETTLED_MS);
console.log(`idle, ${REPOS} repos: ${await idle(pid)}`);

let pull = 100;
/** Ms from `begin` to the model's next request. */
async function reaches(begin: () => Promise<unknown>): Promise<number> {
  const asked = model.requests.length;
  const from = performance.now();
  await begin();
  await model.asked(asked + 1);
  return performance.now() - from;
}
const review = async () => {
  const status = await place.pullRequest(control, pull % REPOS, ++pull);
  if (status !== 202) throw new Error(`the webhook was answered ${status}`);
};

const reach: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  reach.push(await reaches(review));
  await wait(1_000);
}
console.log(`webhook to first model request: ${ms(reach)}`);

const again: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  held = true;
  await reaches(review);
  service.signal("SIGKILL");
  await service.ended;
  again.push(
    await reaches(async () => {
      service = place.serve();
      ({ control_url: control, pid } = await service.first);
    }),
  );
}
console.log(`killed and started again, to the job's next model request: ${ms(again)}`);
held = false;
silence.resolve();
service.signal("SIGTERM");
await service.ended;
