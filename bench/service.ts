/**
 * What a living service costs, within one run beside a bare `Deno.serve` program:
 * the first 200 after exec, rest at idle with ten repos, webhook to first model request, kill -9 and
 * start to the killed job's next model request. From source, or the build that `SVC_BIN` names.
 *
 *   deno run -A bench/service.ts [rounds] [idle seconds]
 */
import { type ModelEndpoint, modelEndpoint } from "tests/kit/model_endpoint.ts";
import { HOST } from "tests/kit/run_site.ts";
import { denoDir, shareRuntime, svcCommand } from "tests/kit/script.ts";
import { GITHUB_SECRET, sendGithub } from "tests/unit/http/control_place.ts";
import { harnessedRepo } from "tests/unit/runtime/engine_place.ts";

const rounds = Number(Deno.args[0] ?? 9);
const idleSecs = Number(Deno.args[1] ?? 20);
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
  SVC_GITHUB_WEBHOOK_SECRET: GITHUB_SECRET,
};
await shareRuntime(folder);
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

const svc = svcCommand();
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
  console.log(`first 200, ${name}: ${ms(middle)} (${(middle / floor).toFixed(1)} × bare)`);
}

/** Ticks of 10 ms that a process has used (proc(5), fields 14 and 15), and its memory. */
async function used(pid: number): Promise<{ cpuMs: number; rssMb: number }> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * 10,
    rssMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
  };
}

for (const [name, argv] of Object.entries({ "bare Deno.serve": bare, "svc serve": serve })) {
  const [, child] = await firstAnswer(argv);
  await new Promise((wake) => setTimeout(wake, 8_000)); // it has begun by then
  const before = await used(child.pid);
  await new Promise((wake) => setTimeout(wake, idleSecs * 1000));
  const after = await used(child.pid);
  const share = (after.cpuMs - before.cpuMs) / (idleSecs * 10);
  console.log(`idle, ${name}: ${share.toFixed(2)} % CPU, ${after.rssMb.toFixed(0)} MB`);
  await ended(child);
}

/** When the next request comes that no earlier call has waited for. */
let seen = model.requests.length;
async function nextRequest(since: number): Promise<number> {
  await model.asked(++seen);
  return performance.now() - since;
}

const host = [...serve, ...HOST];
let [, living] = await firstAnswer(host);
await new Promise((wake) => setTimeout(wake, 3_000));
seen = model.requests.length;
const payload = {
  action: "labeled",
  label: { name: "svc" },
  issue: {
    ...{ number: 1, title: "Make the test pass", body: "", labels: [{ name: "svc" }] },
    ...{ html_url: "https://github.com/acme/r0/issues/1", updated_at: "2026-03-01T10:00:00Z" },
    user: { login: "grace" },
  },
  repository: { full_name: "acme/r0" },
  sender: { login: "grace" },
};
const posted = performance.now();
await sendGithub(`http://${CONTROL}`, { event: "issues", payload, id: "bench-delivery" });
console.log(`webhook to first model request: ${ms(await nextRequest(posted))}`);

await ended(living, "SIGKILL");
const again = performance.now();
[, living] = await firstAnswer(host);
console.log(`kill -9 and start to the job's next model request: ${ms(await nextRequest(again))}`);
await ended(living, "SIGKILL");
