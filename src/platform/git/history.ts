/** What a repo's history says about its files: names, how often each changed, and when lines changed. */
import { gitObjectId, gitPath, isObjectId } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { eachItem, eachStretch, lineOf } from "./answers.ts";
import type { CallGit } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import { askedTip, headTip } from "./head.ts";
import { type ListedPath, listedPath, listedPaths } from "./output.ts";

/** Half a year of a busy repo, read in some 2 s. */
const GIT_CHURN_COMMITS = 2000;

const GIT_BLAME_LINES = 50;

/** Newest commits that are searched for those of one file, and how many of those count. */
const GIT_TOGETHER_WALKED = 5000;
const GIT_TOGETHER_COMMITS = 100;

/** A commit of more moves or formats them all, and tells nothing of what belongs together. */
const GIT_TOGETHER_FILES = 50;

/** Half a year of a busy repo: some 0.3 s, 1 s where trees are large. */
const GIT_RECENT_COMMITS = 1000;
const GIT_SUBJECT_CHARS = 200;

/** Jobs of several repos may run at a time. */
const GIT_HISTORIES_KEPT = 4;

const HISTORY_TIPS = 1000;

interface ChangeCounts {
  readonly counts: ReadonlyMap<string, number>;
  readonly complete: boolean;
  /** Files that one commit alone changed, by adding them: git would date each of their lines to it. */
  readonly added: ReadonlyMap<string, AddedFile>;
}

interface AddedFile {
  /** Names the content that the commit added. */
  readonly oid: string;
  /** When it was written, epoch ms. */
  readonly time: number;
}

interface ChangedWith {
  /** That changed the file, without those of more than `GIT_TOGETHER_FILES` files. */
  readonly commits: number;
  readonly counts: ReadonlyMap<string, number>;
}

export interface PastCommit {
  /** At most `GIT_SUBJECT_CHARS` of it. */
  readonly subject: string;
  readonly files: readonly string[];
}

export interface GitHistory {
  /**
   * The newest `GIT_RECENT_COMMITS` before HEAD, newest first; without merges, the first, and those of
   * more than `GIT_TOGETHER_FILES` files. Kept by commit, so that each HEAD is read once.
   */
  recentCommits(): Promise<readonly PastCommit[]>;
  /** Subjects of all commits before HEAD that changed a file below the folder, by its path; the newest first. */
  subjectsByPath(under: string): Promise<ReadonlyMap<string, readonly string[]>>;
  /** In its newest `GIT_TOGETHER_COMMITS`; without merges and earlier names of the file. */
  changedWith(path: string): Promise<ChangedWith>;
  /** Without merges; `since` is epoch ms. */
  changes(query: { readonly since: number }): Promise<ChangeCounts>;
  /** Epoch ms by line (from 1); `GIT_BLAME_LINES` at most. History before `since` (epoch ms) is not walked: an
   * older line gets some time before it. @param commit whose file it is; without one, the file on disk, for
   * which git reads the whole index. @throws Failure `environment` for an untracked or shorter file */
  lineTimes(
    path: string,
    query: { readonly lines: readonly number[]; readonly since: number; readonly commit?: string },
  ): Promise<ReadonlyMap<number, number>>;
}

const NO_PROGRAMS = ["--no-ext-diff", "--no-textconv"];

/** Git reads smaller numbers as dates of other kinds. */
const EARLIEST_SECONDS = 100_000_000;

const sinceArg = (since: number) =>
  `--since=@${Math.max(EARLIEST_SECONDS, Math.trunc(since / 1000))}`;

/** Reads `git log -z --raw --no-renames --format=%x00%at`: an empty item, which no path is, precedes each commit's time. */
class ChangeReader {
  readonly counts = new Map<string, number>();
  readonly #added = new Map<string, AddedFile & { readonly commit: { removes: boolean } }>();
  #next: "change" | "time" | "path" = "change";
  #change = "";
  #time = 0;
  #commit = { removes: false };

  push({ path: text, usable }: ListedPath): void {
    if (this.#next === "path") {
      this.#next = "change";
      this.#file(text, usable);
    } else if (this.#next === "time") {
      this.#next = "change";
      this.#time = Number(text) * 1000;
      this.#commit = { removes: false };
    } else if (text === "") this.#next = "time";
    else {
      this.#next = "path";
      this.#change = text;
    }
  }

