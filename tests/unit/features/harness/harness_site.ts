/** A harness command's ground: a real repo, a real home, ports that may die. */
import { detect } from "svc/features/harness/detect.ts";
import { readMetadata } from "svc/features/harness/metadata.ts";
import { carryOut, type HarnessTarget } from "svc/features/harness/operate.ts";
import { planEject } from "svc/features/harness/plan_eject.ts";
import { planInit } from "svc/features/harness/plan_init.ts";
import { removeHooks } from "svc/features/guardrails/hooks.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { homeOf } from "svc/platform/home.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { lockRepo } from "svc/platform/git/repo_lock.ts";

const PATH = Deno.env.get("PATH") ?? "/usr/bin:/bin";

type Wrap = <T extends object>(port: T) => T;

export async function siteAt(
  path: string,
  home: string,
  wrap: Wrap = (port) => port,
): Promise<HarnessTarget & Disposable> {
  const repo = await gitOver(denoProcesses(), { PATH }).open(path);
  const folder = await openFolder(repo.root);
  const env = { get: () => home, all: () => ({}), forget: () => {} };
  return {
    repo,
    folder: wrap(folder),
    files: wrap(denoFiles()),
    home: homeOf(env),
    clock: systemClock,
    signal: new AbortController().signal,
    lock: lockRepo,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

export async function initPlan(site: HarnessTarget, { force = false } = {}) {
  return await planInit(site, {
    project: await detect(site),
    routing: { mode: "defer" },
    routingGiven: false,
    force,
    before: await readMetadata(site),
  });
}

export async function ejectPlan(site: HarnessTarget) {
  return await planEject(site, {
    repo: site.repo,
    metadata: await readMetadata(site),
    removeHooks: (recorder) => removeHooks(recorder, site.repo, undefined),
  });
}

export const init = (site: HarnessTarget) => carryOut(site, "init", () => initPlan(site));
export const eject = (site: HarnessTarget) => carryOut(site, "eject", () => ejectPlan(site));
