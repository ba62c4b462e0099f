/** Lists and deletes the refs that keep leftovers; what they held goes with git's own collection of garbage. */
import { gitRef, isObjectId } from "svc/core/git_args.ts";
import { eachItem } from "./answers.ts";
import type { CallGit } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import { LEFTOVERS, leftoversOf } from "./leftovers.ts";
import type { Worktrees } from "./worktrees.ts";

const JOB_CHARS = 36;

interface LeftoverRef {
  readonly ref: string;
  readonly job: string;
  readonly commit: string;
}

async function refsIn(git: CallGit, doing: string): Promise<LeftoverRef[]> {
  const fields: string[] = [];
  const decoder = new TextDecoder();
  const format = "--format=%(refname)%00%(objectname)%00";
  const args = ["for-each-ref", format, LEFTOVERS];
  await eachItem(git, { doing, args }, (item) => fields.push(decoder.decode(item).trim()));
  const found: LeftoverRef[] = [];
  for (let nth = 0; nth + 1 < fields.length; nth += 2) {
    const [ref = "", commit = ""] = fields.slice(nth, nth + 2);
    // A job that was asked twice has `<job>-2` beside `<job>`.
    const job = ref.slice(LEFTOVERS.length, LEFTOVERS.length + JOB_CHARS);
    if (isObjectId(commit)) found.push({ ref, job, commit });
  }
  return found;
}

/** Jobs of which something is kept. */
async function jobsWithLeftovers(git: CallGit): Promise<readonly string[]> {
  const refs = await refsIn(git, "list what jobs left uncommitted");
  return [...new Set(refs.map(({ job }) => job))];
}

/** One that changed meanwhile stays. @returns how many refs are gone */
async function dropLeftovers(git: CallGit, jobs: readonly string[]): Promise<number> {
  const doing = "remove what old jobs left uncommitted";
  const gone = (await refsIn(git, doing)).filter(({ job }) => jobs.includes(job));
  for (const { ref, commit } of gone) {
    await git({ doing, args: ["update-ref", "--no-deref", "-d", gitRef(ref), commit] });
  }
  return gone.length;
}

export function leftoverRefs(
  at: (repo: GitLocation) => CallGit,
): Pick<Worktrees, "dropLeftovers" | "jobsWithLeftovers" | "leftovers"> {
  return {
    leftovers: (repo, of) => leftoversOf(at(repo), of),
    jobsWithLeftovers: (repo) => jobsWithLeftovers(at(repo)),
    dropLeftovers: (repo, jobs) => dropLeftovers(at(repo), jobs),
  };
}
