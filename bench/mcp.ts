/**
 * `svc mcp serve` over its pipes, beside a bare Deno program that answers one JSON line and the SDK
 * alone, interleaved in one run: start to the answer of `initialize` (median and 95 %), bytes of the observer's tool
 * list, and one call of `file_read` (median and 99 %). From source, and the portable build when
 * `dist/svc` exists.
 *
 *   deno run -A bench/mcp.ts [rounds]
 */

const root = decodeURIComponent(new URL("..", import.meta.url).pathname);
const rounds = Number(Deno.args[0] ?? 15);
const deno = Deno.execPath();
const folder = await Deno.makeTempDir({ prefix: "svc-bench-" });
const repo = `${folder}/repo`;
const CALLS = 300;

/** Answers every line as an echo would; what a start of Deno costs with nothing in it. */
const ECHO = `for await (const bytes of Deno.stdin.readable) {
  for (const line of new TextDecoder().decode(bytes).trim().split("\\n")) {
    const { id } = JSON.parse(line);
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
  }
}`;

/** The official SDK with one tool and nothing of svc. */
const SDK = `import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
serveStdio(() => {
  const server = new McpServer({ name: "sdk", version: "1" });
  server.registerTool("ping", { description: "Answers" }, () => ({ content: [] }));
  return server;
});`;

async function run(program: string, ...args: string[]): Promise<void> {
  const { success } = await new Deno.Command(program, { args, stdout: "null", stderr: "null" })
    .output();
  if (!success) throw new Error(`${program} ${args.join(" ")} failed`);
}

await Deno.mkdir(repo);
await Deno.writeTextFile(`${folder}/echo.ts`, ECHO);
await Deno.writeTextFile(`${folder}/sdk.ts`, SDK);
await Deno.writeTextFile(`${repo}/README.md`, "# A repo\n".repeat(40));
await run("git", "init", "-q", repo);
await run("git", "-C", repo, "add", "-A");
const ada = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
await run("git", "-C", repo, ...ada, "commit", "-qm", "first");

interface Client extends AsyncDisposable {
  /** Milliseconds and bytes until the answer to `request` was there. */
  ask(method: string, params?: unknown): Promise<{ ms: number; bytes: number }>;
}

function start([program, ...args]: readonly string[]): Client {
  const child = new Deno.Command(program!, {
    args,
    env: { SVC_HOME: `${folder}/home` },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const input = child.stdin.getWriter();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let id = 0;
  let rest = "";
  return {
    async ask(method, params) {
      const from = performance.now();
      const request = { jsonrpc: "2.0", id: ++id, method, ...(params !== undefined && { params }) };
      await input.write(new TextEncoder().encode(`${JSON.stringify(request)}\n`));
      while (!rest.includes("\n")) {
        const { done, value } = await output.read();
        if (done) throw new Error(`${program} ended before it answered ${method}`);
        rest += value;
      }
      const line = rest.slice(0, rest.indexOf("\n"));
      rest = rest.slice(line.length + 1);
      return { ms: performance.now() - from, bytes: line.length };
    },
    async [Symbol.asyncDispose]() {
      await input.close();
      await Promise.all([child.status, output.cancel()]);
    },
  };
}

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
};

/** Until `initialize` is answered, and until the tool list is there. */
async function startMs(argv: readonly string[]): Promise<readonly [number, number]> {
  const from = performance.now();
  await using client = start(argv);
  await client.ask("initialize", INITIALIZE);
  const initialized = performance.now() - from;
  await client.ask("tools/list");
  return [initialized, performance.now() - from];
}

const at = (values: readonly number[], part: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]!;

const built = Deno.env.get("SVC_BIN") ?? `${root}dist/svc`;
const serve = ["mcp", "serve", "--repo", repo];
const hasBuilt = await Deno.stat(built).then(() => true, () => false);
const bare = [deno, "run", "-A", "--quiet", `${folder}/echo.ts`];
const source = [deno, "run", "-A", "--quiet", `${root}main.ts`, ...serve];
const sdk = [deno, "run", "-A", "--quiet", "--config", `${root}deno.json`, `${folder}/sdk.ts`];
const lines: readonly (readonly [string, readonly string[]])[] = [
  ["bare Deno, one line answered", bare],
  ["the SDK alone, from source", sdk],
  ["source: svc mcp serve", source],
  ...(hasBuilt ? [["portable: svc mcp serve", [built, ...serve]] as const] : []),
];

const times = new Map(lines.map(([name]) => [name, [] as number[]]));
const lists = new Map(lines.map(([name]) => [name, [] as number[]]));
for (const [, argv] of lines) await startMs(argv); // warm-up; makes the database
for (let round = 0; round < rounds; round++) {
  for (const [name, argv] of round % 2 === 0 ? lines : [...lines].reverse()) {
    const [initialized, listed] = await startMs(argv);
    times.get(name)!.push(initialized);
    lists.get(name)!.push(listed);
  }
}
const floor = at(times.get(lines[0]![0])!, 0.5);
console.log(`${rounds} rounds, interleaved: start to the answer of initialize`);
for (const [name] of lines) {
  const took = times.get(name)!;
  const median = at(took, 0.5);
  const goal = !name.includes("svc") ? "" : ` (goal ≤ 200 ms: ${median <= 200 ? "met" : "missed"})`;
  console.log(
    `${median.toFixed(0).padStart(6)} ms median, ${at(took, 0.95).toFixed(0)} ms at 95 %, ` +
      `${(median / floor).toFixed(1)}× bare  ${name}${goal}`,
  );
}

const floorOfLists = at(lists.get(lines[0]![0])!, 0.5);
console.log("start to the tool list");
for (const [name] of lines) {
  const median = at(lists.get(name)!, 0.5);
  const ratio = median / floorOfLists;
  const goal = name.includes("svc") && ` (goal ≤ 1.4×: ${ratio <= 1.4 ? "met" : "missed"})`;
  console.log(
    `${median.toFixed(0).padStart(6)} ms median, ${ratio.toFixed(1)}× bare  ${name}${goal || ""}`,
  );
}

const client = start(source);
await client.ask("initialize", INITIALIZE);
const list = await client.ask("tools/list");
console.log(
  `${String(list.bytes).padStart(6)} bytes of tools/list as observer ` +
    `(goal ≤ 8192: ${list.bytes <= 8192 ? "met" : "missed"}), after ${list.ms.toFixed(0)} ms`,
);
const calls: number[] = [];
for (let at = 0; at < CALLS + 20; at++) {
  const { ms } = await client.ask("tools/call", {
    name: "file_read",
    arguments: { path: "README.md" },
  });
  if (at >= 20) calls.push(ms);
}
console.log(
  `${at(calls, 0.5).toFixed(2).padStart(6)} ms a call of file_read (median of ${CALLS}), ` +
    `${at(calls, 0.99).toFixed(2)} ms at 99 %`,
);
await client[Symbol.asyncDispose]();
await Deno.remove(folder, { recursive: true });
