/** A person lets a held role or model go on, lets unchecked work in, or has svc look again at what is waited for. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { waiveChecks } from "svc/features/checks/waiver_store.ts";
import { wakeBudgetJobs } from "svc/features/jobs/job_store.ts";
import { pausedLanes, resumeLane, roleLane } from "svc/features/jobs/lane_store.ts";
import type { LaneKind } from "svc/features/jobs/lane_table.ts";
import { askAgainNow } from "svc/features/routing/pull_request_store.ts";
import { pendingSettlements } from "svc/features/routing/settlement_store.ts";
import { type ActContext, acted, mustBeHost, saidIn, UNDO_TIME } from "./act_context.ts";
import type { PersonAct, PersonActed } from "./person_act.ts";
import { newDecisionId, recordPersonDecision } from "./person_decision.ts";

/** @throws Failure `conflict` for a lane that nobody holds */
export async function resumeHeld(
  { ports: { db, clock, redact, profile }, repo, by, named }: ActContext,
  order: Extract<PersonAct, { act: "resume-role" | "resume-model" }>,
): Promise<PersonActed> {
  const role = order.act === "resume-role" ? order.role : undefined;
  const what = role === undefined
    ? `model ${quoted(order.act === "resume-model" ? order.lane : "")}`
    : `role ${quoted(role)}`;
  const doing = `let ${what} go on`;
  const way = role === undefined ? "svc jobs resume --model …" : `svc jobs resume --role ${role}`;
  mustBeHost({ profile }, doing, way);
  const [kind, key]: [LaneKind, string] = order.act === "resume-role"
    ? ["role", roleLane(repo.id, order.role)]
    : ["model", order.lane];
  const now = clock.now();
  const id = newDecisionId(now);
  const outcome = `${what} goes on`;
  await db.transaction().execute(async (tx) => {
    const lane = (await pausedLanes(tx, now)).find((one) => one.kind === kind && one.key === key);
    if (lane === undefined || !await resumeLane(tx, kind, key)) {
      throw new Failure("conflict", `Cannot ${doing}: nothing holds it back`, {
        remedy: "svc inbox",
      });
    }
    await recordPersonDecision(tx, {
      ...{ id, repoId: repo.id, disposition: "routed" },
      inputs: { act: order.act, by, outcome, undo: UNDO_TIME, ...named, lane },
    }, { now, redact });
  });
  return acted(id, { outcome, undo: UNDO_TIME });
}

/** @throws Failure `conflict` where the word was given before */
export async function letUncheckedIn(
  { ports, repo, by, named }: ActContext,
  order: Extract<PersonAct, { act: "waive-checks" }>,
): Promise<PersonActed> {
  const { db, clock, redact } = ports;
  const doing = `let unchecked work into ${quoted(repo.name)}`;
  mustBeHost(ports, doing, "svc checks waive");
  const said = saidIn(ports, doing, order.note);
  const now = clock.now();
  const id = newDecisionId(now);
  const outcome = `approved work goes into ${repo.baseBranch} unchecked from now on`;
  await db.transaction().execute(async (tx) => {
    const reason = said === "" ? "a person said so" : said;
    if (!await waiveChecks(tx, { repo_id: repo.id, reason, waived_at: now })) {
      throw new Failure("conflict", `Cannot ${doing}: the word was given before`, {
        remedy: "svc checks waive --end takes it back",
      });
    }
    await recordPersonDecision(tx, {
      ...{ id, repoId: repo.id, disposition: "routed" },
      inputs: {
        ...{ act: "waive-checks", by, outcome, undo: UNDO_TIME },
        ...named,
        ...(said !== "" && { said }),
      },
    }, { now, redact });
  });
  return acted(id, { outcome, undo: UNDO_TIME });
}

/**
 * Makes everything due now that waits for a time: questions to the code host, and jobs over a budget.
 * @param look settles what can be settled; absent where another process does so
 */
export async function lookAgain(
  { ports, repo }: ActContext,
  look: (() => Promise<unknown>) | undefined,
): Promise<PersonActed> {
  const { db, clock } = ports;
  const doing = `look again at ${quoted(repo.name)}`;
  mustBeHost(ports, doing, "svc inbox recheck");
  const before = await pendingSettlements(db, repo.id);
  await askAgainNow(db, before.map(({ id }) => id), clock.now());
  await wakeBudgetJobs(db, [repo.id], clock.now());
  await look?.();
  const fault = await repo.branchFault();
  const waits = (await pendingSettlements(db, repo.id)).flatMap(({ waits_for }) => waits_for ?? []);
  const still = [...new Set([...fault === undefined ? [] : [fault.why], ...waits])];
  const said = still.length === 0
    ? "Nothing is waited for any more"
    : `Still waited for: ${still.slice(0, 3).join("; ")}`;
  return { decision: undefined, existed: false, said, undo: undefined };
}
