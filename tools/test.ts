/**
 * Everything `make test` proves, in order, ended by one line that counts:
 * the gates first, then the tests from source, then the whole-program scripts on the portable build.
 */
import { root } from "./modules.ts";

interface Stage {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Splits the test files into so many processes, of which a few run at a time. */
  readonly shards?: number;
}

const GATES: readonly Stage[] = [
  { name: "format", args: ["fmt", "--check", "--quiet"] },
  { name: "lint", args: ["lint", "--quiet"] },
  { name: "types", args: ["check", "--quiet"] },
  { name: "generated files", args: ["run", "-A", "tools/gen.ts", "--check"] },
];
// Shards and not `--parallel`: its threads share one process, and a child that one test starts holds
// copies of the locks and descriptors of another until it runs.
const AT_ONCE = Math.max(1, Math.min(navigator.hardwareConcurrency, 4));
// Tests of the whole program drive the build that people get; a sample of them drives the source.
const WHOLE_PROGRAM = ["tests/scripts", "tests/program", "tests/portable"];
const TESTS: readonly Stage[] = [
  {
    name: "tests from source",
    args: ["test", "-A", "--no-check", `--ignore=${WHOLE_PROGRAM}`, "tests"],
    shards: 16,
  },
  {
    name: "a sample of the whole program, from source",
    args: [
      "test",
      "-A",
      "--no-check",
      "--filter=/(version|start|serve|scan)\\.txtar/",
      "tests/scripts",
    ],
  },
  { name: "portable build", args: ["run", "-A", "tools/portable.ts"] },
  {
    name: "whole program, portable build",
    args: ["test", "-A", "--no-check", ...WHOLE_PROGRAM],
    shards: 8,
    env: { SVC_BIN: `${root}dist/svc` },
  },
];

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

// deno-lint-ignore no-control-regex -- colours are taken out before reading
const plain = (output: string) => output.replace(/\x1b\[[0-9;]*m/g, "");

/** Lines of a failed test that the end repeats. */
const FAULT_LINES = 12;
const faults: string[] = [];

/** The part of `deno test`'s output under ERRORS: `name => file:line:column`, then what went wrong. */
function faultsIn(output: string): string[] {
  const said = plain(output).split("\n");
  const from = said.indexOf(" ERRORS ");
  if (from < 0) return [];
  const to = said.indexOf(" FAILURES ", from);
  const lines = said.slice(from + 1, to < 0 ? undefined : to);
  const starts = lines.flatMap((line, at) => / => \S+:\d+:\d+$/.test(line) ? [at] : []);
  return starts.map((at, nth) =>
    lines.slice(at, starts[nth + 1]).filter((line) => line !== "").slice(0, FAULT_LINES).join("\n")
  );
}

/** Reads `deno test`'s closing line, such as `ok | 5 passed (2 steps) | 0 failed | 2 ignored (32ms)`. */
function counted(output: string): Count {
  const lines = plain(output).split("\n");
  const closing = lines.findLast((line) => /^(?:ok|FAILED) \| \d+ passed/.test(line)) ?? "";
  const number = (word: string) => Number(closing.match(new RegExp(`(\\d+) ${word}`))?.[1] ?? 0);
  return { passed: number("passed"), failed: number("failed"), skipped: number("ignored") };
}

/** @param watch shows the output as it comes; otherwise it is shown whole, at the end */
async function runOnce(stage: Stage, watch: boolean): Promise<Count> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...stage.args],
    cwd: root,
    ...(stage.env && { env: { ...stage.env } }),
    stdin: "null",
    stdout: "piped",
    stderr: watch ? "inherit" : "piped",
  }).spawn();
  const show = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(text));
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
      if (watch) show(text);
    }
  };
  await Promise.all([read(child.stdout), ...(watch ? [] : [read(child.stderr)])]);
  const { code } = await child.status;
  if (!watch) show(output);
  faults.push(...faultsIn(output));
  if (stage.args[0] !== "test") {
    return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
  }
  const count = counted(output);
  // A run that exits badly without naming a failed test (a crash, a leak) has failed too.
  return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
}

function add(total: Count, count: Count): void {
  for (const key of ["passed", "failed", "skipped"] as const) total[key] += count[key];
}

async function run(stage: Stage): Promise<Count> {
  console.log(`── ${stage.name}`);
  const { shards = 1, args } = stage;
  if (shards === 1) return await runOnce(stage, true);
  const sum: Count = { passed: 0, failed: 0, skipped: 0 };
  const queue = Array.from({ length: shards }, (_, at) => `--shard=${at + 1}/${shards}`).values();
  const [verb = "", ...rest] = args;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (const shard of queue) {
      add(sum, await runOnce({ ...stage, args: [verb, shard, ...rest] }, false));
    }
  }));
  return sum;
}

const total: Count = { passed: 0, failed: 0, skipped: 0 };
for (const stage of [...GATES, ...TESTS]) {
  add(total, await run(stage));
}
if (faults.length > 0) console.log(`\nfailed:\n\n${faults.join("\n\n")}\n`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
Deno.exit(total.failed === 0 ? 0 : 1);
