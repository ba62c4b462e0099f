/**
 * Brings what a person merged on a code host into this clone before the ticket counts as done, since the next
 * job begins from this clone.
 */
import { commitSubject } from "svc/core/commit_text.ts";
import { Failure } from "svc/core/failure.ts";
import { pathList } from "svc/core/path_list.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { CodeHostPlace } from "svc/features/access/code_host_access.ts";
import { isOrigin } from "svc/features/repos/remote_place.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import type { GitLogin } from "svc/platform/git/credential.ts";
import { fetchBranch } from "svc/platform/git/pull.ts";
import type { MergeOutcome } from "svc/platform/git/worktrees.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { mergeMessage } from "./settle_step.ts";

interface HostPlace {
  readonly remote: string;
  readonly at: CodeHostPlace;
  readonly login: GitLogin | undefined;
}

interface MergedPull extends HostPlace {
  readonly number: number;
  readonly mergedAs?: string | undefined;
  readonly url: string;
}

/** The host's tip of a branch. @param branch by default the one that takes the work */
async function tipThere(
  ports: RuntimePorts,
  repo: Repo,
  { merge_into, merge_commit: known }: Settlement,
  { remote, at, login }: HostPlace,
  branch = merge_into!,
): Promise<{ readonly doing: string; readonly tip: string }> {
  const { processes, files, env, home, signal } = ports;
  const url = at.pushUrl(remote);
  const doing = `fetch ${quoted(branch)} from ${quoted(url)}`;
  const tip = await fetchBranch(
    {
      ...{ processes, files, env: env.all(), path: env.get("PATH") ?? "", scratch: home.traces },
      runner: { processes, env: env.all(), signal },
    },
    repo.git,
    { doing, url, branch, known: known!, login },
  );
  return { doing, tip };
}

/**
 * Merges the host's branch into the registered one, under the rules of every merge: no program of the repo
 * runs, and uncommitted changes stay.
 * @param as what the work is called there @returns undefined once the registered branch has it
 */
async function mergeIn(
  { worktrees }: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
  { doing, tip, as, mergedAs, remote, at }: HostPlace & {
    readonly doing: string;
    readonly tip: string;
    readonly as: string;
    readonly mergedAs?: string | undefined;
  },
): Promise<MergeOutcome | undefined> {
  const [branch, into] = [settlement.merge_from!, settlement.merge_into!];
  const merged = settlement.merge_commit!;
  const message = commitSubject("chore(merge)", `${branch} went into ${into}${as}`);
  const isOurs = await isOrigin(repo.git, { host: at.host, remote });
  const pulled = { doing, tip, into, merged, mergedAs, message, isOrigin: isOurs };
  const from = await worktrees.pulled(repo.git, pulled);
  if (from === undefined) return undefined;
  const merging = `merge what ${at.host} has of ${into} into this clone`;
  const plan = { doing: merging, into, from, message: mergeMessage(settlement) };
  return await repo.locked(merging, () => worktrees.merge(repo.git, plan));
}

/**
 * Brings what a pull request became into the registered branch. A shared clone has been brought up to date before.
 * @returns what it waits for; undefined once the branch has the work
 */
export async function bringIn(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
  { number, url, ...pull }: MergedPull,
): Promise<string | undefined> {
  const into = settlement.merge_into!;
  if (repo.shared !== undefined) return undefined;
  if (await ports.worktrees.addsNothing(repo.git, settlement.merge_commit!, into)) return undefined;
  const there = await tipThere(ports, repo, settlement, pull);
  return await waitOf(
    () => mergeIn(ports, repo, settlement, { ...pull, ...there, as: ` as #${number}` }),
    {
      into,
      conflict: (where) =>
        `your pull of ${into}: #${number} was merged, and it conflicts here in ${where}: ${url}`,
    },
  );
}

/**
 * The same for a host that svc cannot ask: svc finds out by git alone whether the work is in the branch there,
 * however it was merged. @returns what stands in the way; `there` is false while the branch lacks the work
 */
export async function bringInByHand(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
  place: HostPlace,
): Promise<{ readonly there: boolean; readonly why?: string | undefined }> {
  const into = settlement.merge_into!;
  // A shared clone follows its remote by itself.
  if (repo.shared !== undefined) return { there: false };
  const found = await tipThere(ports, repo, settlement, place);
  if (!await ports.worktrees.addsNothing(repo.git, settlement.merge_commit!, found.tip)) {
    return { there: false };
  }
  const merge = () => mergeIn(ports, repo, settlement, { ...place, ...found, as: "" });
  const conflict = (where: string) =>
    `it was merged there, and conflicts with ${into} of this clone in ${where}: git pull`;
  return { there: true, why: await waitOf(merge, { into, conflict }) };
}

/** Whether the branch that was handed in has the approved commit there, or its changes, beside those of a person. */
export async function isHandedIn(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
  place: HostPlace,
): Promise<boolean> {
  const { merge_from, merge_commit } = settlement;
  const { tip } = await tipThere(ports, repo, settlement, place, merge_from!);
  return await ports.worktrees.addsNothing(repo.git, merge_commit!, tip);
}

async function waitOf(
  merge: () => Promise<MergeOutcome | undefined>,
  { into, conflict }: { readonly into: string; conflict(where: string): string },
): Promise<string | undefined> {
  try {
    const outcome = await merge();
    if (outcome?.kind === "dirty") {
      return `a clean checkout: ${pathList(outcome.paths.slice(0, 5))}`;
    }
    return outcome?.kind === "conflict"
      ? conflict(outcome.paths.slice(0, 10).join(", "))
      : undefined;
  } catch (thrown) {
    const { code, message, remedy } = Failure.from(thrown);
    if (code === "internal" || code === "interrupted") throw thrown;
    return `${into} to take what was merged: ${message}; ${remedy}`;
  }
}
