/**
 * A service that lives for long: webhooks, jobs, readers of health, and memory, descriptors and the write-ahead
 * log that must stay what they were: `deno run -A tests/fault/soak.ts [minutes]`, 8 unless said otherwise.
 */
import { descriptors, residentMib } from "tests/kit/proc.ts";
import { fleet } from "tests/kit/fleet.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { call, finish, turns } from "tests/unit/runtime/team.ts";

const minutes = Number(Deno.args[0] ?? 8);
const REPOS = 3;
/** Ms between two webhooks. */
const WEBHOOK_MS = 1_500;
const LOOK_MS = 5_000;
/** How much more than in the second quarter may be used in the last. */
const GROWTH = 1.15;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[all.length >> 1]!;
const sizeOf = (path: string) => Deno.stat(path).then(({ size }) => size, () => 0);

interface Look {
  readonly mib: number;
  readonly descriptors: number;
  readonly wal: number;
}

await using model = modelEndpoint({
  steps: turns(call("file_list", { path: "." }), finish("approved"), finish("approved")),
});
await using place = await fleet(REPOS, model);
const service = place.serve();
const { control_url, pid } = await service.first;
const database = `${place.home}-harness/db/svc.db`;
const looks: Look[] = [];
const until = performance.now() + minutes * 60_000;
let sent = 0;

async function webhooks(): Promise<void> {
  while (performance.now() < until) {
    const status = await place.pullRequest(control_url, sent % REPOS, 1 + sent % 50);
    if (status !== 202) throw new Error(`webhook ${sent} was answered ${status}`);
    sent++;
    await wait(WEBHOOK_MS);
  }
}

async function look(): Promise<void> {
  while (performance.now() < until) {
    const response = await fetch(`${control_url}/healthz`);
    const health = await response.json();
    if (!response.ok) throw new Error(`not healthy: ${JSON.stringify(health)}`);
    looks.push({
      mib: residentMib(pid),
      descriptors: descriptors(pid),
      wal: await sizeOf(`${database}-wal`),
    });
    await wait(LOOK_MS);
  }
}

await Promise.all([webhooks(), look()]);
service.signal("SIGTERM");
const { code, json } = await service.ended;
const quarter = Math.floor(looks.length / 4);
const faults: string[] = code === 0 ? [] : [`it ended with ${code}`];
for (const what of ["mib", "descriptors", "wal"] as const) {
  const before = median(looks.slice(quarter, 2 * quarter).map((one) => one[what]));
  const after = median(looks.slice(-quarter).map((one) => one[what]));
  console.log(
    `${what}: ${before.toFixed(1)} in the second quarter, ${after.toFixed(1)} in the last`,
  );
  if (after > before * GROWTH + 4) faults.push(`${what} grew`);
}
const { jobs } = json();
console.log(`${minutes} min, ${sent} webhooks, ${jobs.done} jobs done, ${jobs.failed} failed`);
if (jobs.done < sent / 4) faults.push("it did not keep up");
console.log(faults.length === 0 ? "flat" : `not flat: ${faults.join("; ")}`);
Deno.exit(faults.length === 0 ? 0 : 1);
