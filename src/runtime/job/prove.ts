/** Verifies a role's work: what its branch would merge, and the manifest's checks on it. */
import type { Disposition } from "svc/core/disposition.ts";
import { quoted } from "svc/core/repo_path.ts";
import { guardBranch, type GuardResult } from "svc/features/guardrails/commit_guard.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Toolbox } from "svc/features/tools/tool.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import type { BranchCommit } from "svc/platform/git/branch.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { type ChecksSeen, judgeChecks, NO_CHECKS } from "./judge_checks.ts";
import type { TreeWork } from "./run_in_tree.ts";

export interface Proof extends GuardResult, Omit<ChecksSeen, "checks"> {
  readonly committed: boolean;
  /** Last commit of the branch; undefined in a repo without one. */
  readonly head: string | undefined;
  /** The branch is merged already, after its checks had passed. */
  readonly merged: boolean;
  readonly checks: ChecksSeen["checks"] | "not_run";
  readonly sameCommit: boolean;
  readonly uncommitted: readonly string[];
}

export const NOTHING_SEEN: Omit<Proof, "head" | "sameCommit"> = {
  ...NO_CHECKS,
  committed: false,
  merged: false,
  checks: "not_run",
  objections: [],
  foreign: [],
  uncommitted: [],
};

export interface Work extends TreeWork {
  readonly manifest: Manifest;
  readonly disposition: Disposition;
  readonly message: string;
  readonly toolbox: Toolbox;
  readonly hookFolders: readonly string[];
  /** What must hold, one thing a line. */
  readonly acceptance: readonly string[];
  /** Last commit that was handed in with passing checks. */
  readonly proven: string | undefined;
}

/** Runs nothing for an observer, or for an end that claims no work. */
export async function prove(ports: RuntimePorts, repo: Repo, work: Work): Promise<Proof> {
  const { tree, disposition, proven } = work;
  if (tree.ownBranch === undefined) {
    const head = (await tree.git.log({ max: 1 }))[0]?.id;
    return { ...NOTHING_SEEN, head, sameCommit: head === tree.given };
  }
  const { changes, head } = await whatIsThere(work);
  const into = `refs/heads/${repo.baseBranch}`;
  const commits = head === undefined ? [] : await tree.git.commitsSince(head, into);
  const seen = {
    ...NOTHING_SEEN,
    committed: commits.length > 0,
    head,
    sameCommit: head === tree.given,
    merged: commits.length === 0 && head !== undefined && head === proven,
    uncommitted: changes.map(({ path }) => path),
  };
  const claims = disposition === "submitted" ||
    (disposition === "approved" && (seen.committed || seen.merged));
  if (!claims || head === undefined) return seen;
  const guarded = await look(ports, repo, work, { head, into, commits });
  // Its checks run when it is handed in again.
  const stays = guarded.objections.length + guarded.foreign.length > 0 ||
    (disposition === "submitted" && (!seen.committed || changes.length > 0));
  if (stays) return { ...seen, ...guarded };
  // What is merged already set out from nowhere: it would excuse itself.
  const base = seen.committed ? await tree.git.mergeBase(head, into) : undefined;
  // Checks run in each role's own tree: uncommitted files of another prove nothing.
  return { ...seen, ...guarded, ...await judgeChecks(ports, repo, { ...work, base }) };
}

const notOurs = (path: string) =>
  `${quoted(path)} changed inside a submodule, which is another repo; take the change back`;

/** Commits the rest through the toolbox, so that policy and secret scan apply. */
async function whatIsThere({ tree, disposition, toolbox, message, signal }: Work) {
  const status = await tree.git.status();
  if (disposition !== "submitted" || status.changes.length === 0) return status;
  await toolbox.call("git_commit", { message }, { signal });
  return await tree.git.status();
}

async function look(
  ports: RuntimePorts,
  repo: Repo,
  { tree, manifest, job, role, hookFolders }: Work,
  branch: {
    readonly head: string;
    readonly into: string;
    readonly commits: readonly BranchCommit[];
  },
): Promise<GuardResult> {
  const { redact } = ports;
  const guardrails = guardrailsOf(manifest, hookFolders);
  const by = { job, role, given: tree.given };
  const { objections, foreign } = await guardBranch({ tree, guardrails }, { ...branch, by });
  const inside = await ports.worktrees.submoduleChanges(repo.git, tree.root);
  const all = [...objections, ...inside.map(notOurs)];
  return { objections: all.map(redact), foreign: foreign.map(redact) };
}
