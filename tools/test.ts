/**
 * Everything `make test` proves, ended by one line that counts: the gates, the tests from source, and
 * the whole-program tests on the portable build, a few processes at a time.
 */
import { root } from "./modules.ts";
import { memoryFolder } from "./memory_folder.ts";
import { watched } from "./watched.ts";

interface Stage {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Splits the test files into so many processes. */
  readonly shards?: number;
  /** The stage that must have ended before. */
  readonly after?: string;
}

// Shards and not `--parallel`: its threads share one process, and a child that one test starts holds
// copies of the locks and descriptors of another until it runs. One more process than cores, since
// tests of programs wait for their programs.
const AT_ONCE = Math.min(navigator.hardwareConcurrency + 1, 4);
// Tests of the whole program drive the build that people get; a sample of them drives the source.
const WHOLE_PROGRAM = ["tests/scripts", "tests/program", "tests/portable"];
const BUILDS = "tests/unit/tools/builds_test.ts";
const STAGES: readonly Stage[] = [
  { name: "builds", args: ["test", "-A", "--no-check", BUILDS] },
  { name: "types", args: ["check", "--quiet"] },
  { name: "format", args: ["fmt", "--check", "--quiet"] },
  { name: "lint", args: ["lint", "--quiet"] },
  { name: "generated files", args: ["run", "-A", "tools/gen.ts", "--check"] },
  // Both write `dist/`.
  { name: "portable build", args: ["run", "-A", "tools/portable.ts"], after: "builds" },
  {
    name: "tests from source",
    args: ["test", "-A", "--no-check", `--ignore=${[BUILDS, ...WHOLE_PROGRAM]}`, "tests"],
    shards: 24,
  },
  {
    name: "a sample of the whole program, from source",
    args: [
      "test",
      "-A",
      "--no-check",
      "--filter=/(version|start|serve|scan|setup)\\.txtar/",
      "tests/scripts",
    ],
    after: "portable build",
  },
  {
    name: "whole program, portable build",
    args: ["test", "-A", "--no-check", ...WHOLE_PROGRAM],
    shards: 12,
    env: { SVC_BIN: `${root}dist/svc` },
    after: "portable build",
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
const printed: string[] = [];

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

/** The promises whose every test was skipped on this machine: nothing proves them here. */
function unprovenHere(output: string): string[] {
  const ran = new Set<string>();
  const skipped = new Set<string>();
  for (
    const [, ids = "", how] of plain(output).matchAll(
      /\[([^\]\n]+)\] \.\.\.[^\n]* (ok|ignored) \(/g,
    )
  ) {
    for (const id of ids.split(", ")) (how === "ok" ? ran : skipped).add(id);
  }
  return [...skipped].filter((id) => !ran.has(id)).sort();
}

/** A stage, or one shard of it. */
interface Unit {
  readonly stage: Stage;
  readonly title: string;
  readonly args: readonly string[];
}

function unitsOf(stage: Stage): Unit[] {
  const { name, args, shards = 1 } = stage;
  const [verb = "", ...rest] = args;
  if (shards === 1) return [{ stage, title: name, args }];
  return Array.from({ length: shards }, (_, at) => {
    const shard = `${at + 1}/${shards}`;
    return { stage, title: `${name} ${shard}`, args: [verb, `--shard=${shard}`, ...rest] };
  });
}

/** Runs one process, and shows its output whole when it has ended. */
async function run({ stage, title, args }: Unit): Promise<Count> {
  const { code, stdout, stderr, hung } = await watched(
    new Deno.Command(Deno.execPath(), {
      args: [...args],
      cwd: root,
      env: { ...stage.env, ...(temporary && { TMPDIR: temporary.path }) },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }),
  );
  console.log(`── ${title}\n${stdout}${stderr}`);
  faults.push(...faultsIn(stdout));
  printed.push(stdout);
  if (hung) {
    faults.push(`${title}: ${hung}\nits last lines:\n${lastLines(stdout)}`);
    console.log(faults.at(-1));
  }
  if (args[0] !== "test") {
    if (code !== 0) faults.push(title);
    return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
  }
  const count = counted(stdout);
  // A run that exits badly without naming a failed test (a crash, a leak, a hang) has failed too.
  return (code !== 0 || hung) && count.failed === 0 ? { ...count, failed: 1 } : count;
}

const lastLines = (output: string) =>
  plain(output).trimEnd().split("\n").slice(-FAULT_LINES).join("\n");

function add(total: Count, count: Count): void {
  for (const key of ["passed", "failed", "skipped"] as const) total[key] += count[key];
}

const temporary = await memoryFolder();
const total: Count = { passed: 0, failed: 0, skipped: 0 };
const ended = new Map(STAGES.map(({ name }) => [name, Promise.withResolvers<void>()]));
const left = new Map(STAGES.map(({ name, shards = 1 }) => [name, shards]));
const units = STAGES.flatMap(unitsOf).values();
await Promise.all(Array.from({ length: AT_ONCE }, async () => {
  for (const unit of units) {
    const { name, after } = unit.stage;
    if (after) await ended.get(after)?.promise;
    add(total, await run(unit));
    const more = (left.get(name) ?? 1) - 1;
    left.set(name, more);
    if (more === 0) ended.get(name)?.resolve();
  }
}));
await temporary?.[Symbol.asyncDispose]();
if (faults.length > 0) console.log(`\nfailed:\n\n${faults.join("\n\n")}\n`);
const unproven = unprovenHere(printed.join("\n"));
if (unproven.length > 0) console.log(`skipped here, so not proven here: ${unproven.join(", ")}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
Deno.exit(total.failed === 0 ? 0 : 1);
