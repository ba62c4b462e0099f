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
  /** Since HEAD and `since` parted: what came to `since` meanwhile does not look removed. */
  readonly sinceFork?: boolean;
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
  const mustExist = async ({ since = "HEAD" }: DiffQuery) => {
    if (since !== "HEAD") await refuseUnknownCommit(git, doing, since);
  };
  /** Histories that share no commit are compared as they are. */
  const forkOf = async (query: DiffQuery): Promise<DiffQuery> => {
    await mustExist(query);
    const { since, sinceFork = false } = query;
    if (since === undefined || !sinceFork) return query;
    const args = ["merge-base", gitRef(since), "HEAD"];
    const fork = await lineOf(git, doing, args, [0, 1, 128]); // 128: HEAD has no commit yet
    return fork === undefined ? query : { ...query, since: fork };
  };
  const argsOf = (
    { staged = false, since, until, paths = [] }: DiffQuery,
    more: readonly string[],
  ) => [
    ...["diff", ...COMPARED, ...more, ...(staged ? ["--cached"] : []), "--end-of-options"],
    ...[since, until].flatMap((commit) => commit === undefined ? [] : [gitRef(commit)]),
    ...["--", ...paths.map(gitPath)],
  ];
  return {
    async diff(query = {}) {
      const { stdout } = await git({ doing, args: argsOf(await forkOf(query), []) });
      const { truncated, totalBytes } = stdout;
      return { text: capturedText(stdout), truncated, totalBytes };
    },
    async diffPaths(query = {}) {
      const found: ListedPath[] = [];
      const args = argsOf(await forkOf(query), ["--name-only", "--no-renames", "-z"]);
      await eachStretch(git, { doing, args }, (stretch) => {
        for (const path of listedPaths(stretch)) found.push(path);
      });
      return pathListing(found);
    },
  };
}
