/** The branches of work trees: what they add to another, how they are merged, and when one goes. */
import { shellWord } from "svc/core/shell_word.ts";
import { GIT_LOG_COMMITS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import { eachItem, lineOf } from "./answers.ts";
import { type CallGit, gitIn, type GitRunner } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import { commitOfMerge, mergeBranch, mergedTree, type MergePorts } from "./merge.ts";
import { branchTip, commitOf, noCommit, onCommits, tipAndCommit } from "./named.ts";
import { pulledMerge } from "./pull.ts";
import { refsInFiles } from "./refs.ts";
import type { ListedWorktree } from "./worktree_list.ts";
import type { Branch, Worktrees } from "./worktrees.ts";

/** A longer patch loses its middle. */
const WORKTREE_PATCH_BYTES = 16 * 1024 * 1024;

export const deleteBranch = (git: CallGit, doing: string, branch: string, tip: string) =>
  git({ doing, args: ["update-ref", "--no-deref", "-d", `refs/heads/${branch}`, tip] });

type BranchVerb =
  | ("branches" | "deleteMerged" | "merge" | "mergeCommit")
  | ("pulled" | "tip" | "addsNothing" | "ahead" | "patch");

export function branchesOver(
  ports: MergePorts,
  runner: GitRunner,
  trees: (repo: GitLocation, doing: string) => Promise<readonly ListedWorktree[]>,
): Pick<Worktrees, BranchVerb> {
  return {
    async branches(repo) {
      const doing = `list the branches of ${quoted(repo.root)}`;
      const told = refsInFiles(repo, "refs/heads/svc");
      if (told !== undefined) {
        return [...told].map(([ref, tip]) => ({ name: ref.slice("refs/heads/".length), tip }));
      }
      const format = "--format=%(refname:lstrip=2) %(objectname)";
      const args = ["for-each-ref", format, "refs/heads/svc/"];
      const found: Branch[] = [];
      const decoder = new TextDecoder();
      await eachItem(gitIn(runner, repo), { doing, args }, (line) => {
        const [name = "", tip = ""] = decoder.decode(line).split(" ");
        found.push({ name, tip });
      }, "LF");
      return found;
    },

    async deleteMerged(repo, branch, into, merged) {
      const doing = `delete the branch ${quoted(branch)}`;
      if (!branch.startsWith("svc/")) {
        throw new Failure("refused", `Cannot ${doing}: it is not one of svc`);
      }
      const call = gitIn(runner, repo);
      const [tip, target] = await tipAndCommit(call, repo, doing, branch, into);
      if (tip === undefined) return true;
      if (target === undefined) throw noCommit(doing, into);
      const args = ["merge-base", "--is-ancestor", tip, target];
      if (tip !== merged && await lineOf(call, doing, args, [0, 1]) === undefined) return false;
      const used = (await trees(repo, doing)).find((one) => one.branch === branch && !one.stale);
      if (used !== undefined) {
        throw new Failure("conflict", `Cannot ${doing}: ${quoted(used.path)} has it checked out`, {
          remedy: `Remove that work tree: git -C ${shellWord(repo.root)} worktree remove`,
        });
      }
      await deleteBranch(call, doing, branch, tip);
      return true;
    },

    merge: (repo, plan) => mergeBranch(ports, repo, plan),
    mergeCommit: (repo, plan) => commitOfMerge(ports, repo, plan),

    pulled: (repo, plan) => pulledMerge(ports, repo, plan),

    tip: (repo, branch) =>
      branchTip(gitIn(runner, repo), repo, `look for the branch ${quoted(branch)}`, branch),

    async addsNothing(repo, from, into) {
      const doing = `compare ${quoted(from)} with ${quoted(into)}`;
      const call = gitIn(runner, repo);
      const [tip, base] = [await commitOf(call, doing, from), await commitOf(call, doing, into)];
      const { tree } = await mergedTree(call, doing, { from: tip, into: base });
      return tree !== undefined &&
        tree === await lineOf(call, doing, ["rev-parse", `${base}^{tree}`]);
    },

    async ahead(repo, from, into) {
      const doing = `compare ${quoted(from)} with ${quoted(into)}`;
      const most = `--max-count=${GIT_LOG_COMMITS}`;
      const { stdout } = await onCommits(
        gitIn(runner, repo),
        { doing },
        [from, into],
        (tip, base) => ["rev-list", "--topo-order", most, tip, "--not", base, "--"],
      );
      return capturedText(stdout).split("\n").filter((id) => id !== "");
    },

    async patch(repo, from, into) {
      const doing = `compare ${quoted(from)} with ${quoted(into)}`;
      const { stdout } = await onCommits(
        gitIn(runner, repo),
        { doing, maxOutputBytes: WORKTREE_PATCH_BYTES },
        [from, into],
        (tip, base) => [
          ...["diff", "--binary", "--full-index", "--no-ext-diff", "--no-textconv", "--no-color"],
          ...["--submodule=short", "--src-prefix=a/", "--dst-prefix=b/", `${base}...${tip}`, "--"],
        ],
      );
      return capturedText(stdout);
    },
  };
}
