/** Why work cannot go to the registered branch now, and what a person does about it. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { shellWord } from "svc/core/shell_word.ts";
import type { GitRepo } from "svc/platform/git/git.ts";

export interface BranchFault {
  /** A phrase to follow "it waits for"; it holds the way out where no `remedy` is shown beside it. */
  readonly why: string;
  /** A command to be typed anywhere. */
  readonly remedy: string;
  /** Set where the registered branch was renamed or deleted. */
  readonly gone: boolean;
}

interface BranchFacts {
  readonly root: string;
  /** The registered one. */
  readonly branch: string;
  /** What is checked out; undefined when HEAD is on no branch. */
  readonly on: string | undefined;
  readonly gone: boolean;
  /** That the repo is registered in; undefined for the one that `svc register` takes by itself. */
  readonly database: string | undefined;
}

/** Whether the repo has it, with a commit. */
export async function hasBranch(repo: Pick<GitRepo, "log">, branch: string): Promise<boolean> {
  try {
    await repo.log({ max: 1, ref: `refs/heads/${branch}` });
    return true;
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === "environment") return false;
    throw thrown;
  }
}

const whereHeadIs = (on: string | undefined) =>
  on === undefined ? "HEAD is on no branch" : `"${on}" is checked out`;

/** Registers what is checked out, or where that is no branch, one that the person names. */
function registerLine({ on, database }: BranchFacts, root?: string): string {
  const where = root === undefined ? "" : ` --repo ${shellWord(root)}`;
  const into = database === undefined ? "" : ` --db ${shellWord(database)}`;
  return `svc register${where} --branch ${on === undefined ? "<branch>" : shellWord(on)}${into}`;
}

export function branchFault(facts: BranchFacts): BranchFault | undefined {
  const { root, branch, on, gone } = facts;
  if (on === branch) return undefined;
  if (gone) {
    const what = `another branch to be registered: "${branch}" is gone, and ${whereHeadIs(on)}`;
    return {
      gone,
      why: `${what}; in the repo: ${registerLine(facts)}`,
      remedy: registerLine(facts, root),
    };
  }
  return {
    gone,
    why: `"${branch}" to be checked out: ${on === undefined ? whereHeadIs(on) : `"${on}" is`}`,
    remedy: `git -C ${shellWord(root)} switch ${shellWord(branch)}`,
  };
}

/**
 * The other way out, for who begins work: the repo may have been registered while a topic branch was out. Empty where
 * nobody would mean it.
 */
export function otherwiseRegister(facts: BranchFacts): string {
  const { on, gone, root } = facts;
  if (gone || on === undefined || on.startsWith("svc/")) return "";
  return `; or let the work go to ${quoted(on)}: ${registerLine(facts, root)}`;
}

/** How a refusal to begin says it. */
export const branchRefusal = ({ branch, on, gone }: Omit<BranchFacts, "root" | "database">) =>
  gone
    ? `its work goes to "${branch}", which is gone, and ${whereHeadIs(on)}`
    : `its work goes to "${branch}", and ${whereHeadIs(on)}`;
