/**
 * Everything `make test` proves, in order, ended by one line that counts:
 * the gates first, then the tests from source, then the whole-program scripts on the portable build.
 */
import { root } from "./bundle.ts";

interface Stage {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const GATES: readonly Stage[] = [
  { name: "format", args: ["fmt", "--check", "--quiet"] },
  { name: "lint", args: ["lint", "--quiet"] },
  { name: "types", args: ["check", "--quiet"] },
  { name: "generated files", args: ["run", "-A", "tools/gen.ts", "--check"] },
];
// Not `--parallel`: its threads share one process, and a child that one test starts holds copies of
// the locks and descriptors of another until it runs.
const WHOLE_PROGRAM = ["tests/scripts", "tests/program", "tests/portable"];
const TESTS: readonly Stage[] = [
  {
    name: "tests from source",
    args: ["test", "-A", "--no-check", "--ignore=tests/portable", "tests"],
  },
  { name: "portable build", args: ["run", "-A", "tools/portable.ts"] },
  {
    name: "whole program, portable build",
    args: ["test", "-A", "--no-check", ...WHOLE_PROGRAM],
    env: { SVC_BIN: `${root}dist/svc` },
  },
];

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

/** Reads `deno test`'s closing line, such as `ok | 5 passed (2 steps) | 0 failed | 2 ignored (32ms)`. */
function counted(output: string): Count {
  // deno-lint-ignore no-control-regex -- colours are taken out before reading
  const lines = output.replace(/\x1b\[[0-9;]*m/g, "").split("\n");
  const closing = lines.findLast((line) => /^(?:ok|FAILED) \| \d+ passed/.test(line)) ?? "";
  const number = (word: string) => Number(closing.match(new RegExp(`(\\d+) ${word}`))?.[1] ?? 0);
  return { passed: number("passed"), failed: number("failed"), skipped: number("ignored") };
}

async function run(stage: Stage): Promise<Count> {
  console.log(`── ${stage.name}`);
  const child = new Deno.Command(Deno.execPath(), {
    args: [...stage.args],
    cwd: root,
    ...(stage.env && { env: { ...stage.env } }),
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let output = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    Deno.stdout.writeSync(new TextEncoder().encode(text));
  }
  const { code } = await child.status;
  if (stage.args[0] !== "test") {
    return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
  }
  const count = counted(output);
  // A run that ended badly without naming a failed test (a crash, a leak) has failed all the same.
  return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
}

const total: Count = { passed: 0, failed: 0, skipped: 0 };
for (const stage of [...GATES, ...TESTS]) {
  const count = await run(stage);
  for (const key of ["passed", "failed", "skipped"] as const) total[key] += count[key];
}
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
Deno.exit(total.failed === 0 ? 0 : 1);
