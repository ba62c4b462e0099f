/** What a job's commits changed: its branch against where it left, before and after it was merged. */
import { GIT_LOG_COMMITS } from "svc/core/bounds.ts";
import type { Repo } from "svc/features/repos/repo_table.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import type { ViewPorts } from "./view_ports.ts";

/** Merges of one branch that are looked at for the one that took a commit. */
const VIEW_MERGES = 10;

/** Characters of a diff that the page of its job shows. */
export const VIEW_DIFF_CHARS = 400_000;

type Ports = Pick<ViewPorts, "git" | "worktrees">;

export interface Diff {
  readonly text: string;
  readonly cut: boolean;
}

/** Whole lines. */
function bounded(text: string): Diff {
  if (text.length <= VIEW_DIFF_CHARS) return { text, cut: false };
  return { text: text.slice(0, text.lastIndexOf("\n", VIEW_DIFF_CHARS) + 1), cut: true };
}

/**
 * The branch that took the work, as it was before: itself while the work is not merged, else the first
 * parent of the merge commit that took it, which names the branch. Undefined when there is nothing to compare with.
 */
async function baseOf(
  { worktrees }: Ports,
  repo: GitRepo,
  work: { readonly head: string; readonly branch: string; readonly into: string },
): Promise<string | undefined> {
  const { head, branch, into } = work;
  if ((await worktrees.ahead(repo, head, into)).length > 0) return into;
  const merges = (await repo.log({ ref: into, max: GIT_LOG_COMMITS }))
    .filter(({ subject }) => subject.includes(branch));
  for (const { id } of merges.slice(0, VIEW_MERGES)) {
    // A branch may have been merged before the commit was made: that merge lacks it on both sides.
    const before = `${id}^1`;
    const taken = (await worktrees.ahead(repo, head, id)).length === 0;
    if (taken && (await worktrees.ahead(repo, head, before)).length > 0) return before;
  }
  return undefined;
}

/**
 * @param head commit its work ended at; the tip of its branch while it runs
 * @returns undefined when it committed nothing
 * @throws Failure when git does not know the commit any more
 */
export async function jobDiff(
  ports: Ports,
  repo: Pick<Repo, "branch" | "path">,
  { head, branch }: { readonly head: string | null; readonly branch: string },
): Promise<Diff | undefined> {
  const opened = await ports.git.open(repo.path);
  const work = { head: head ?? branch, branch, into: repo.branch };
  const base = await baseOf(ports, opened, work);
  if (base === undefined) return undefined;
  const text = await ports.worktrees.patch(opened, work.head, base);
  return text === "" ? undefined : bounded(text);
}
