/** A real repo, open, and tickets to write into it. */
import { systemClock } from "svc/platform/clock.ts";
import { type Checkout, openCheckout } from "svc/platform/git/checkout.ts";
import type { TicketDraft } from "svc/features/tickets/ticket_draft.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { type OpenFolder, openFolder } from "svc/platform/files/folder.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { commitsOver } from "svc/platform/git/commit.ts";
import { denoProcesses, type Processes } from "svc/platform/process/process.ts";
import { lockRepo } from "svc/platform/git/repo_lock.ts";
import { readTree } from "svc/platform/files/tree_reader.ts";

const ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
};

/** Parts that a test puts in place of the real ones. */
export interface Swapped {
  readonly processes?: (real: Processes) => Processes;
  readonly files?: (real: ReturnType<typeof denoFiles>) => ReturnType<typeof denoFiles>;
  readonly folder?: (real: OpenFolder) => OpenFolder;
}

export async function checkoutAt(path: string, swapped: Swapped = {}): Promise<Checkout> {
  return await openCheckout(checkoutPorts(swapped), path);
}

export function checkoutPorts(swapped: Swapped = {}): Parameters<typeof openCheckout>[0] {
  const processes = swapped.processes?.(denoProcesses()) ?? denoProcesses();
  const files = swapped.files?.(denoFiles()) ?? denoFiles();
  return {
    git: gitOver(processes, ENV),
    async folder(root) {
      const real = await openFolder(root);
      return swapped.folder?.(real) ?? real;
    },
    readTree,
    signal: new AbortController().signal,
    files,
    clock: systemClock,
    commits: commitsOver({ processes, env: ENV, files, clock: systemClock }),
    lockRepo,
  };
}

export function draft(title: string, more: Partial<TicketDraft> = {}): TicketDraft {
  return { title, type: "feature", priority: "p2", role: "engineer", source: "human", ...more };
}
