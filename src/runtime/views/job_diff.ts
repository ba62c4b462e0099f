/** The diff of a job's commits: its branch against the commit where it started, before and after the merge. */
import { GIT_LOG_COMMITS } from "svc/core/bounds.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import type { ViewPorts } from "./view_ports.ts";

/** Merges of one branch that are searched for the one that took a commit. */
const VIEW_MERGES = 10;

export const VIEW_DIFF_CHARS = 400_000;

export interface Diff {
  readonly text: string;
  readonly cut: boolean;
}

export function boundedDiff(text: string): Diff {
  if (text.length <= VIEW_DIFF_CHARS) return { text, cut: false };
  return { text: text.slice(0, text.lastIndexOf("\n", VIEW_DIFF_CHARS) + 1), cut: true };
}

/** Merged work is compared with the first parent of the merge commit, whose subject names its branch. */
async function baseOf(
  { worktrees }: Pick<ViewPorts, "worktrees">,
  repo: GitRepo,
  work: { readonly head: string; readonly branch: string; readonly into: string },
): Promise<string | undefined> {
  const { head, branch, into } = work;
  if ((await worktrees.ahead(repo, head, into)).length > 0) return into;
  const merges = (await repo.log({ ref: into, max: GIT_LOG_COMMITS }))
    .filter(({ subject }) => subject.includes(branch));
  for (const { id } of merges.slice(0, VIEW_MERGES)) {
    // The branch may have been merged before this commit was made; such a merge does not contain the commit.
    const before = `${id}^1`;
    const taken = (await worktrees.ahead(repo, head, id)).length === 0;
    if (taken && (await worktrees.ahead(repo, head, before)).length > 0) return before;
  }
  return undefined;
}

/** Undefined when nothing was committed. @throws Failure when git does not know the commit any more */
export async function jobDiff(
  ports: Pick<ViewPorts, "git" | "worktrees">,
  repo: Pick<RegisteredRepo, "branch" | "path">,
  { head, branch }: { readonly head: string | null; readonly branch: string },
): Promise<Diff | undefined> {
  const opened = await ports.git.open(repo.path);
  const work = { head: head ?? branch, branch, into: repo.branch };
  const base = await baseOf(ports, opened, work);
  if (base === undefined) return undefined;
  const text = await ports.worktrees.patch(opened, work.head, base);
  return text === "" ? undefined : boundedDiff(text);
}
