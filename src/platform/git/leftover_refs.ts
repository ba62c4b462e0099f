/** Lists and deletes the refs that keep leftovers; what they held goes with git's own collection of garbage. */
import { gitRef, isObjectId } from "svc/core/git_args.ts";
import { eachItem } from "./answers.ts";
import type { CallGit } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import { LEFTOVERS, leftoversOf } from "./leftovers.ts";
import { refsInFiles } from "./refs.ts";
import type { Worktrees } from "./worktrees.ts";

const JOB_CHARS = 36;

interface LeftoverRef {
  readonly ref: string;
  readonly job: string;
  readonly commit: string;
}

async function refsIn(git: CallGit, repo: GitLocation, doing: string): Promise<LeftoverRef[]> {
  const told = refsInFiles(repo, LEFTOVERS);
  return [...told ?? await askedFor(git, doing)].map(([ref, commit]) => {
    // A job that was asked twice has `<job>-2` beside `<job>`.
    const from = LEFTOVERS.length + 1;
    return { ref, job: ref.slice(from, from + JOB_CHARS), commit };
  });
}

async function askedFor(git: CallGit, doing: string): Promise<ReadonlyMap<string, string>> {
  const decoder = new TextDecoder();
  const found = new Map<string, string>();
  const args = ["for-each-ref", "--format=%(refname) %(objectname)", `${LEFTOVERS}/`];
  await eachItem(git, { doing, args }, (line) => {
    const [ref = "", commit = ""] = decoder.decode(line).split(" ");
    if (isObjectId(commit)) found.set(ref, commit);
  }, "LF");
  return found;
}

/** Jobs of which something is kept. */
async function jobsWithLeftovers(git: CallGit, repo: GitLocation): Promise<readonly string[]> {
  const refs = await refsIn(git, repo, "list what jobs left uncommitted");
  return [...new Set(refs.map(({ job }) => job))];
}

/** One that changed meanwhile stays. @returns how many refs are gone */
async function dropLeftovers(
  git: CallGit,
  repo: GitLocation,
  jobs: readonly string[],
): Promise<number> {
  const doing = "remove what old jobs left uncommitted";
  const gone = (await refsIn(git, repo, doing)).filter(({ job }) => jobs.includes(job));
  for (const { ref, commit } of gone) {
    await git({ doing, args: ["update-ref", "--no-deref", "-d", gitRef(ref), commit] });
  }
  return gone.length;
}

export function leftoverRefs(
  at: (repo: GitLocation) => CallGit,
): Pick<Worktrees, "dropLeftovers" | "jobsWithLeftovers" | "leftovers"> {
  return {
    leftovers: (repo, of) => leftoversOf(at(repo), repo, of),
    jobsWithLeftovers: (repo) => jobsWithLeftovers(at(repo), repo),
    dropLeftovers: (repo, jobs) => dropLeftovers(at(repo), repo, jobs),
  };
}
