/** What a repo's history tells of its files: how often each changed, and since when lines stand. */
import { gitPath } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import type { CallGit } from "./call.ts";
import { Items, repoPath } from "./output.ts";

/** Commits of which one look at churn counts the files: half a year of a busy repo, read in some 2 s. */
const GIT_CHURN_COMMITS = 2000;

/** Lines whose age one blame looks up. */
const GIT_BLAME_LINES = 50;

/** Newest commits of a branch among which those of one file are looked for, and how many of those count. */
const GIT_TOGETHER_WALKED = 5000;
const GIT_TOGETHER_COMMITS = 100;

/** A commit of more files moves or formats them all, and tells nothing of what belongs together. */
const GIT_TOGETHER_FILES = 50;

export interface Changes {
  /** Commits that added or changed each path. */
  readonly counts: ReadonlyMap<string, number>;
  /** False when only the newest `GIT_CHURN_COMMITS` commits were counted. */
  readonly complete: boolean;
}

export interface ChangedWith {
  /** Commits that changed the file; larger ones than `GIT_TOGETHER_FILES` are left out. */
  readonly commits: number;
  /** In how many of them each other path changed as well. */
  readonly counts: ReadonlyMap<string, number>;
}

export interface GitHistory {
  /**
   * What changed together with a file, in its newest `GIT_TOGETHER_COMMITS` commits among the newest
   * `GIT_TOGETHER_WALKED` of the branch. Merges are left out; a file that moved starts anew.
   */
  changedWith(path: string): Promise<ChangedWith>;
  /** Merges are left out. Nothing before the first commit. */
  changes(query: {
    /** Epoch ms. */
    readonly since: number;
  }): Promise<Changes>;
  /**
   * When lines (from 1) of a work tree file were last changed, in epoch ms by line. History before
   * `since` (epoch ms) is not walked: a line from there gets some time before it. At most
   * `GIT_BLAME_LINES` lines are looked up.
   * @throws Failure `environment` when the file is not tracked or has fewer lines
   */
  lineTimes(
    path: string,
    query: { readonly lines: readonly number[]; readonly since: number },
  ): Promise<ReadonlyMap<number, number>>;
}

const NO_PROGRAMS = ["--no-ext-diff", "--no-textconv"];

/** Git takes smaller numbers for dates of other kinds, and understands them as today or never. */
const EARLIEST_SECONDS = 100_000_000;

const sinceArg = (since: number) =>
  `--since=@${Math.max(EARLIEST_SECONDS, Math.trunc(since / 1000))}`;

async function changes(git: CallGit, doing: string, since: number): Promise<Changes> {
  const counts = new Map<string, number>();
  const { code } = await git({
    doing,
    args: ["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}"],
    answers: [0, 1],
  });
  if (code === 1) return { counts, complete: true };
  const which = ["--no-merges", sinceArg(since)];
  const head = ["--end-of-options", "HEAD", "--"];
  const { stdout } = await git({
    doing,
    args: ["rev-list", "--count", `--max-count=${GIT_CHURN_COMMITS + 1}`, ...which, ...head],
  });
  const cut = new Items();
  await git({
    doing,
    args: [
      ...["log", "-z", "--format=", "--name-only", "--no-renames", "--diff-filter=AM"],
      ...[`--max-count=${GIT_CHURN_COMMITS}`, ...which],
      ...["--no-show-signature", "--ignore-submodules=all", ...NO_PROGRAMS, ...head],
    ],
    maxOutputBytes: 4096,
    onOutput(chunk, stream) {
      if (stream === "stderr") return;
      for (const item of cut.push(chunk)) {
        const { path, usable } = repoPath(item);
        if (usable) counts.set(path, (counts.get(path) ?? 0) + 1);
      }
    },
  });
  return { counts, complete: Number(capturedText(stdout)) <= GIT_CHURN_COMMITS };
}

/** The commit at which a walk of the newest ones ends; undefined when the history is shorter. */
async function walkEnd(git: CallGit, doing: string): Promise<string | undefined> {
  const { stdout } = await git({
    doing,
    args: [
      ...["rev-list", "--no-merges", `--skip=${GIT_TOGETHER_WALKED}`, "--max-count=1"],
      ...["--end-of-options", "HEAD", "--"],
    ],
  });
  return capturedText(stdout).trim() || undefined;
}

async function changedWith(git: CallGit, doing: string, path: string): Promise<ChangedWith> {
  const counts = new Map<string, number>();
  const { code } = await git({
    doing,
    args: ["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}"],
    answers: [0, 1],
  });
  if (code === 1) return { commits: 0, counts };
  const end = await walkEnd(git, doing);
  let commits = 0;
  let files: string[] = [];
  const settle = () => {
    if (files.length > 0 && files.length <= GIT_TOGETHER_FILES) {
      commits++;
      for (const file of files) if (file !== path) counts.set(file, (counts.get(file) ?? 0) + 1);
    }
    files = [];
  };
  const cut = new Items();
  await git({
    doing,
    args: [
      // An empty item, which no path is, stands before the files of each commit.
      ...["log", "-z", "--format=%x00", "--name-only", "--full-diff", "--no-renames"],
      ...["--no-merges", `--max-count=${GIT_TOGETHER_COMMITS}`, "--no-show-signature"],
      ...["--ignore-submodules=all", ...NO_PROGRAMS, "--end-of-options", "HEAD"],
      ...[...(end === undefined ? [] : [`^${end}`]), "--", gitPath(path)],
    ],
    maxOutputBytes: 4096,
    onOutput(chunk, stream) {
      if (stream === "stderr") return;
      for (const item of cut.push(chunk)) {
        const { path: name, usable } = repoPath(item[0] === 10 ? item.subarray(1) : item);
        if (name === "") settle();
        else if (usable) files.push(name);
      }
    },
  });
  settle();
  return { commits, counts };
}

/** Reads git-blame(1)'s porcelain format: what a commit says of itself stands with its first line only. */
class Blamed {
  readonly times = new Map<number, number>();
  readonly #commits = new Map<string, number>();
  #commit = "";
  #line = 0;

  push(text: string): void {
    const header = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(text);
    if (header !== null) {
      this.#commit = header[1]!;
      this.#line = Number(header[2]);
    } else if (text.startsWith("author-time ")) {
      this.#commits.set(this.#commit, Number(text.slice(12)) * 1000);
    } else if (text.startsWith("\t")) {
      const time = this.#commits.get(this.#commit);
      if (time !== undefined) this.times.set(this.#line, time);
    }
  }
}

export function historyVerbs(git: CallGit, root: string): GitHistory {
  return {
    changedWith: (path) => changedWith(git, `read the history of "${path}" in "${root}"`, path),
    changes: ({ since }) => changes(git, `read the history of "${root}"`, since),
    async lineTimes(path, { lines, since }) {
      const asked = [...new Set(lines.map(Math.trunc))].slice(0, GIT_BLAME_LINES);
      const blamed = new Blamed();
      if (asked.length === 0) return blamed.times;
      const cut = new Items("LF");
      const decoder = new TextDecoder();
      await git({
        doing: `read the history of "${path}" in "${root}"`,
        args: [
          ...["blame", "--porcelain", "--no-textconv", sinceArg(since)],
          ...[...asked.map((line) => `-L${line},${line}`), "--", gitPath(path)],
        ],
        maxOutputBytes: 4096,
        onOutput(chunk, stream) {
          if (stream === "stderr") return;
          for (const item of cut.push(chunk)) blamed.push(decoder.decode(item.subarray(0, 512)));
        },
      });
      return blamed.times;
    },
  };
}
