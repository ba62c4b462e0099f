/** Carries out a plan on a repo, locked, as one journalled operation; first settles what a killed one left. */
import type { Clock } from "svc/platform/clock.ts";
import { type Checkout, type CheckoutPorts, openCheckout } from "svc/platform/git/checkout.ts";
import type { Env } from "svc/platform/entrance.ts";
import type { Home } from "svc/platform/home.ts";
import { type Programs, programsOn } from "svc/platform/process/program.ts";
import {
  type JournalPorts,
  pendingEarlier,
  runOperation,
  type SettledOperation,
  settleEarlier,
} from "svc/platform/files/journal.ts";
import type { HarnessPlan } from "./draft.ts";

/** A checkout whose harness changes, with what its operations are journalled in. */
export interface HarnessTarget extends Checkout {
  readonly home: Home;
  readonly programs: Programs;
}

/** @throws Failure as `openCheckout` */
export async function openHarnessTarget(
  ports: CheckoutPorts & Pick<HarnessTarget, "home" | "signal"> & {
    readonly env: Pick<Env, "get">;
  },
  path: string,
): Promise<HarnessTarget> {
  const programs = programsOn(ports.env.get("PATH") ?? "");
  return { ...await openCheckout(ports, path), home: ports.home, programs };
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

/** Interrupted operations in this repo; changes nothing. */
export function pending(target: HarnessTarget): Promise<SettledOperation[]> {
  return pendingEarlier(journalPorts(target), target.root);
}

/** Finishes or undoes interrupted operations in this repo. */
export async function repair(
  target: HarnessTarget,
  doing: string,
): Promise<readonly SettledOperation[]> {
  if ((await pending(target)).length === 0) return [];
  using _lock = await target.lock(doing);
  return await settleEarlier(journalPorts(target), target.root);
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

/** @param makePlan called once the repo is locked and settled. @throws Failure; then nothing was changed */
export async function carryOut<P extends HarnessPlan>(
  target: HarnessTarget,
  name: string,
  makePlan: () => Promise<P>,
): Promise<CarriedOutPlan<P>> {
  using _lock = await target.lock(name);
  const ports = journalPorts(target);
  const repo = target.root;
  const earlier = await settleEarlier(ports, repo);
  const plan = await makePlan();
  const { steps, drops } = plan;
  if (steps.length === 0 && drops.length === 0) return { plan, earlier };
  const id = operationId(target.clock, name);
  const backups = await backUp(target, id, plan);
  await runOperation(ports, id, { name, repo, steps, drops });
  return { plan, earlier, ...(backups !== undefined && { backups }) };
}
