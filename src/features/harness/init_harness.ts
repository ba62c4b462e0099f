/** Gives a repo its harness, or says what it would get: looks, asks, then writes in one operation. */
import { Failure } from "svc/core/failure.ts";
import type { SettledOperation } from "svc/platform/files/journal.ts";
import type { DetectedCommand } from "./candidates/candidate.ts";
import { detect, type Detected, type Project } from "./detect.ts";
import type { HarnessChange, HarnessPlan, KeptFile } from "./draft.ts";
import { readMetadata } from "./metadata.ts";
import type { Routing } from "./model_routing.ts";
import { carryOut, type HarnessTarget, pending, repair } from "./operate.ts";
import { planInit } from "./plan_init.ts";

interface InitRequest {
  readonly routing: Routing;
  /** False: an earlier choice of the routing stays. */
  readonly routingGiven: boolean;
  readonly force: boolean;
  readonly dryRun: boolean;
  /** Runs what was found, where a person wants that; undefined to take what comes first untried. */
  tryOut(detected: Detected): Promise<Chosen | undefined>;
  /** Asks for consent to the plan. @throws Failure to write nothing */
  agree(plan: InitPlan): Promise<void>;
}

interface Chosen {
  readonly setup: readonly DetectedCommand[];
  readonly checks: readonly DetectedCommand[];
}

interface InitPlan extends HarnessPlan {
  readonly project: Project;
  readonly routing: Routing;
}

interface InitReport {
  readonly repo: string;
  readonly dry_run: boolean;
  readonly project: Project;
  readonly model_routing: Routing["mode"];
  readonly changes: readonly HarnessChange[];
  readonly kept: readonly KeptFile[];
  /** Written, but `git add` leaves them out: the repo's own rules ignore them. */
  readonly ignored: readonly string[];
  readonly earlier: readonly SettledOperation[];
  readonly backups?: string;
}

/** @throws Failure as `planInit`; `conflict` for a dry run after an interrupted operation */
export async function initHarness(
  target: HarnessTarget,
  { routing: given, routingGiven, force, dryRun, tryOut, agree }: InitRequest,
): Promise<InitReport> {
  let chosen: Chosen | undefined;
  const makePlan = async () => {
    const project = { ...(await detect(target)).project, ...chosen };
    // --force rewrites a damaged record of the files.
    const before = await readMetadata(target).catch((thrown) => {
      if (force && thrown instanceof Failure) return undefined;
      throw thrown;
    });
    const routing = routingGiven ? given : before?.routing ?? given;
    const draft = await planInit(target, { project, routing, routingGiven, force, before });
    return Object.assign(draft, { project, routing });
  };
  const reportOf = (
    { project, routing, changes, kept }: Pick<InitPlan, "changes" | "kept" | "project" | "routing">,
  ) => ({
    repo: target.root,
    dry_run: dryRun,
    project,
    model_routing: routing.mode,
    changes,
    kept,
    ignored: [],
  });
  if (dryRun) {
    const [unfinished] = await pending(target);
    if (unfinished === undefined) return { ...reportOf(await makePlan()), earlier: [] };
    const { operation } = unfinished;
    throw new Failure("conflict", `Cannot plan init: svc ${operation} was cut short here`, {
      remedy: "svc update harness finishes or undoes it",
    });
  }
  const repaired = await repair(target, "init");
  const finished = repaired.some(({ operation, outcome }) =>
    operation === "init" && outcome === "finished"
  );
  if (finished && !force) {
    const { project, routing } = (await readMetadata(target))!;
    const known = { ...project, setup: project.setup ?? [] };
    return { ...reportOf({ project: known, routing, changes: [], kept: [] }), earlier: repaired };
  }
  // A repo that takes no harness is refused before anything runs.
  await makePlan();
  const tried = await tryOut(await detect(target));
  if (tried !== undefined) chosen = { setup: tried.setup, checks: tried.checks };
  await agree(await makePlan());
  const { plan, earlier, ...backups } = await carryOut(target, "init", makePlan);
  const seen = new Set((await target.git.listFiles()).paths);
  const ignored = plan.changes.map(({ path }) => path).filter((path) => !seen.has(path));
  return { ...reportOf(plan), ignored, earlier: [...repaired, ...earlier], ...backups };
}
