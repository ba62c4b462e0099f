/** A history with so many contents of files that clones of it are partial. */
import type { TempRepo } from "./temp_repo.ts";

const FILES = 200;

/** As git-fast-import(1) reads it; every commit changes all files. */
function* commitsOn(branch: string, commits: number, path: string): Generator<string> {
  const data = (text: string) => `data ${new TextEncoder().encode(text).length}\n${text}\n`;
  for (let commit = 1; commit <= commits; commit++) {
    yield `commit refs/heads/${branch}\n`;
    yield `committer Ada <ada@example.org> ${1_700_000_000 + commit} +0000\n`;
    yield data(`chore: change everything for the ${commit}th time`);
    if (commit === 1) yield `from refs/heads/${branch}^0\n`;
    for (let file = 0; file < FILES; file++) {
      yield `M 100644 inline data/${file}.txt\n${data(`${file} ${commit}\n`)}`;
    }
    yield `M 100644 inline ${path}\n${data(`# ${commit}\n`)}`;
  }
}

/** Adds commits to the branch that is checked out. @param contents at least so many @param path is changed by each */
export async function addLongHistory(
  repo: TempRepo,
  { contents, path }: { readonly contents: number; readonly path: string },
): Promise<void> {
  const branch = (await repo.git("symbolic-ref", "--short", "HEAD")).trim();
  const commits = Math.ceil(contents / FILES);
  const child = new Deno.Command("git", {
    args: ["-C", repo.path, "fast-import", "--quiet"],
    ...{ stdin: "piped", stdout: "null", stderr: "inherit" },
  }).spawn();
  await ReadableStream.from(commitsOn(branch, commits, path))
    .pipeThrough(new TextEncoderStream()).pipeTo(child.stdin);
  if (!(await child.status).success) throw new Error("git fast-import failed");
  await repo.git("reset", "--hard", "--quiet");
}
