/** What `git diff` tells of a work tree: the patch, and the names of what differs. */
import { Failure } from "svc/core/failure.ts";
import { gitPath, gitRef } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import type { Listing } from "./git.ts";
import type { CallGit } from "./call.ts";
import { type RepoPath, repoPaths, Stretches } from "./output.ts";

export interface DiffQuery {
  /** Index against HEAD; otherwise work tree against index. */
  readonly staged?: boolean;
  /** Compares with this commit instead. */
  readonly since?: string;
  readonly paths?: readonly string[];
}

export interface Diffed {
  readonly text: string;
  readonly truncated: boolean;
  /** Of the whole patch, `text` is its head and tail when it is truncated. */
  readonly totalBytes: number;
}

export interface GitDiff {
  /**
   * A patch; where it is too long its middle is left out, and a line says so.
   * @throws Failure `environment` for a commit that there is not
   */
  diff(query?: DiffQuery): Promise<Diffed>;
  /** The files of that patch, removed ones too; a renamed one by both of its names. */
  diffPaths(query?: DiffQuery): Promise<Listing>;
}

/** @throws Failure `environment`, or `usage` for what is no name of a commit */
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

/** @param listing of paths as git gave them */
export function diffVerbs(
  git: CallGit,
  root: string,
  listing: (found: readonly RepoPath[]) => Listing,
): GitDiff {
  const doing = `compare the files of "${root}"`;
  const known = async ({ since = "HEAD" }: DiffQuery) => {
    if (since !== "HEAD") await refuseUnknownCommit(git, doing, since);
  };
  const argsOf = ({ staged = false, since, paths = [] }: DiffQuery, more: readonly string[]) => [
    ...["diff", ...COMPARED, ...more, ...(staged ? ["--cached"] : []), "--end-of-options"],
    ...[...(since === undefined ? [] : [gitRef(since)]), "--", ...paths.map(gitPath)],
  ];
  return {
    async diff(query = {}) {
      await known(query);
      const { stdout } = await git({ doing, args: argsOf(query, []) });
      const { truncated, totalBytes } = stdout;
      return { text: capturedText(stdout), truncated, totalBytes };
    },
    async diffPaths(query = {}) {
      await known(query);
      const found: RepoPath[] = [];
      const cut = new Stretches();
      await git({
        doing,
        args: argsOf(query, ["--name-only", "--no-renames", "-z"]),
        maxOutputBytes: 4096,
        onOutput(chunk, stream) {
          const stretch = stream === "stderr" ? undefined : cut.push(chunk);
          if (stretch !== undefined) { for (const path of repoPaths(stretch)) found.push(path); }
        },
      });
      return listing(found);
    },
  };
}
