/** Carries out a plan on a repo, locked, as one journalled operation; first settles what a killed one left. */
import type { Clock } from "svc/platform/clock.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { OpenFolder } from "svc/platform/files/folder.ts";
import type { Git, GitRepo } from "svc/platform/git/git.ts";
import type { Home } from "svc/platform/home.ts";
import {
  type JournalPorts,
  pendingEarlier,
  runOperation,
  type SettledOperation,
  settleEarlier,
} from "svc/platform/files/journal.ts";
import type { LockRepo } from "svc/platform/git/repo_lock.ts";
import type { HarnessPlan } from "./draft.ts";

export interface HarnessTarget {
  readonly repo: GitRepo;
  readonly folder: OpenFolder;
  readonly files: Files;
  readonly home: Home;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly lock: LockRepo;
}

interface HarnessTargetPorts extends Omit<HarnessTarget, "folder" | "lock" | "repo"> {
  readonly git: Git;
  folder(root: string): Promise<OpenFolder>;
  readonly lockRepo: LockRepo;
}

/** Disposing it closes the folder. @throws Failure as `Git.open` */
export async function openHarnessTarget(
  ports: HarnessTargetPorts,
  path: string,
): Promise<HarnessTarget & Disposable> {
  const { files, home, clock, signal, lockRepo: lock } = ports;
  const repo = await ports.git.open(path, { signal });
  const folder = await ports.folder(repo.root);
  const dispose = () => folder[Symbol.dispose]();
  return { repo, folder, files, home, clock, signal, lock, [Symbol.dispose]: dispose };
}

interface CarriedOutPlan<P extends HarnessPlan> {
  readonly plan: P;
  readonly earlier: readonly SettledOperation[];
  readonly backups?: string;
}

const journalPorts = ({ files, folder, home }: HarnessTarget): JournalPorts => ({
  files,
  folder,
  journal: home.journal,
});

async function locked<T>(target: HarnessTarget, doing: string, work: () => Promise<T>): Promise<T> {
  const { repo, clock, signal } = target;
  using _lock = await target.lock(repo, { doing, clock, signal });
  return await work();
}

/** Interrupted operations in this repo; changes nothing. */
export function pending(target: HarnessTarget): Promise<SettledOperation[]> {
  return pendingEarlier(journalPorts(target), target.repo.root);
}

/** Finishes or undoes interrupted operations in this repo. */
export async function repair(
  target: HarnessTarget,
  doing: string,
): Promise<readonly SettledOperation[]> {
  if ((await pending(target)).length === 0) return [];
  return await locked(target, doing, () => settleEarlier(journalPorts(target), target.repo.root));
}

/** `20261121T120642Z-init-1f2e3d4c`: sorts by time. */
function operationId(clock: Clock, name: string): string {
  const stamp = new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, "");
  const random = crypto.getRandomValues(new Uint8Array(4)).toHex();
  return `${stamp}-${name.replaceAll(" ", "-")}-${random}`;
}

async function backUp(
  { files, home }: HarnessTarget,
  id: string,
  plan: HarnessPlan,
): Promise<string | undefined> {
  if (plan.backups.size === 0) return undefined;
  const folder = `${home.journal}/backups/${id}`;
  for (const [path, bytes] of plan.backups) {
    const target = `${folder}/${path}`;
    await files.makeFolder(target.slice(0, target.lastIndexOf("/")));
    await files.writeAtomic(target, bytes, { mode: 0o600 });
  }
  return folder;
}

/** @param makePlan called once the repo is locked and settled. @throws Failure; nothing was changed */
export function carryOut<P extends HarnessPlan>(
  target: HarnessTarget,
  name: string,
  makePlan: () => Promise<P>,
): Promise<CarriedOutPlan<P>> {
  return locked(target, name, async () => {
    const ports = journalPorts(target);
    const repo = target.repo.root;
    const earlier = await settleEarlier(ports, repo);
    const plan = await makePlan();
    const { steps, drops } = plan;
    if (steps.length === 0 && drops.length === 0) return { plan, earlier };
    const id = operationId(target.clock, name);
    const backups = await backUp(target, id, plan);
    await runOperation(ports, id, { name, repo, steps, drops });
    return { plan, earlier, ...(backups !== undefined && { backups }) };
  });
}
