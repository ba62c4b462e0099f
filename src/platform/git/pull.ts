/** Brings the branch of a code host into which a pull request went, so that it can be merged here. */
import { Failure } from "svc/core/failure.ts";
import { gitObjectId, gitRef } from "svc/core/git_args.ts";
import { quoted } from "svc/core/repo_path.ts";
import { lineOf } from "./answers.ts";
import { type CallGit, gitIn, type GitRunner } from "./call.ts";
import type { GitLogin } from "./credential.ts";
import type { GitLocation } from "./hardening.ts";
import type { MergePorts } from "./merge.ts";
import { commitsAt } from "./named.ts";
import type { NetworkPorts } from "./network.ts";
import { commitObject } from "./objects.ts";
import { committer } from "./person.ts";
import { fetchTips } from "./remote_objects.ts";
import { noBranch, SEEN } from "./remote_refs.ts";
import type { PulledMerge } from "./worktrees.ts";

interface FetchPlan {
  readonly doing: string;
  /** As for a push. */
  readonly url: string;
  readonly branch: string;
  /** A commit that this clone has. */
  readonly known: string;
  readonly login?: GitLogin | undefined;
}

/** @returns the tip that the branch has there; no ref of the repo changes @throws Failure `environment` that waits */
export async function fetchBranch(
  ports: NetworkPorts & { readonly runner: GitRunner },
  repo: Pick<GitLocation, "commonDir">,
  { doing, url, branch, known, login }: FetchPlan,
): Promise<string> {
  const remote = { ...ports, ssh: {}, login: () => Promise.resolve(login) };
  const tips = await fetchTips(
    remote,
    repo,
    { doing, url, sample: gitObjectId(known) },
    { branches: [branch], known: [known] },
  );
  const tip = tips.get(branch);
  if (tip === undefined) throw noBranch(doing, url, branch);
  return tip;
}

const isWithin = async (git: CallGit, doing: string, one: string, other: string) =>
  await lineOf(git, doing, ["merge-base", "--is-ancestor", one, other], [0, 1]) !== undefined;

/** Where a person once fetched the branch: what came since is no commit that the remote lacks. */
async function noteSeen(
  git: CallGit,
  { doing, into, tip }: Pick<PulledMerge, "doing" | "into" | "tip">,
): Promise<void> {
  const ref = `${SEEN}${gitRef(into)}`;
  const [seen] = await commitsAt(git, doing, [ref]);
  // The person may have fetched a newer one meanwhile.
  if (seen === undefined || !await isWithin(git, doing, seen, tip)) return;
  await git({ doing, args: ["update-ref", "--no-deref", ref, gitObjectId(tip), seen] });
}

/** Its servers may be behind each other; or somebody took the commit out of the branch again. */
const notYet = ({ doing, into, mergedAs }: PulledMerge) =>
  new Failure("environment", `Cannot ${doing}: ${quoted(into)} lacks ${mergedAs!.slice(0, 12)}`, {
    remedy: `If it stays so, bring the work into ${quoted(into)} of this clone yourself`,
    waits: true,
  });

/** As `Worktrees.pulled`. */
export async function pulledMerge(
  { processes, env }: Pick<MergePorts, "processes" | "env">,
  repo: GitLocation,
  plan: PulledMerge,
): Promise<string | undefined> {
  const { doing, into, mergedAs, message } = plan;
  const [tip, merged] = [gitObjectId(plan.tip), gitObjectId(plan.merged)];
  const git = gitIn({ processes, env }, repo);
  if (plan.isOrigin) await noteSeen(git, { doing, into, tip });
  const named = [
    `refs/heads/${gitRef(into)}`,
    ...(mergedAs === undefined ? [] : [gitObjectId(mergedAs)]),
  ];
  const [here, there] = await commitsAt(git, doing, named);
  const within = (one: string, other: string) => isWithin(git, doing, one, other);
  if (mergedAs !== undefined && (there === undefined || !await within(there, tip))) {
    throw notYet(plan);
  }
  if (here !== undefined && await within(tip, here)) return undefined;
  if (await within(merged, tip)) return tip;
  const [tree, seconds] = (await lineOf(git, doing, ["log", "-1", "--format=%T %ct", tip]))!
    .split(" ");
  const people = await committer(git, processes, env);
  const of = { tree: tree!, parents: [tip, merged], at: Number(seconds) * 1000, ...people };
  return await commitObject({ processes, env }, repo, { doing, message }, of);
}
