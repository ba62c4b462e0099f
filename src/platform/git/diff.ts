/** What `git diff` tells of a work tree: the patch, and the names of what differs. */
import { Failure } from "svc/core/failure.ts";
import { gitPath, gitRef } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { eachStretch, lineOf } from "./answers.ts";
import type { CallGit } from "./call.ts";
import { type ListedPath, listedPaths, type PathListing, pathListing } from "./output.ts";

export interface DiffQuery {
  /** Index against HEAD; otherwise work tree against index. */
  readonly staged?: boolean;
  readonly since?: string;
  /** A commit in place of the work tree; goes with `since`. */
  readonly until?: string;
  readonly paths?: readonly string[];
}

export interface Diffed {
  readonly text: string;
  readonly truncated: boolean;
  /** The whole patch's size; a truncated `text` is its head and tail. */
  readonly totalBytes: number;
}

export interface GitDiff {
  /** A long patch loses its middle, and a line says so. @throws Failure `environment` for an unknown commit */
  diff(query?: DiffQuery): Promise<Diffed>;
  /** With removed files; a renamed one has both names. */
  diffPaths(query?: DiffQuery): Promise<PathListing>;
  /** Where HEAD left `since`: compared with that, what came to `since` meanwhile does not look removed.
   * Histories that share no commit are compared as they are. @throws as `diff` */
  forkFrom(since: string): Promise<string>;
}

/** @throws Failure `environment`, or `usage` for a text that can name no commit */
export async function refuseUnknownCommit(git: CallGit, doing: string, ref: string): Promise<void> {
  const { code } = await git({
    doing,
    args: ["rev-parse", "--verify", "--quiet", "--end-of-options", `${gitRef(ref)}^{commit}`],
    answers: [0, 1],
  });
  if (code === 0) return;
  throw new Failure("environment", `Cannot ${doing}: there is no commit ${JSON.stringify(ref)}`, {
    remedy: "Give a branch, a tag or the id of a commit; git_log lists the newest",
  });
}

const COMPARED = [
  ...["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"],
  ...["--submodule=short", "--src-prefix=a/", "--dst-prefix=b/"],
];

export function diffVerbs(git: CallGit, root: string): GitDiff {
  const doing = `compare the files of "${root}"`;
  /** Git's own words do not tell an unknown commit, so it is asked for once git has failed. */
  const orUnknown = async <T>({ since = "HEAD" }: DiffQuery, compared: Promise<T>): Promise<T> => {
    try {
      return await compared;
    } catch (thrown) {
      if (since !== "HEAD") await refuseUnknownCommit(git, doing, since);
      throw thrown;
    }
  };
  const argsOf = (
    { staged = false, since, until, paths = [] }: DiffQuery,
    more: readonly string[],
  ) => [
    ...["diff", ...COMPARED, ...more, ...(staged ? ["--cached"] : []), "--end-of-options"],
    ...[since, until].flatMap((commit) =>
      commit === undefined ? [] : [`${gitRef(commit)}^{commit}`]
    ),
    ...["--", ...paths.map(gitPath)],
  ];
  return {
    async diff(query = {}) {
      const { stdout } = await orUnknown(query, git({ doing, args: argsOf(query, []) }));
      const { truncated, totalBytes } = stdout;
      return { text: capturedText(stdout), truncated, totalBytes };
    },
    async diffPaths(query = {}) {
      const found: ListedPath[] = [];
      const args = argsOf(query, ["--name-only", "--no-renames", "-z"]);
      const listing = eachStretch(git, { doing, args }, (stretch) => {
        for (const path of listedPaths(stretch)) found.push(path);
      });
      await orUnknown(query, listing);
      return pathListing(found);
    },
    async forkFrom(since) {
      const args = ["merge-base", gitRef(since), "HEAD"];
      const fork = await lineOf(git, doing, args, [0, 1, 128]); // 128: one of them is no commit
      if (fork === undefined) await refuseUnknownCommit(git, doing, since);
      return fork ?? since;
    },
  };
}
