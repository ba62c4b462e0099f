/**
 * A program to be killed: runs an engine until nothing is left to do, and dies by its own SIGKILL at the
 * chosen awaited step. Prints how soon it claimed a job, ms, and how many steps there were. Its one argument is a `ChaosOrder` as JSON.
 */
import { pendingSettlements } from "svc/features/routing/settlement_store.ts";
import { liveJobs } from "svc/features/jobs/job_views.ts";
import type { Files } from "svc/platform/files/files.ts";
import { startEngine } from "svc/runtime/engine/engine.ts";
import type { EngineTimes } from "svc/runtime/engine/engine_plan.ts";
import type { Db } from "svc/store/schema.ts";
import { enginePorts, reposIn } from "tests/unit/runtime/engine_place.ts";

export interface ChaosOrder {
  /** Folder of home and database. */
  readonly base: string;
  readonly endpoint: string;
  /** Step to die at, from 1; each awaited call is two: before it and after it. */
  readonly dieAt?: number;
  /** Dies at a time instead. */
  readonly dieAfterMs?: number;
  /** Stands still at a step, until the test lets it go on. */
  readonly stallAt?: number;
  /** Address of a server; else a file beside the home. */
  readonly database?: string;
  readonly times?: Partial<EngineTimes>;
  /** Prints each step. */
  readonly named?: boolean;
}

const order = JSON.parse(Deno.args[0]!) as ChaosOrder;
let steps = 0;
/** First claim of this process, ms from its start. */
let claimedMs: number | undefined;

function die(): never {
  Deno.kill(Deno.pid, "SIGKILL");
  for (;;); // the signal is delivered before this thread does anything else
}

function step(name: string): void {
  steps++;
  if (order.named) console.log(`${steps} ${name}`);
  if (steps === order.dieAt) die();
  if (steps === order.stallAt) Deno.kill(Deno.pid, "SIGSTOP");
}

async function around<T>(name: string, call: () => Promise<T>): Promise<T> {
  step(`before ${name}`);
  const result = await call();
  step(`after ${name}`);
  return result;
}

const tappedFiles = (real: Files): Files => ({
  ...real,
  writeAtomic: (path, ...rest) => around("writeAtomic", () => real.writeAtomic(path, ...rest)),
  remove: (path) => around("remove", () => real.remove(path)),
  rename: (from, to) => around("rename", () => real.rename(from, to)),
  makeFolder: (path) => around("makeFolder", () => real.makeFolder(path)),
});

/** Inside of a transaction too. */
const tappedDb = (real: Db): Db =>
  real.withPlugin({
    transformQuery({ node }) {
      step(`before ${node.kind}`);
      return node;
    },
    transformResult({ result }) {
      step("after query");
      return Promise.resolve(result);
    },
  });

await using ports = await enginePorts(order.base, {
  ...(order.database !== undefined && { database: order.database }),
  files: tappedFiles,
  db: tappedDb,
  processes: (real) => ({
    run: (command) =>
      around(
        `${command.program} ${command.args.findLast((arg) => /^[a-z]/.test(arg)) ?? ""}`,
        () => real.run(command),
      ),
    sweep: (tag) => real.sweep(tag),
  }),
  fetch: (input, init) => around("fetch", () => fetch(input, init)),
});

if (order.dieAfterMs !== undefined) setTimeout(die, order.dieAfterMs);
const engine = startEngine({
  ports,
  repos: reposIn(ports),
  modelEndpoint: order.endpoint,
  times: { settleMs: 60_000, repoWaitMs: 100, ...order.times },
  on: ({ kind }) => void (kind === "claimed" && (claimedMs ??= performance.now())),
});
await engine.idle();
const [repo] = await reposIn(ports)();
/** What is not known for a moment is looked for again. */
async function somethingLeft(): Promise<boolean> {
  try {
    const { db } = ports;
    return (await pendingSettlements(db, repo!.id)).length + (await liveJobs(db, repo!.id)).length >
      0;
  } catch {
    return true;
  }
}
// A git that outlived a killed svc may hold its index for a moment, a job the lease of one that stands still.
for (let left = 600; left > 0 && await somethingLeft(); left--) {
  engine.wake();
  await ports.clock.sleep(50);
  await engine.idle();
}
await engine.stop();
if (claimedMs !== undefined) console.log(`first claim ${Math.round(claimedMs)}`);
console.log(`steps ${steps}`);
