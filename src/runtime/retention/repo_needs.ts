/** What each repo of a database still needs: jobs of open tickets, and jobs that hold its work trees. */
import { counted } from "svc/core/counted.ts";
import { Failure } from "svc/core/failure.ts";
import { type Repo, RepoOpener } from "svc/features/repos/repo.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { type RepoNeeds, reposOfJobs } from "svc/features/retention/ended_jobs.ts";
import type { CheckoutPorts } from "svc/platform/git/checkout.ts";
import { makerOf } from "svc/platform/git/worktree_mark.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

export type NeedsPorts =
  & CheckoutPorts
  & Pick<RuntimePorts, "db" | "home" | "log" | "remotes" | "signal" | "worktrees">;

/** A file that cannot be read as a ticket may be one that is open. */
async function openTickets({ tickets }: Repo): Promise<Set<string>> {
  const list = await tickets.list();
  const open = list.tickets.filter(({ state }) => state !== "done").map(({ id }) => id);
  return new Set([...open, ...list.broken.flatMap(({ id }) => id ?? [])]);
}

async function holdersIn(ports: NeedsPorts, repo: Repo): Promise<Set<string>> {
  const ours = `${ports.home.worktrees}/`;
  const holders = new Set<string>();
  for (const { path } of await ports.worktrees.list(repo.git)) {
    if (!path.startsWith(ours)) continue;
    holders.add(makerOf(path)).add((await ports.worktrees.mark(repo.git, path)).holder);
  }
  return holders;
}

async function needsOf(
  ports: NeedsPorts,
  repoId: string,
  row: RegisteredRepo | undefined,
): Promise<RepoNeeds> {
  const unknown = { repoId, open: undefined, holders: new Set<string>() };
  if (row === undefined) return unknown;
  try {
    using repo = await new RepoOpener(ports).open(row, ports);
    return { repoId, open: await openTickets(repo), holders: await holdersIn(ports, repo) };
  } catch (thrown) {
    ports.signal.throwIfAborted();
    const { code, message } = Failure.from(thrown);
    if (code === "internal") throw thrown;
    ports.log.write("info", `what belongs to tickets of a repo is kept: ${message}`, {
      repo: row.path,
    });
    return unknown;
  }
}

/** @param looks told of each repo, for a person who waits */
export async function needsOfRepos(
  ports: NeedsPorts,
  looks?: (what: string) => void,
): Promise<RepoNeeds[]> {
  const rows = new Map((await listRepos(ports.db)).map((row) => [row.id, row]));
  const needs: RepoNeeds[] = [];
  const ids = new Set([...rows.keys(), ...await reposOfJobs(ports.db)]);
  for (const id of ids) {
    looks?.(`looking at ${needs.length + 1} of ${counted(ids.size, "repo")}`);
    needs.push(await needsOf(ports, id, rows.get(id)));
  }
  return needs;
}
