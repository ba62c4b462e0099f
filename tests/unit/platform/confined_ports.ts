/** A broker and a Worker's view of it on one thread, with real repos behind. */
import { offer } from "svc/platform/confined/broker.ts";
import { offerRepos } from "svc/platform/confined/brokered_repo.ts";
import { systemClock } from "svc/platform/clock.ts";
import { roomAt } from "svc/platform/files/disk_space.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { removeOwn } from "svc/platform/files/remove_below.ts";
import { commitsOver } from "svc/platform/git/commit.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { worktreesOver } from "svc/platform/git/worktree.ts";
import { identities } from "svc/platform/process/identity.ts";
import { denoProcesses, type Processes } from "svc/platform/process/process.ts";
import { reachRepos } from "svc/platform/confined/reached_repo.ts";
import { lockRepo } from "svc/platform/git/repo_lock.ts";
import { readTree } from "svc/platform/files/tree_reader.ts";
import { ENV } from "./commit_ports.ts";
import { remotePorts } from "./remote_ports.ts";

export interface ConfinedPlan {
  readonly repos: readonly string[];
  /** Folder of the work trees. */
  readonly home: string;
  readonly profile?: "observer" | "host";
  readonly signal?: AbortSignal;
  /** Programs of jobs run in a sandbox; these servers do not. */
  readonly sandboxed?: { readonly outside: readonly (readonly string[])[] };
  /** Instead of the real ones. */
  readonly processes?: Processes;
}

/** What the main thread has. */
export function mainPorts({ home, signal = new AbortController().signal }: ConfinedPlan) {
  const processes = denoProcesses();
  const files = denoFiles();
  const commits = commitsOver({ processes, env: ENV, files, clock: systemClock });
  const above = home.replace(/\/worktrees$/, "");
  const parts = { processes, env: ENV, files, commits, clock: systemClock };
  return {
    ...parts,
    ...{ lockRepo, readTree, signal, folder: openFolder },
    home: { worktrees: home, repos: `${above}/repos` },
    remotes: remotePorts(above, processes),
    git: gitOver(processes, ENV),
    identities: identities(),
    diskFree: () => roomAt(home),
    removeOwn: removeOwn(() => above),
    worktrees: worktreesOver({ ...parts, openFolder, home: () => home }),
  };
}

export function confined(plan: ConfinedPlan) {
  const main = mainPorts(plan);
  const offered = offerRepos({ ...main, processes: plan.processes ?? main.processes }, {
    sandboxed: plan.sandboxed,
    repos: plan.repos,
    profile: plan.profile ?? "host",
  });
  const { port1, port2 } = new MessageChannel();
  const served = offer(port1, offered.objects);
  return {
    ...reachRepos(port2, denoFiles()),
    clock: systemClock,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      offered[Symbol.dispose]();
      port2.close();
    },
  };
}
