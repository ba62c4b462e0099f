/** A broker and a Worker's view of it on one thread, with real repos behind. */
import { offer } from "svc/platform/broker.ts";
import { offerRepos } from "svc/platform/brokered_repo.ts";
import { systemClock } from "svc/platform/clock.ts";
import { roomAt } from "svc/platform/disk_space.ts";
import { denoFiles } from "svc/platform/files.ts";
import { openFolder } from "svc/platform/folder.ts";
import { commitsOver } from "svc/platform/git_commit.ts";
import { gitOver } from "svc/platform/git.ts";
import { worktreesOver } from "svc/platform/git_worktree.ts";
import { identities } from "svc/platform/process_identity.ts";
import { denoProcesses } from "svc/platform/process.ts";
import { reachRepos } from "svc/platform/reached_repo.ts";
import { lockRepo } from "svc/platform/repo_lock.ts";
import { readTree } from "svc/platform/tree_reader.ts";
import { ENV } from "./commit_ports.ts";

export interface ConfinedPlan {
  readonly repos: readonly string[];
  /** Folder of the work trees. */
  readonly home: string;
  readonly profile?: "observer" | "host";
  readonly signal?: AbortSignal;
}

/** What the main thread has. */
export function mainPorts({ home, signal = new AbortController().signal }: ConfinedPlan) {
  const processes = denoProcesses();
  const files = denoFiles();
  const commits = commitsOver({ processes, env: ENV, files, clock: systemClock });
  const parts = { processes, env: ENV, files, commits, clock: systemClock };
  return {
    ...parts,
    ...{ lockRepo, readTree, signal, folder: openFolder, home: { worktrees: home } },
    git: gitOver(processes, ENV),
    identities: identities(),
    diskFree: () => roomAt(home),
    worktrees: worktreesOver({ ...parts, openFolder, home: () => home }),
  };
}

export function confined(plan: ConfinedPlan) {
  const offered = offerRepos(mainPorts(plan), {
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
