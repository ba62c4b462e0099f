/** What the benches of a run have in common: a four-turn fix and forty turns as a script, and what a command costs. */
import { denoDir, repoRoot, svcCommand } from "tests/kit/script.ts";
import type { Step } from "tests/kit/model_endpoint.ts";
import { type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";

export const built = await Deno.stat(`${repoRoot}dist/svc`).then(() => true, () => false);
const svc = built ? [`${repoRoot}dist/svc`] : svcCommand({ unpacks: true });

export const svcRun = (url: string): readonly string[] => [
  ...[...svc, "run", "engineer", "--task", "Mend add.sh", "--model-endpoint", url],
  ...["--execution-profile", "host", "--acknowledge-host-execution"],
];

/** The least that an agent can be on this platform (`minimal_loop.ts`). */
export const leastRun = (url: string): readonly string[] => [
  ...[Deno.execPath(), "run", "-A", "--no-config", `${repoRoot}bench/minimal_loop.ts`],
  ...[url, "echo 3"],
];

export interface ScriptedCall {
  readonly name: string;
  readonly args: unknown;
}

/** A reply to each turn; the last one is given when the work is done. */
export function steps(calls: readonly ScriptedCall[], end: ScriptedCall | string): Step[] {
  const last = typeof end === "string" ? { text: end } : { calls: [end] };
  const replies = [...calls.map((call) => ({ calls: [call] })), last];
  return replies.map((reply, turn) => ({ reply, when: { turn }, always: true }));
}

const FINISH = { name: "finish", args: { disposition: "submitted", evidence: "3" } };
const NO_WORK = { disposition: "no_work", evidence: "nothing is to be changed" };

/** @param names of the tools that read, edit and run */
export const fix = (names: readonly [string, string, string]): Step[] =>
  steps([
    { name: names[0], args: { path: "add.sh" } },
    { name: names[1], args: { path: "add.sh", old: "$1 - $2", new: "$1 + $2" } },
    { name: names[2], args: { argv: ["sh", "add.sh", "1", "2"] } },
  ], FINISH);

/** What one more turn costs is told by two runs that end alike, without work: a fix commits and proves. */
export interface Runs {
  readonly four: readonly Step[];
  readonly forty: readonly Step[];
}

/** A call that differs in each turn: guards against loops stay silent. */
export function runs(
  call: (turn: number) => ScriptedCall,
  end: ScriptedCall | string = { name: "finish", args: NO_WORK },
): Runs {
  const of = (length: number) => steps(Array.from({ length }, (_, turn) => call(turn)), end);
  return { four: of(4), forty: of(40) };
}

export const commandRuns = (name: string): Runs =>
  runs((turn) => ({ name, args: { argv: ["echo", `${turn}`] } }));

export async function brokenRepo(): Promise<TempRepo> {
  const repo = await tempRepo({ files: { "add.sh": "echo $(($1 - $2))\n" }, commit: true });
  await repo.git("config", "user.name", "Ada");
  await repo.git("config", "user.email", "ada@example.org");
  return repo;
}

/** As it was before a run: without what agents changed, and without work trees and branches of svc. */
export async function asBefore(repo: TempRepo): Promise<void> {
  const listed = await repo.git("worktree", "list", "--porcelain");
  for (const [, path] of listed.matchAll(/^worktree (.*)$/gm)) {
    if (path !== repo.path) await repo.git("worktree", "remove", "--force", path!);
  }
  const branches = await repo.git("for-each-ref", "--format=%(refname)", "refs/heads/svc/");
  for (const ref of branches.split("\n").filter(Boolean)) await repo.git("update-ref", "-d", ref);
  await repo.git("checkout", "--quiet", "--", "add.sh");
}

export interface Cost {
  /** Milliseconds from exec to exit. */
  readonly wall: number;
  /** Seconds of all its processes. */
  readonly cpu: number;
  /** What its largest process takes. */
  readonly rssMiB: number;
}

/** GNU time (time(1)) tells of the whole tree, and adds some 1 ms. */
export async function cost(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Cost> {
  const began = performance.now();
  const { code, stderr } = await new Deno.Command("/usr/bin/time", {
    args: ["-f", "\n%U %S %M", ...command],
    cwd,
    // Some agents trust PWD more than their own working directory.
    env: { PATH: Deno.env.get("PATH")!, PWD: cwd, DENO_DIR: denoDir(), ...env },
    clearEnv: true,
    stdin: "null",
  }).output();
  const wall = performance.now() - began;
  const text = new TextDecoder().decode(stderr);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${text}`);
  const [user = 0, system = 0, rss = 0] = text.trim().split("\n").at(-1)!.split(" ").map(Number);
  return { wall, cpu: user + system, rssMiB: rss / 1024 };
}

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
