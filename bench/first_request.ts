/**
 * How soon a model is asked: by `svc start` with a ticket that waits, and by the next start after kill -9 in the
 * midst of that request; beside a bare `Deno.serve`, and beside the least program that could ask, in the same run.
 * From source, or the build that `SVC_BIN` names: `deno run -A bench/first_request.ts [rounds]`.
 */
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { HOST } from "tests/kit/run_site.ts";
import { denoDir, svcCommand } from "tests/kit/script.ts";
import { harnessedRepo } from "tests/unit/runtime/engine_place.ts";

const rounds = Number(Deno.args[0] ?? 7);
const PORTS = ["--addr", "127.0.0.1:19090", "--dashboard-addr", "127.0.0.1:19091"];

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

await using held = new AsyncDisposableStack();
const folder = await Deno.makeTempDir({ prefix: "svc-bench-" });
held.defer(() => Deno.remove(folder, { recursive: true }));
const model = held.use(modelEndpoint({
  roles: { ceo: [{ bad: "hang", always: true }], engineer: [{ bad: "hang", always: true }] },
  steps: [{ bad: "hang", always: true }],
}));
const env = {
  PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
  HOME: folder,
  SVC_HOME: `${folder}/.svc`,
  DENO_DIR: denoDir(),
};

/** The least that could do the same: a Worker, a database, a work tree that git makes, one request. */
const LEAST = `
const [repo, url] = Deno.args;
const text = \`import { DatabaseSync } from "node:sqlite";
const db = new DatabaseSync(":memory:");
db.exec("create table jobs (id text) strict");
onmessage = ({ data }) => void fetch(data, { method: "POST", body: JSON.stringify({ messages: [] }) });\`;
const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })), { type: "module" });
const git = (...args) => new Deno.Command("git", { args: ["-C", repo, ...args], stdout: "null", stderr: "null" }).output();
await git("status", "--porcelain");
await git("worktree", "add", "--detach", repo + "-tree-" + Deno.pid);
worker.postMessage(url + "/chat/completions");
`;
await Deno.writeTextFile(`${folder}/least.js`, LEAST);
await Deno.writeTextFile(
  `${folder}/bare.js`,
  `Deno.serve({ hostname: "127.0.0.1", port: 19090, onListen() {} }, () => Response.json({ ok: true }));\n`,
);

function spawn([program, ...args]: readonly string[], cwd = folder): Deno.ChildProcess {
  return new Deno.Command(program!, {
    ...{ args, env, clearEnv: true, cwd, stdin: "null", stdout: "null", stderr: "null" },
  }).spawn();
}

async function killed(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await child.status;
}

/** From exec until a model is asked; the program is killed in the midst of that. */
async function untilAsked(argv: readonly string[], cwd?: string): Promise<number> {
  const before = model.requests.length;
  const start = performance.now();
  const child = spawn(argv, cwd);
  await model.asked(before + 1);
  const took = performance.now() - start;
  await killed(child);
  return took;
}

async function untilAnswered(): Promise<number> {
  const start = performance.now();
  const child = spawn([Deno.execPath(), "run", "-A", "--quiet", `${folder}/bare.js`]);
  for (;;) {
    const answer = await fetch("http://127.0.0.1:19090/").catch(() => undefined);
    await answer?.body?.cancel();
    if (answer !== undefined) break;
    await new Promise((wake) => setTimeout(wake, 4));
  }
  const took = performance.now() - start;
  await killed(child);
  return took;
}

const svc = svcCommand({ unpacks: true });
const start = [...svc, "start", "--plain", "--model-endpoint", model.url, ...PORTS, ...HOST];

async function run(cwd: string, ...args: string[]): Promise<void> {
  const { success } = await spawn([...svc, ...args], cwd).status;
  if (!success) throw new Error(`svc ${args.join(" ")} failed`);
}

const taken = { bare: [], least: [], first: [], again: [] } as Record<string, number[]>;
for (let round = 0; round <= rounds; round++) {
  await using repo = await harnessedRepo();
  await run(repo.path, "tickets", "new", "--title", "Make the test pass", "--role", "engineer");
  const times = {
    bare: await untilAnswered(),
    least: await untilAsked([
      ...[Deno.execPath(), "run", "-A", "--quiet", "--unstable-worker-options"],
      ...[`${folder}/least.js`, repo.path, model.url],
    ]),
    first: await untilAsked(start, repo.path),
    again: await untilAsked(start, repo.path),
  };
  if (round === 0) continue; // unpacks the build, and learns what the model can do
  for (const [name, took] of Object.entries(times)) taken[name]!.push(took);
}

const [bare, least] = [median(taken.bare!), median(taken.least!)];
const row = (
  name: string,
  times: readonly number[],
  floor: number,
  what: string,
  goal?: number,
) => {
  const ratio = median(times) / floor;
  const verdict = goal === undefined
    ? ""
    : `; goal ≤ ${goal} ×: ${ratio <= goal ? "met" : "missed"}`;
  console.log(`${name}: ${median(times).toFixed(0)} ms (${ratio.toFixed(1)} × ${what}${verdict})`);
};
console.log(`${rounds} rounds, medians`);
row("first 200 of a bare Deno.serve", taken.bare!, bare, "bare");
row("first request of the least program", taken.least!, bare, "bare");
row("first model request of svc start, a ticket waits", taken.first!, bare, "bare", 4);
row("kill -9 to the next model request", taken.again!, least, "least", 2);
