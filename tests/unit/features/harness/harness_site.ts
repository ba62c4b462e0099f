/** A harness command's ground: a real repo, a real home, ports that may die. */
import { detect } from "svc/features/harness/detect.ts";
import { readMetadata } from "svc/features/harness/metadata.ts";
import { carryOut, type HarnessTarget, openHarnessTarget } from "svc/features/harness/operate.ts";
import { planEject } from "svc/features/harness/plan_eject.ts";
import { planInit } from "svc/features/harness/plan_init.ts";
import { removeHooks } from "svc/features/guardrails/hooks.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { checkoutPorts } from "tests/unit/features/tickets/ticket_checkout.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { homeOf } from "svc/platform/home.ts";

type Wrap = <T extends object>(port: T) => T;

export async function siteAt(
  path: string,
  home: string,
  wrap: Wrap = (port) => port,
): Promise<HarnessTarget> {
  const env = { get: () => home, all: () => ({}), forget: () => {} };
  const ports = { env, ...checkoutPorts(), files: wrap(denoFiles()), home: homeOf(env) };
  const folder = async (root: string) => wrap(await openFolder(root));
  return await openHarnessTarget({ ...ports, folder }, path);
}

export async function initPlan(site: HarnessTarget, { force = false } = {}) {
  return await planInit(site, {
    project: (await detect(site)).project,
    routing: { mode: "defer" },
    routingGiven: false,
    force,
    before: await readMetadata(site),
  });
}

export async function ejectPlan(site: HarnessTarget, repo: GitRepo = site.git) {
  return await planEject(site, {
    repo,
    metadata: await readMetadata(site),
    removeHooks: (recorder) => removeHooks(recorder, site.git, undefined),
  });
}

export const init = (site: HarnessTarget) => carryOut(site, "init", () => initPlan(site));
export const eject = (site: HarnessTarget) => carryOut(site, "eject", () => ejectPlan(site));