  #file(path: string, usable: boolean): void {
    const change = this.#change;
    if (change.endsWith("D")) this.#commit.removes = true;
    else if (usable) {
      this.counts.set(path, (this.counts.get(path) ?? 0) + 1);
      if (!change.endsWith("A")) return;
      const [, , , oid] = change.split(" ");
      this.#added.set(path, { oid: oid!, time: this.#time, commit: this.#commit });
    }
  }

  /** Without those of a commit that removed files: git follows a file that was moved. */
  added(): Map<string, AddedFile> {
    const alone = [...this.#added].filter(([path, { commit }]) =>
      this.counts.get(path) === 1 && !commit.removes
    );
    return new Map(alone.map(([path, { oid, time }]) => [path, { oid, time }]));
  }
}

async function changes(git: CallGit, doing: string, since: number): Promise<ChangeCounts> {
  const read = new ChangeReader();
  const { counts } = read;
  if (await askedTip(git, doing) === undefined) {
    return { counts, complete: true, added: new Map() };
  }
  const which = ["--no-merges", sinceArg(since)];
  const head = ["--end-of-options", "HEAD", "--"];
  const count = ["rev-list", "--count", `--max-count=${GIT_CHURN_COMMITS + 1}`, ...which, ...head];
  const commits = Number(await lineOf(git, doing, count));
  const args = [
    ...["log", "-z", "--format=%x00%at", "--raw", "--no-abbrev", "--no-renames"],
    ...["--diff-filter=AMD", `--max-count=${GIT_CHURN_COMMITS}`, ...which],
    ...["--no-show-signature", "--ignore-submodules=all", ...NO_PROGRAMS, ...head],
  ];
  await eachStretch(git, { doing, args }, (stretch) => {
    for (const item of listedPaths(stretch)) read.push(item);
  });
  return { counts, complete: commits <= GIT_CHURN_COMMITS, added: read.added() };
}

/** Undefined when the history is shorter. */
async function walkEnd(git: CallGit, doing: string): Promise<string | undefined> {
  const args = ["rev-list", "--no-merges", `--skip=${GIT_TOGETHER_WALKED}`, "--max-count=1"];
  return await lineOf(git, doing, [...args, "--end-of-options", "HEAD", "--"]) || undefined;
}

async function changedWith(git: CallGit, doing: string, path: string): Promise<ChangedWith> {
  const counts = new Map<string, number>();
  if (await askedTip(git, doing) === undefined) return { commits: 0, counts };
  const end = await walkEnd(git, doing);
  let commits = 0;
  let files: string[] = [];
  const endCommit = () => {
    if (files.length > 0 && files.length <= GIT_TOGETHER_FILES) {
      commits++;
      for (const file of files) if (file !== path) counts.set(file, (counts.get(file) ?? 0) + 1);
    }
    files = [];
  };
  const args = [
    // An empty item, which no path is, precedes the files of each commit.
    ...["log", "-z", "--format=%x00", "--name-only", "--full-diff", "--no-renames"],
    ...["--no-merges", `--max-count=${GIT_TOGETHER_COMMITS}`, "--no-show-signature"],
    ...["--ignore-submodules=all", ...NO_PROGRAMS, "--end-of-options", "HEAD"],
    ...[...(end === undefined ? [] : [`^${end}`]), "--", gitPath(path)],
  ];
  await eachItem(git, { doing, args }, (item) => {
    const { path: name, usable } = listedPath(item[0] === 10 ? item.subarray(1) : item);
    if (name === "") endCommit();
    else if (usable) files.push(name);
  });
  endCommit();
  return { commits, counts };
}

/** @param which what `git log` is to show, with its revisions and paths */
async function eachPastCommit(
  git: CallGit,
  doing: string,
  { which, ends }: { readonly which: readonly string[]; readonly ends: readonly string[] },
  visit: { subject(text: string): void; file(path: string): void },
): Promise<void> {
  const decoder = new TextDecoder();
  let next: "any" | "id" | "subject" = "any";
  const args = [
    // An empty item, which no path is, precedes a commit's id, and also the paths of a merge.
    ...["log", "-z", "--format=%x00%H%x00%s", "--encoding=UTF-8", "--name-only", "--no-renames"],
    ...[...which, "--root", "--no-show-signature", "--ignore-submodules=all", ...NO_PROGRAMS],
    ...["--end-of-options", ...ends],
  ];
  await eachItem(git, { doing, args }, (item) => {
    if (next === "subject") {
      const subject = decoder.decode(item.subarray(0, 4 * GIT_SUBJECT_CHARS));
      visit.subject(subject.slice(0, GIT_SUBJECT_CHARS));
      next = "any";
      return;
    }
    const { path, usable } = listedPath(item[0] === 10 ? item.subarray(1) : item);
    if (path === "") next = "id";
    else if (next === "id" && isObjectId(path)) next = "subject";
    else {
      next = "any";
      if (usable) visit.file(path);
    }
  });
}

