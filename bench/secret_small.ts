/** Many small files: the whole command on the ten packages' files of at most 200 kB, beside `git grep`. */
import { installPackages, pathsBelow } from "./secret_tree.ts";

const SMALL_BYTES = 200_000;
const ROUNDS = 5;
const GOAL_MS = 1_500;

async function run(program: string, args: readonly string[], answers = [0, 1]): Promise<number> {
  const start = performance.now();
  const { code, stderr } = await new Deno.Command(program, {
    args: [...args],
    stdout: "null",
    stderr: "piped",
  }).output();
  const ms = performance.now() - start;
  if (answers.includes(code)) return ms;
  throw new Error(`${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}

/** A repo with a commit; nothing when it is there already. */
async function smallRepo(cache: string): Promise<string> {
  const repo = `${cache}/small`;
  const done = `${repo}/.git/done`;
  if (await Deno.stat(done).then(() => true, () => false)) return repo;
  const from = await installPackages(`${cache}/packages`);
  for (const path of pathsBelow(from)) {
    const { isFile, size } = await Deno.lstat(`${from}/${path}`);
    if (!isFile || size > SMALL_BYTES || path.endsWith(".gitignore")) continue;
    const to = `${repo}/modules/${path}`;
    await Deno.mkdir(to.slice(0, to.lastIndexOf("/")), { recursive: true });
    await Deno.copyFile(`${from}/${path}`, to);
  }
  await run("git", ["init", "--quiet", "--initial-branch=main", repo], [0]);
  // No collection of garbage in the background, which would be at work while the scans are timed.
  await run("git", ["-C", repo, "config", "gc.auto", "0"], [0]);
  await run("git", ["-C", repo, "add", "--all"], [0]);
  const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
  await run("git", ["-C", repo, ...author, "commit", "--quiet", "--message", "first"], [0]);
  await Deno.writeTextFile(done, "");
  return repo;
}

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1]!;

/** @param svc the program and its first arguments */
export async function smallFiles(
  cache: string,
  [program, ...first]: readonly [string, ...string[]],
) {
  const repo = await smallRepo(cache);
  const scans: number[] = [];
  const greps: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    greps.push(await run("git", ["-C", repo, "grep", "--count", "TODO"]));
    scans.push(await run(program, [...first, "guardrails", "secret-scan", "--repo", repo]));
  }
  const [least, usual, grep] = [Math.min(...scans), median(scans), median(greps)];
  console.log(
    `small: whole command, ${(least / 1e3).toFixed(2)} s at least, ${
      (usual / 1e3).toFixed(2)
    } s median; git grep ${(grep / 1e3).toFixed(2)} s: ${(usual / grep).toFixed(1)} times; goal ${
      GOAL_MS / 1e3
    } s: ${usual <= GOAL_MS ? "met" : "missed"}`,
  );
}
