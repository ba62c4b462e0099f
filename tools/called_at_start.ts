/**
 * Learns which functions starts call, for `tools/eager.ts`: builds the program without parentheses, has V8 write down
 * what it compiles in a run, a service, a start and an MCP session, and keeps the names.
 */
import { brokenRepo, fix } from "bench/scripted_fix.ts";
import { type ModelEndpoint, modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { bundle, bundleFolder, CALLED } from "./bundle.ts";
import { namesAt } from "./eager.ts";

const CONTROL = "127.0.0.1:19090";
const PORTS = ["--addr", CONTROL, "--dashboard-addr", "127.0.0.1:19091"];

type Client = (child: Deno.ChildProcess) => Promise<void>;

const ends: Client = async (child) => void await child.status;

/** Asks until the first 200, and has it load what it loads next. */
const asksHealth: Client = async (child) => {
  for (let answered = false; !answered;) {
    const answer = await fetch(`http://${CONTROL}/healthz`).catch(() => undefined);
    await answer?.body?.cancel();
    answered = answer?.status === 200;
  }
  await new Promise((wake) => setTimeout(wake, 1000));
  child.kill("SIGTERM");
  await child.status;
};

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "called_at_start", version: "1" },
};

const asksForTools: Client = async (child) => {
  const lines = [
    { id: 1, method: "initialize", params: INITIALIZE },
    { id: 2, method: "tools/list" },
  ].map((request) => `${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`);
  const input = child.stdin.getWriter();
  await input.write(new TextEncoder().encode(lines.join("")));
  let said = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    said += text;
    if (said.includes('"id":2')) break;
  }
  await input.close();
  await child.status;
};

const startsAt = ({ url }: ModelEndpoint): readonly (readonly [Client, ...string[]])[] => {
  const model = ["--model-endpoint", url];
  const host = ["--execution-profile", "host", "--acknowledge-host-execution"];
  return [
    [ends, "run", "engineer", "--task", "Mend add.sh", ...model, ...host],
    [asksHealth, "serve", "--plain", ...model, ...PORTS],
    [asksHealth, "start", "--plain", ...model, ...PORTS],
    [asksForTools, "mcp", "serve"],
  ];
};

/** Where functions begin that were compiled, by the path of their file; one log tells of one thread. */
function compiledIn(log: string, compiled: Map<string, Set<number>>): void {
  const files = new Map<string, string>();
  const lines = log.split("\n").map((line) => line.split(","));
  for (const [event, script, url = ""] of lines) {
    if (event === "script-details" && url.startsWith("file:")) {
      files.set(script!, decodeURIComponent(new URL(url).pathname));
    }
  }
  for (const [event, kind, script, begins] of lines) {
    const file = files.get(script!);
    if (event !== "function" || kind !== "interpreter" || !file?.startsWith(bundleFolder)) continue;
    if (!compiled.has(file)) compiled.set(file, new Set());
    compiled.get(file)!.add(Number(begins));
  }
}

async function compiledBy(): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  await using home = await tempFolder();
  await using repo = await brokenRepo();
  await using model = await modelEndpoint({
    roles: { engineer: fix(["file_read", "file_edit", "command_run"]) },
    steps: [{ bad: "hang", always: true }],
  });
  const compiled = new Map<string, Set<number>>();
  const starts = startsAt(model);
  for (const [round, [client, ...args]] of [starts[0]!, ...starts].entries()) {
    await using logs = await tempFolder();
    const v8 = `--log-function-events,--logfile-per-isolate,--logfile=${logs.path}/v8.log`;
    const deno = ["run", "-A", "-q", "--no-config", "--no-lock", "--cached-only"];
    await client(
      new Deno.Command(Deno.execPath(), {
        args: [
          ...[...deno, "--no-code-cache", "--unstable-worker-options", `--v8-flags=${v8}`],
          ...[`${bundleFolder}/main.js`, ...args],
        ],
        cwd: repo.path,
        env: { SVC_HOME: `${home.path}/.svc`, DENO_DIR: `${home.path}/cache` },
        ...{ stdin: "piped", stdout: args[0] === "mcp" ? "piped" : "null" },
      }).spawn(),
    );
    if (round === 0) continue; // made the harness, as the first run in a repo does
    for await (const { name } of Deno.readDir(logs.path)) {
      compiledIn(await Deno.readTextFile(`${logs.path}/${name}`), compiled);
    }
  }
  return compiled;
}

if (import.meta.main) {
  await bundle(new Set());
  const names = new Set<string>();
  for (const [file, at] of await compiledBy()) {
    for (const name of namesAt(await Deno.readTextFile(file), at)) names.add(name);
  }
  names.delete("");
  await Deno.writeTextFile(CALLED, `${[...names].sort().join("\n")}\n`);
  console.log(`wrote the names of ${names.size} functions to ${CALLED}`);
}
