/** The commits that one branch has and another lacks, with the files that each of them changed. */
import { GIT_PATHS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { gitObjectId, gitRef, isObjectId } from "svc/core/git_args.ts";
import { eachItem, lineOf } from "./answers.ts";
import type { CallGit, GitCall } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import { type ListedPath, listedPath } from "./output.ts";
import { refInFiles } from "./refs.ts";

interface ChangedFile extends ListedPath {
  /** Put there by the commit; undefined for a removal or a submodule. */
  readonly oid: string | undefined;
  /** As git stores it, such as 100755, or 120000 for a link; 000000 for a removal. */
  readonly mode: string;
}

export interface BranchCommit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly message: string;
  /** Trailers `Svc-Job` and `Svc-Role` (git-interpret-trailers(1)). */
  readonly jobs: readonly string[];
  readonly roles: readonly string[];
  /** Against its parent; of a merge, what differs from every parent (git-log(1), `-c`). */
  readonly changed: readonly ChangedFile[];
}

/** Where a branch without merges left the other: the commit that both have, which is the only best one.
 * @param commits all that the other lacks, as `commitsSince` gives them */
export function leftAt(commits: readonly BranchCommit[]): string | undefined {
  const chain = commits.every(({ parents }, at) =>
    parents.length === 1 && [undefined, parents[0]].includes(commits[at + 1]?.id)
  );
  return chain ? commits.at(-1)?.parents[0] : undefined;
}

export interface GitBranch {
  /** Newest first, each before its parents. */
  commitsSince(from: string, into: string): Promise<readonly BranchCommit[]>;
  /** The same for those that no branch of the remote had when it was last fetched from or pushed to. */
  commitsUnpushed(from: string, remote: string): Promise<readonly BranchCommit[]>;
  pathsSince(from: string, into: string): Promise<readonly ListedPath[]>;
  /** Those of the paths that are files there; none where there is no such ref. */
  filesAt(
    ref: string,
    paths: readonly string[],
  ): Promise<readonly { readonly path: string; readonly oid: string }[]>;
  /** The commit at which `from` left `into`; undefined for histories that share none. */
  mergeBase(from: string, into: string): Promise<string | undefined>;
  /** The same by all that the ref `into` ever was, as its reflog tells: also where it was rewritten since. */
  forkPoint(from: string, into: string): Promise<string | undefined>;
}

const PLAIN = [
  ...["--raw", "-r", "--no-abbrev", "--no-renames", "--no-relative", "--no-ext-diff"],
  ...["--no-textconv", "--ignore-submodules=none"],
];

const trailer = (key: string) => `%(trailers:key=${key},valueonly,separator=%x0A)%x00`;
const FORMAT = `%H%x00%P%x00%an%x00%B%x00${trailer("Svc-Job")}${trailer("Svc-Role")}`;
const FIELDS = 5;

const PATHS_AT_ONCE = 500;

const SUBMODULE = "160000";
const NOTHING = /^0+$/;

/** `:100644 100644 oid oid M`; a merge has one more colon, mode and id for each further parent. */
function resultOf(header: string): Pick<ChangedFile, "mode" | "oid"> {
  const parents = header.lastIndexOf(":") + 1;
  const words = header.slice(parents).split(" ");
  const [mode = "", oid = ""] = [words[parents], words[2 * parents + 1]];
  return { mode, oid: mode === SUBMODULE || NOTHING.test(oid) ? undefined : oid };
}

const listed = (text: string, cut: string) => text.split(cut).filter((word) => word !== "");

class CommitReader {
  readonly found: BranchCommit[] = [];
  #changed: ChangedFile[] = [];
  #fields: string[] = [];
  #header: string | undefined;

