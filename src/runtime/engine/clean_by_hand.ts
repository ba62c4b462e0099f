/** What work has left in one repo that nothing needs any more, for a person who asks to have it removed. */
import { liveJobs } from "svc/features/jobs/job_views.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { mergedAt } from "svc/features/routing/settlement_store.ts";
import type { Withdrawn } from "svc/platform/git/remotes.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { cleanUp, dropBranch, overTrees } from "./cleanup.ts";

export interface Unneeded {
  /** Paths of work trees whose jobs have ended and whose time is over. */
  readonly trees: readonly string[];
  /** `svc/…` branches all of whose commits are merged. */
  readonly branches: readonly string[];
  /** Those of them that the remote of a shared repo has. */
  readonly remote: readonly string[];
  /** `svc/…` branches that stay, and why. */
  readonly kept: readonly { readonly branch: string; readonly why: string }[];
}

/** Why a branch stays; undefined where nothing needs it. */
type Need = (branch: string) => string | undefined;

async function needsIn(ports: RuntimePorts, repo: Repo, going: readonly string[]): Promise<Need> {
  const trees = await ports.worktrees.list(repo.git);
  const used = new Map(
    trees.flatMap(({ path, branch }) =>
      branch === undefined || going.includes(path) ? [] : [[branch, `${path} has it`]]
    ),
  );
  const { tickets, broken } = await repo.tickets.list();
  const open = tickets.filter(({ state }) => state !== "done");
  const named = new Map(
    open.flatMap(({ id, branch, state }) =>
      branch === undefined ? [] : [[branch, `${id} is ${state}`]]
    ),
  );
  const live = await liveJobs(ports.db, repo.id);
  return (branch) =>
    used.get(branch) ?? named.get(branch) ??
      // A ticket that cannot be read may name the branch, and a job without a ticket may continue on it.
      (broken.length > 0 ? "a ticket cannot be read" : undefined) ??
      (live.length > 0 ? "jobs of the repo wait or run" : undefined);
}

async function unmerged(
  { db, worktrees }: RuntimePorts,
  { id, git, baseBranch }: Repo,
  { branch, tip }: { readonly branch: string; readonly tip: string },
): Promise<string | undefined> {
  const [newest, ...more] = await worktrees.ahead(git, tip, baseBranch);
  if (newest === undefined) return undefined;
  const merged = (await mergedAt(db, id, [branch])).get(branch);
  return merged === newest ? undefined : `not in ${baseBranch}: ${more.length + 1}`;
}

/**
 * Changes nothing. Includes branches that a person merged. The clean-up of a service leaves those alone, since
 * nothing proves that they were svc's (cleanup.ts).
 */
export async function unneededIn(
  ports: RuntimePorts,
  repo: Repo,
  keepMs: number,
): Promise<Unneeded> {
  const trees = await overTrees(ports, repo, keepMs);
  const need = await needsIn(ports, repo, trees);
  const found = await ports.worktrees.branches(repo.git);
  const branches: string[] = [];
  const kept: Unneeded["kept"][number][] = [];
  const remote: string[] = [];
  for (const { name: branch, tip } of found) {
    ports.signal.throwIfAborted();
    const why = need(branch) ?? await unmerged(ports, repo, { branch, tip });
    if (why === undefined) branches.push(branch);
    else kept.push({ branch, why });
  }
  const local = new Set(found.map(({ name }) => name));
  for (const branch of repo.shared && await ports.remotes?.handed(repo.git) || []) {
    const tip = `refs/remotes/origin/${branch}`;
    const why = need(branch) ?? await unmerged(ports, repo, { branch, tip });
    if (why === undefined) remote.push(branch);
    else if (!local.has(branch)) kept.push({ branch, why });
  }
  return { trees, branches, remote, kept };
}

async function withdraw(
  { db, remotes }: RuntimePorts,
  { id, git, shared }: Repo,
  names: readonly string[],
): Promise<readonly Withdrawn[]> {
  if (names.length === 0 || shared === undefined || remotes === undefined) return [];
  const merged = await mergedAt(db, id, names);
  const asked = names.map((name) => {
    const commit = merged.get(name);
    return commit === undefined ? { name } : { name, merged: commit };
  });
  return await remotes.withdraw(git, shared.remote, asked);
}

/** Looks again under the repo's lock before each removal. @returns what is gone */
export async function removeUnneeded(
  ports: RuntimePorts,
  repo: Repo,
  keepMs: number,
): Promise<Unneeded> {
  const before = await unneededIn(ports, repo, keepMs);
  const trees = await cleanUp(ports, repo, keepMs);
  const { branches: now, kept } = await unneededIn(ports, repo, keepMs);
  const names = (await ports.worktrees.branches(repo.git)).map(({ name }) => name);
  const merged = await mergedAt(ports.db, repo.id, names);
  for (const branch of now) await dropBranch(ports, repo, branch, merged.get(branch));
  const left = (await ports.worktrees.branches(repo.git)).map(({ name }) => name);
  const gone = [...new Set([...before.branches, ...now])].filter((name) => !left.includes(name));
  const withdrawn = await withdraw(ports, repo, before.remote);
  return {
    ...{ trees, branches: gone },
    remote: withdrawn.filter(({ why }) => why === undefined).map(({ name }) => name),
    kept: [
      ...kept,
      ...withdrawn.flatMap(({ name, why }) => why === undefined ? [] : [{ branch: name, why }]),
    ],
  };
}
