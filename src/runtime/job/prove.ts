/** Verifies a role's work: what its branch would merge, and the manifest's checks on it. */
import type { Disposition } from "svc/core/disposition.ts";
import { quoted } from "svc/core/repo_path.ts";
import { together } from "svc/core/together.ts";
import {
  freshCommits,
  guardBranch,
  type GuardedBranch,
  type GuardResult,
} from "svc/features/guardrails/commit_guard.ts";
import { commitMakers, recordCommits } from "svc/features/jobs/commit_store.ts";
import { type BranchCommit, leftAt } from "svc/platform/git/branch.ts";
import type { GitRepo, Status } from "svc/platform/git/git.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Toolbox } from "svc/features/tools/tool.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
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
  const into = `refs/heads/${repo.baseBranch}`;
  const { changes, head, since } = await whatIsThere(work, into);
  const branch = head === undefined
    ? undefined
    : await judgedBranch(ports, repo, work, { head, into, commits: since });
  const commits = branch?.commits ?? [];
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
  if (!claims || branch === undefined) return seen;
  // For merged work the base would be its own commit, and it would excuse itself.
  const setOut = seen.committed
    ? leftAt(commits) ?? tree.git.mergeBase(branch.head, into)
    : undefined;
  const [guarded, base] = await together(
    look(ports, repo, work, branch),
    Promise.resolve(setOut),
  );
  // Its checks run when it is handed in again.
  const stays = guarded.objections.length + guarded.foreign.length > 0 ||
    (disposition === "submitted" && (!seen.committed || changes.length > 0));
  if (stays) return { ...seen, ...guarded };
  // Checks run in each role's own tree, since uncommitted files of another role prove nothing.
  return { ...seen, ...guarded, ...await judgeChecks(ports, repo, { ...work, base }) };
}

const notOurs = (path: string) =>
  `${quoted(path)} changed inside a submodule, which is another repo; take the change back`;

interface Seen extends Status {
  /** Commits that HEAD has and the base branch lacks. */
  readonly since: readonly BranchCommit[];
}

/** Commits the rest through the toolbox, so that policy and secret scan apply. */
async function whatIsThere(work: Work, into: string): Promise<Seen> {
  const { tree: { commits, git, given }, disposition, toolbox, message, signal } = work;
  if (disposition === "submitted") {
    // While the branch is where it began, the tool itself looks whether there is anything to commit.
    if (await commits.tip(git) !== given) {
      const status = await git.status();
      if (status.changes.length === 0) {
        return { ...status, since: await sinceThen(git, status.head, into) };
      }
    }
    await toolbox.call("git_commit", { message }, { signal });
  }
  return await seenNow(work, into);
}

/**
 * To save time, commits are read by the id in git's file while git itself looks up HEAD; if git disagrees, they
 * are read again.
 */
async function seenNow({ tree: { git, commits } }: Work, into: string): Promise<Seen> {
  const tip = await commits.tip(git);
  const [status, told] = await together(git.status(), sinceThen(git, tip, into));
  const since = status.head === tip ? told : await sinceThen(git, status.head, into);
  return { ...status, since };
}

const sinceThen = async (
  git: Pick<GitRepo, "commitsSince">,
  tip: string | undefined,
  into: string,
) => tip === undefined ? [] : await git.commitsSince(tip, into);

/** What svc knows about the branch now; it also notes whose the new commits are, for later checks. */
async function judgedBranch(
  { db, clock }: RuntimePorts,
  repo: Repo,
  { tree, job, role }: Work,
  { head, into, commits }: Pick<GuardedBranch, "head" | "into" | "commits">,
): Promise<GuardedBranch> {
  const of = { repo_id: repo.id, branch: tree.ownBranch! };
  const makers = await commitMakers(db, of);
  const branch = { head, into, commits, makers, by: { job, role, given: tree.given } };
  const made = { ...of, job_id: job, role, at: clock.now() };
  await recordCommits(db, { ...made, commits: freshCommits(branch) });
  return branch;
}

async function look(
  ports: RuntimePorts,
  repo: Repo,
  { tree, manifest, hookFolders }: Work,
  branch: GuardedBranch,
): Promise<GuardResult> {
  const { redact } = ports;
  const guardrails = guardrailsOf(manifest, hookFolders);
  const [{ objections, foreign }, inside] = await together(
    guardBranch({ tree, guardrails }, branch),
    ports.worktrees.submoduleChanges(repo.git, tree.root),
  );
  const all = [...objections, ...inside.map(notOurs)];
  return { objections: all.map(redact), foreign: foreign.map(redact) };
}
