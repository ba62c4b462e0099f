/**
 * How soon after exec a service answers with 200, beside a bare `Deno.serve` program in the same run. From
 * source, or the build that `SVC_BIN` names: `deno run -A bench/service.ts [rounds]`. What it costs later:
 * bench/footprint.ts.
 */
import { type ModelEndpoint, modelEndpoint } from "tests/kit/model_endpoint.ts";
import { denoDir, svcCommand } from "tests/kit/script.ts";
import { harnessedRepo } from "tests/unit/runtime/engine_place.ts";

const rounds = Number(Deno.args[0] ?? 9);
const CONTROL = "127.0.0.1:19090";
const PORTS = ["--addr", CONTROL, "--dashboard-addr", "127.0.0.1:19091"];

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const ms = (value: number) => `${value.toFixed(0)} ms`;

await using held = new AsyncDisposableStack();
const folder = await Deno.makeTempDir({ prefix: "svc-bench-" });
held.defer(() => Deno.remove(folder, { recursive: true }));
const env = {
  PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
  HOME: folder,
  SVC_HOME: `${folder}/.svc`,
  DENO_DIR: denoDir(),
};
await Deno.writeTextFile(
  `${folder}/bare.ts`,
  `Deno.serve({ hostname: "127.0.0.1", port: 19090, onListen() {} }, () => Response.json({ ok: true }));\n`,
);

function spawn([program, ...args]: readonly string[]): Deno.ChildProcess {
  return new Deno.Command(program!, {
    ...{ args, env, clearEnv: true, cwd: folder, stdin: "null", stdout: "null", stderr: "null" },
  }).spawn();
}

async function ended(child: Deno.ChildProcess, signal: Deno.Signal = "SIGTERM"): Promise<void> {
  child.kill(signal);
  await child.status;
}

/** From exec to the first 200 of /healthz. */
async function firstAnswer(argv: readonly string[]): Promise<[number, Deno.ChildProcess]> {
  const start = performance.now();
  const child = spawn(argv);
  for (;;) {
    const answer = await fetch(`http://${CONTROL}/healthz`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.status === 200) return [performance.now() - start, child];
    await new Promise((wake) => setTimeout(wake, 4));
  }
}

const svc = svcCommand({ unpacks: true });
const run = async (...args: string[]) => {
  const child = spawn([...svc, ...args]);
  if (!(await child.status).success) throw new Error(`svc ${args.join(" ")} failed`);
};

const model: ModelEndpoint = held.use(modelEndpoint({
  roles: { engineer: [{ bad: "hang", always: true }] },
  steps: [{ bad: "hang", always: true }],
}));
const repos = [];
for (let at = 0; at < 10; at++) repos.push(held.use(await harnessedRepo()));
for (const [at, { path }] of repos.entries()) {
  await run("register", "--repo", path, "--remote", `acme/r${at}`);
}
const serve = [...svc, "serve", "--plain", "--model-endpoint", model.url, ...PORTS];
const start = [...svc, "start", "--plain", "--model-endpoint", model.url, ...PORTS];
const bare = [Deno.execPath(), "run", "-A", "--quiet", `${folder}/bare.ts`];

/** Most times the bare server's. */
const GOALS: Readonly<Record<string, number>> = { "svc serve, ten repos": 2.5, "svc start": 3 };
const programs: Readonly<Record<string, readonly string[]>> = {
  "bare Deno.serve": bare,
  "svc serve, ten repos": serve,
  "svc start": [...start, "--repo", repos[0]!.path],
};
const taken: Record<string, number[]> = {};
for (let round = 0; round < rounds; round++) {
  for (const [name, argv] of Object.entries(programs)) {
    const [took, child] = await firstAnswer(argv);
    (taken[name] ??= []).push(took);
    await ended(child);
  }
}
const floor = median(taken["bare Deno.serve"]!);
for (const [name, times] of Object.entries(taken)) {
  const middle = median(times);
  const ratio = middle / floor;
  const goal = GOALS[name];
  const verdict = goal && `; goal ≤ ${goal} ×: ${ratio <= goal ? "met" : "missed"}`;
  console.log(`first 200, ${name}: ${ms(middle)} (${ratio.toFixed(1)} × bare${verdict ?? ""})`);
}
