/**
 * Everything `make test` proves, ended by one line that counts: the gates, the tests from source, and
 * the whole-program tests on the portable build, a few processes at a time. With `SVC_TEST_ALONE=1` no file
 * shares its modules with others, and `dist/seconds.json` says what the files took; where that has
 * changed much, it goes to `tests/seconds.json`, which orders them. It installs what it needs itself, so
 * Deno runs it without the configuration (`--no-config`).
 */
import { root } from "./modules.ts";
import { memoryFolder } from "./memory_folder.ts";
import { measuredIn, shares } from "./test_plan.ts";
import { watched } from "./watched.ts";

interface Stage {
  readonly name: string;
  /** Arguments of `program`, else of Deno. */
  readonly args: readonly string[];
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Shared out among processes; the others are one process. */
  readonly files?: readonly string[];
  /** Seconds of a share of several files. */
  readonly most?: number;
  /** Stages of one process that must have ended well before. */
  readonly after?: readonly string[];
}

// Processes and not `--parallel`: its threads share one process, and a child that one test starts holds
// copies of the locks and descriptors of another until it runs. More than cores, since tests of programs
// wait for their programs: with two more, two cores are busy 88 % of the time, with four more 97 %.
const AT_ONCE = Math.min(navigator.hardwareConcurrency + 4, 8);
// Tests of the whole program drive the build that people get; a sample of them drives the source.
const WHOLE_PROGRAM = /^tests\/(?:scripts|program|portable)\//;
const BUILDS = "tests/unit/tools/builds_test.ts";
const TEST = ["test", "-A", "--no-check"];
const PACKAGES = "packages of npm";
const PROGRAMS = "programs of Debian";
const BUILD = "portable build";

const secondsOf: Record<string, number> = JSON.parse(
  await Deno.readTextFile(`${root}tests/seconds.json`),
);
const alone = Deno.env.get("SVC_TEST_ALONE") === "1";
const files = (await testFiles("tests")).filter((file) => file !== BUILDS);

// The first wait for nothing, or hold up many; then whatever takes longest. A new machine waits for its
// network while both are installed, and does meanwhile what needs none of them.
const STAGES: readonly Stage[] = [
  { name: PACKAGES, program: "make", args: ["--silent", "setup"] },
  { name: PROGRAMS, program: "make", args: ["--silent", "programs"] },
  { name: "format", args: ["fmt", "--check", "--quiet"] },
  { name: "lint", args: ["lint", "--quiet"] },
  { name: BUILD, args: ["run", "-A", "tools/portable.ts"], after: [PACKAGES] },
  { name: "types", args: ["check", "--quiet"], after: [PACKAGES] },
  { name: "generated files", args: ["run", "-A", "tools/gen.ts", "--check"], after: [PACKAGES] },
  // Both write `dist/`; what runs `dist/svc` meanwhile finds the same bytes there, before and after.
  { name: "builds", args: [...TEST, BUILDS], after: [BUILD] },
  {
    name: "whole program, portable build",
    args: TEST,
    files: files.filter((file) => WHOLE_PROGRAM.test(file)),
    env: { SVC_BIN: `${root}dist/svc` },
    after: [BUILD, PROGRAMS],
  },
  {
    name: "tests from source",
    args: TEST,
    files: files.filter((file) => !WHOLE_PROGRAM.test(file)),
    // Each process loads and compiles most of svc: half as many take 3 % less. Brief shares of programs end the run.
    most: 60,
    after: [PACKAGES, PROGRAMS],
  },
  {
    name: "a sample of the whole program, from source",
    args: [...TEST, "--filter=/(version|start|serve|scan|setup)\\.txtar/", "tests/scripts"],
    after: [PACKAGES, PROGRAMS],
  },
];

async function testFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(root + folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await testFiles(path));
    else if (/_test\.tsx?$/.test(name)) found.push(path);
  }
  return found;
}

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

// deno-lint-ignore no-control-regex -- colours are taken out before reading
const plain = (output: string) => output.replace(/\x1b\[[0-9;]*m/g, "");

/** Lines of a failed test that the end repeats. */
const FAULT_LINES = 12;
/** Characters of each line: one may be a whole answer of the program, and the end of a log is what is seen. */
const FAULT_WIDTH = 200;
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
    lines.slice(at, starts[nth + 1]).filter((line) => line !== "").slice(0, FAULT_LINES)
      .map((line) => line.slice(0, FAULT_WIDTH)).join("\n")
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

/** One process: a stage, or a share of its files. */
interface Unit {
  readonly stage: Stage;
  readonly title: string;
  readonly args: readonly string[];
  readonly seconds: number;
}

function unitsOf(stage: Stage): Unit[] {
  const { name, args, files, most } = stage;
  if (files === undefined) return [{ stage, title: name, args, seconds: Infinity }];
  return shares(files, secondsOf, { alone, most }).map(({ files, seconds, together }, at, all) => ({
    stage,
    title: `${name} ${at + 1}/${all.length}`,
    args: [...args, ...(together ? ["tools/together.ts", "--"] : []), ...files],
    seconds,
  }));
}

/** Runs one process, and shows its output whole when it has ended. */
async function run({ stage, title, args }: Unit): Promise<Count> {
  const { code, stdout, stderr, hung } = await watched(
    new Deno.Command(stage.program ?? Deno.execPath(), {
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
const units = STAGES.flatMap(unitsOf).sort((a, b) => b.seconds - a.seconds);
const passed = new Set<string>();
const running = new Set<Promise<void>>();
while (units.length > 0 || running.size > 0) {
  const at = units.findIndex(({ stage: { after = [] } }) =>
    after.every((name) => passed.has(name))
  );
  if (at < 0 && running.size === 0) {
    faults.push(
      `not run, for want of what failed before: ${units.map(({ title }) => title).join(", ")}`,
    );
    break;
  }
  if (at < 0 || running.size === AT_ONCE) {
    await Promise.race(running);
    continue;
  }
  const [unit] = units.splice(at, 1);
  const work = run(unit!).then((count) => {
    add(total, count);
    if (count.failed === 0) passed.add(unit!.title);
    running.delete(work);
  });
  running.add(work);
}
await temporary?.[Symbol.asyncDispose]();
if (faults.length > 0) console.log(`\nfailed:\n\n${faults.join("\n\n")}\n`);
const measured = { ...measuredIn(plain(printed.join("\n"))) };
await Deno.writeTextFile(`${root}dist/seconds.json`, `${JSON.stringify(measured, null, 2)}\n`);
const unproven = unprovenHere(printed.join("\n"));
if (unproven.length > 0) console.log(`skipped here, so not proven here: ${unproven.join(", ")}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
Deno.exit(total.failed === 0 ? 0 : 1);