async function readRecent(git: CallGit, doing: string, head: string): Promise<PastCommit[]> {
  const commits: { subject: string; files: string[] }[] = [];
  // The first commit brings in what is there and ties nothing together.
  const which = ["--no-merges", "--min-parents=1", `--max-count=${GIT_RECENT_COMMITS}`];
  await eachPastCommit(git, doing, { which, ends: [gitObjectId(head), "--"] }, {
    subject: (subject) => commits.push({ subject, files: [] }),
    file: (path) => commits.at(-1)?.files.push(path),
  });
  return commits.filter(({ files }) => files.length > 0 && files.length <= GIT_TOGETHER_FILES);
}

async function subjectsByPath(git: CallGit, doing: string, under: string) {
  const found = new Map<string, string[]>();
  if (await askedTip(git, doing) === undefined) return found;
  let subject = "";
  // A merge changed what it has from none of its parents.
  await eachPastCommit(git, doing, { which: ["-c"], ends: ["HEAD", "--", gitPath(under)] }, {
    subject: (text) => void (subject = text),
    file(path) {
      const known = found.get(path);
      if (known === undefined) found.set(path, [subject]);
      else known.push(subject);
    },
  });
  return found;
}

/** By commit, whose name is the hash of its whole history; the oldest first. */
const histories = new Map<string, Promise<readonly PastCommit[]>>();

async function recentCommits(git: CallGit, doing: string): Promise<readonly PastCommit[]> {
  const head = await askedTip(git, doing);
  if (head === undefined) return [];
  const known = histories.get(head);
  if (known !== undefined) return await known;
  const reading = readRecent(git, doing, head);
  histories.set(head, reading);
  for (const old of [...histories.keys()].slice(0, -GIT_HISTORIES_KEPT)) histories.delete(old);
  try {
    return await reading;
  } catch (thrown) {
    histories.delete(head);
    throw thrown;
  }
}

/** Paths as git stores them, with repeats; `seen` are the `tips` of an earlier call. */
export async function namesEverAdded(
  git: CallGit,
  place: GitLocation,
  under: string,
  seen: readonly string[],
): Promise<{ names: string[]; tips: string[] }> {
  const doing = `read the history of "${under}"`;
  const refs = ["for-each-ref", "--format=%(objectname)", `--count=${HISTORY_TIPS}`];
  const [{ stdout }, head] = await Promise.all([
    git({ doing, args: refs }),
    headTip(git, place, doing),
  ]);
  const found = [...capturedText(stdout).split("\n"), ...(head === undefined ? [] : [head])];
  const tips = [...new Set(found)].filter(isObjectId);
  if (tips.length === 0) return { names: [], tips };
  const names: string[] = [];
  const decoder = new TextDecoder();
  const args = [
    ...["log", "-z", "--format=", "--name-only", "--diff-filter=A", "--no-renames", "-m"],
    ...["--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-show-signature"],
    // A remembered tip may be gone: pruned, or of a branch that was never kept.
    ...["--ignore-missing", "--all", ...(head === undefined ? [] : ["HEAD"]), "--stdin"],
    ...["--", gitPath(under)],
  ];
  const stdin = new TextEncoder().encode(seen.map((oid) => `^${gitObjectId(oid)}\n`).join(""));
  await eachItem(git, { doing, args, stdin }, (item) => names.push(decoder.decode(item)));
  return { names: names.filter((name) => name !== ""), tips };
}

/** git-blame(1)'s porcelain format: only the first line of a commit comes with its facts. */
class BlameReader {
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
    subjectsByPath: (under) =>
      subjectsByPath(git, `read the history of "${under}" in "${root}"`, under),
    recentCommits: () => recentCommits(git, `read the history of "${root}"`),
    changes: ({ since }) => changes(git, `read the history of "${root}"`, since),
    async lineTimes(path, { lines, since, commit }) {
      const asked = [...new Set(lines.map(Math.trunc))].slice(0, GIT_BLAME_LINES);
      const blamed = new BlameReader();
      if (asked.length === 0) return blamed.times;
      const decoder = new TextDecoder();
      const doing = `read the history of "${path}" in "${root}"`;
      const args = [
        ...["blame", "--porcelain", "--no-textconv", sinceArg(since)],
        ...asked.map((line) => `-L${line},${line}`),
        ...[...(commit === undefined ? [] : [gitObjectId(commit)]), "--", gitPath(path)],
      ];
      const read = (item: Uint8Array) => blamed.push(decoder.decode(item.subarray(0, 512)));
      await eachItem(git, { doing, args }, read, "LF");
      return blamed.times;
    },
  };
}