  push(item: Uint8Array): void {
    if (this.#header !== undefined) {
      this.#changed.push({ ...listedPath(item), ...resultOf(this.#header) });
      this.#header = undefined;
      return;
    }
    const text = new TextDecoder().decode(item);
    if (this.#fields.length > 0) this.#field(text);
    else if (/^\n?:/.test(text)) this.#header = text.trimStart();
    else if (text !== "") this.#fields = [text];
  }

  #field(text: string): void {
    this.#fields.push(text);
    if (this.#fields.length <= FIELDS) return;
    const [id = "", parents = "", author = "", message = "", jobs = "", roles = ""] = this.#fields;
    this.#fields = [];
    this.#changed = [];
    this.found.push({
      id,
      author,
      message,
      changed: this.#changed,
      parents: listed(parents, " "),
      jobs: listed(jobs, "\n"),
      roles: listed(roles, "\n"),
    });
  }
}

async function each(git: CallGit, call: GitCall, push: (item: Uint8Array) => void): Promise<void> {
  let count = 0;
  await eachItem(git, call, (item) => {
    if (++count > GIT_PATHS) {
      throw new Failure("refused", `Cannot ${call.doing}: there is more than svc can look at`, {
        remedy: "Hand it in as several smaller branches",
      });
    }
    push(item);
  });
}

/** More have no use; each is asked for. */
const ROOTS = 20;

/** `.git/shallow` takes a commit's parents from git's sight, and with them what the branch holds below it. */
async function mustBeWhole(
  git: CallGit,
  doing: string,
  commits: readonly BranchCommit[],
): Promise<void> {
  const roots = commits.filter(({ parents }) => parents.length === 0);
  for (const { id } of roots.slice(0, ROOTS)) {
    const { stdout } = await git({ doing, args: ["cat-file", "commit", gitObjectId(id)] });
    const [head = ""] = capturedText(stdout).split("\n\n", 1);
    if (roots.length <= ROOTS && !/^parent /m.test(head)) continue;
    const short = id.slice(0, 12);
    throw new Failure("refused", `Cannot ${doing}: the history ends early, at commit ${short}`, {
      remedy: "git fetch --unshallow; where this is no shallow clone, remove .git/shallow",
    });
  }
}

const isAt = (place: GitLocation, ref: string, commit: string) =>
  isObjectId(commit) && refInFiles(place, ref)?.id === commit;

async function commitsIn(
  git: CallGit,
  doing: string,
  revisions: readonly string[],
): Promise<readonly BranchCommit[]> {
  const commits = new CommitReader();
  const args = [
    ...["log", "-z", `--format=${FORMAT}`, "--encoding=UTF-8", "--no-decorate", "-c", "--root"],
    ...["--topo-order", "--no-show-signature", ...PLAIN, ...revisions, "--"],
  ];
  await each(git, { doing, args }, (item) => commits.push(item));
  await mustBeWhole(git, doing, commits.found);
  return commits.found;
}

export function branchVerbs(git: CallGit, place: GitLocation): GitBranch {
  return {
    async commitsSince(from, into) {
      if (isAt(place, into, from)) return [];
      const doing = `read what "${from}" has and "${into}" lacks`;
      const range = ["--end-of-options", gitRef(from), `^${gitRef(into)}`];
      return await commitsIn(git, doing, range);
    },
    async commitsUnpushed(from, remote) {
      const doing = `read what "${from}" has and ${remote} lacks`;
      const known = ["--not", `--remotes=${gitRef(remote)}`, "--not"];
      return await commitsIn(git, doing, [...known, "--end-of-options", gitRef(from)]);
    },
    async pathsSince(from, into) {
      const found: ListedPath[] = [];
      const args = [
        ...["diff", "-z", "--name-only", "--no-renames", "--no-relative", "--no-ext-diff"],
        ...["--no-textconv", "--ignore-submodules=none"],
        ...["--end-of-options", `${gitRef(into)}...${gitRef(from)}`, "--"],
      ];
      const doing = `compare "${from}" with "${into}"`;
      await each(git, { doing, args }, (item) => found.push(listedPath(item)));
      return found;
    },
    async filesAt(ref, paths) {
      const doing = `look for files on "${ref}"`;
      const name = `${gitRef(ref)}^{tree}`;
      const tree = await lineOf(git, doing, ["rev-parse", "--verify", "--quiet", name], [0, 1]);
      if (tree === undefined || paths.length === 0) return [];
      const wanted = new Set(paths);
      const found: { path: string; oid: string }[] = [];
      // Paths are no patterns here (git-ls-tree(1)), but a folder among them would be listed as one.
      for (let from = 0; from < paths.length; from += PATHS_AT_ONCE) {
        const some = paths.slice(from, from + PATHS_AT_ONCE);
        const args = ["ls-tree", "-z", "--full-tree", gitObjectId(tree), "--", ...some];
        await each(git, { doing, args }, (item) => {
          const { path, usable } = listedPath(item.subarray(item.indexOf(9) + 1));
          const [mode = "", , oid = ""] = new TextDecoder().decode(item).split(/[ \t]/, 3);
          if (usable && wanted.has(path) && mode.startsWith("100")) found.push({ path, oid });
        });
      }
      return found;
    },
    async mergeBase(from, into) {
      const doing = `look where "${from}" left "${into}"`;
      // No option of it ends the options (git-merge-base(1)); `gitRef` refuses a name that looks like one.
      return await lineOf(git, doing, ["merge-base", gitRef(from), gitRef(into)], [0, 1]);
    },
    async forkPoint(from, into) {
      const doing = `look where "${from}" left what "${into}" was`;
      const args = ["merge-base", "--fork-point", gitRef(into), gitRef(from)];
      // 128: there is no such ref.
      return await lineOf(git, doing, args, [0, 1, 128]);
    },
  };
}
