/** Runs one job from its lease to its decision: tree, model, tools, agent, proof, settlement. */
import { NO_COST } from "svc/core/cost.ts";
import { Failure } from "svc/core/failure.ts";
import { redactedQuestion } from "svc/core/question.ts";
import { together } from "svc/core/together.ts";
import { NOTHING_USED } from "svc/features/agent/agent.ts";
import { recordEvidence } from "svc/features/code_intel/evidence_store.ts";
import type { CodeEvidence } from "svc/features/code_intel/evidence_table.ts";
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";
import { roleNamed } from "svc/features/harness/role_named.ts";
import { assignLane } from "svc/features/jobs/job_store.ts";
import { resumeLane } from "svc/features/jobs/lane_store.ts";
import { recordJob } from "svc/features/jobs/order_job.ts";
import { modelOfJob } from "svc/runtime/inbox/next_job.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { settlePending } from "svc/runtime/settle/settle.ts";
import { refuseAbsentPrograms } from "./absent_programs.ts";
import { agentRun, taskOf, type WorkProgress } from "./agent_run.ts";
import { handsIn, harnessTexts } from "./briefing.ts";
import { conclude, type Concluded } from "./conclude.ts";
import type { Worked } from "./decision_record.ts";
import { dispatched, svcDispatches } from "./dispatch.ts";
import { blockedByRewrite, earlierWork } from "./earlier_work.ts";
import { handOver } from "./hand_over.ts";
import { type HeldLease, whileHeld } from "./heartbeat.ts";
import { sharedBudgets } from "./job_ledger.ts";
import type { JobOptions, JobPlan, JobReport } from "./job_plan.ts";
import { nothingToDo, overtaken, takeTicket } from "./job_ticket.ts";
import { treeFor } from "./job_tree.ts";
import { boundsOf } from "./limits.ts";
import { chooseRoleModel, openRoleModel } from "./open_role_model.ts";
import { NOTHING_SEEN, type Proof } from "./prove.ts";
import { redactedWatch } from "./redacted_watch.ts";
import { setUpTree } from "./set_up.ts";
import { asWait, endOf, withReason, type WorkEnd } from "./work_end.ts";

const NO_PROOF: Proof = { ...NOTHING_SEEN, head: undefined, sameCommit: true };

const nothingMade = (): WorkProgress => ({
  begun: false,
  end: undefined,
  tally: NOTHING_USED,
  proof: NO_PROOF,
  taken: undefined,
  branch: undefined,
  chosen: undefined,
  model: undefined,
  trace: undefined,
  code: undefined,
});

/**
 * Never throws for what the work came to; a job that cannot be worked on ends as `blocked` with what a
 * person is to do.
 * @throws the reason of `ports.signal`, or a Failure that `waits` before the agent has begun: the
 *   caller gives the lease back
 */
export async function runJob(
  ports: RuntimePorts,
  plan: JobPlan,
  options: JobOptions,
): Promise<JobReport> {
  const { job, repo } = plan;
  const { log, profile } = ports;
  log.write("info", `job ${job.id}: ${job.role}`, {
    ...{ repo: repo.root, ticket: job.ticket_id, trigger: job.trigger, profile },
  });
  const began = { status: "running", ...(ports.node && { node: ports.node.id }) };
  await recordJob(ports.db, job, began, ports.clock.now());
  const made = nothingMade();
  const stopped = await whileHeld(ports, job, async (held) => {
    await workToAnEnd(ports, plan, options, { made, held });
    return held.stopped();
  }, options);
  const end = await withReason(ports, job, made.end!);
  // Whoever does the next job of the ticket may be on another node.
  if (made.branch !== undefined && stopped !== "lost") await handOver(ports, repo, made.branch);
  const told = toldOf(ports, made, end);
  const [concluded, code] = await together(
    stopped === "lost"
      ? Promise.resolve<Concluded>({ kind: "lost" })
      : conclude(ports, workDone(plan, made, end, told), options),
    Promise.resolve(made.code),
  );
  log.write("info", `job ${job.id}: ${end.disposition}`, {
    ...{ evidence: told.evidence, concluded: concluded.kind },
  });
  if (concluded.kind === "decided") {
    if (code !== undefined) await storeCodeEvidence(ports, code);
    if (profile === "host") await settlePending(ports, repo);
  }
  const { tally, proof, branch, trace, model } = made;
  return {
    concluded,
    disposition: end.disposition,
    ...told,
    ...{ tally, proof, branch, trace },
    live: model?.profile.evidence === "live",
    model: model?.route,
  };
}

/** Sets `made.end`. @throws as `runJob` */
async function workToAnEnd(
  ports: RuntimePorts,
  plan: JobPlan,
  options: JobOptions,
  { made, held }: Working,
): Promise<void> {
  try {
    // Has the ports' signal, since other jobs share it.
    if (ports.profile === "host") await settlePending(ports, plan.repo);
    await work({ ...ports, signal: held.signal }, plan, options, { made, held });
  } catch (thrown) {
    ports.signal.throwIfAborted();
    const waits = Failure.from(thrown).detail.waits === true
      ? thrown
      // Who runs a role by hand is told at once.
      : options.follow
      ? await asWait(ports, plan.repo, plan.job, thrown)
      : undefined;
    if (waits !== undefined && !made.begun && held.stopped() === undefined) throw waits;
    made.end = endOf(ports, thrown, held);
  }
}

type Told = Pick<JobReport, "evidence" | "question" | "cost">;

/** Redacted, since it goes into the database and the ticket, and so into git. */
function toldOf(
  ports: Pick<RuntimePorts, "redact">,
  { chosen, model, tally }: WorkProgress,
  { evidence, question }: WorkEnd,
): Told {
  const redact = chosen?.redact ?? ports.redact;
  return {
    evidence: redact(evidence),
    question: question && redactedQuestion(question, redact),
    cost: model?.cost(tally) ?? NO_COST,
  };
}

function workDone(
  { job, repo, manifest }: JobPlan,
  { tally, proof, branch, taken, chosen, model, trace }: WorkProgress,
  { disposition, ticket, category, fault, raise, environment = false }: WorkEnd,
  { evidence, question, cost }: Told,
): Worked {
  return {
    ...{ job, repo, manifest, disposition, evidence, environment, tally, cost, proof, branch },
    ...(taken && { taken }),
    ...(ticket !== undefined && { chosen: ticket }),
    ...(question !== undefined && { question }),
    ...(category !== undefined && { category }),
    ...(fault !== undefined && { fault }),
    ...(raise !== undefined && { raise }),
    ...(chosen && { lane: (model ?? chosen).lane }),
    ...(model && { model: { id: model.route.model, evidence: model.profile.evidence } }),
    tracePath: trace ?? null,
  };
}

async function storeCodeEvidence({ db, log }: RuntimePorts, code: CodeEvidence): Promise<void> {
  await recordEvidence(db, code).catch((thrown) => {
    // Only a sample is lost.
    log.write("warn", "code evidence was not stored", { why: Failure.from(thrown).message });
  });
}

interface Working {
  readonly made: WorkProgress;
  readonly held: HeldLease;
}

/** @throws Failure; `made.end` may be set already */
async function work(
  ports: RuntimePorts,
  plan: JobPlan,
  options: JobOptions,
  { made, held }: Working,
): Promise<void> {
  const { job, manifest } = plan;
  const definition = roleNamed(manifest, job.role);
  const step = (text: string) => options.onStep?.(text);
  made.end = await endWithoutModel(ports, plan, definition);
  if (made.end !== undefined) return;
  // Its processes end with the job.
  using repo = await plan.repo.reopen(held.signal);
  step("ask which model serves the role");
  const modelEndpoint = modelOfJob(job) ?? options.modelEndpoint;
  const { role } = job;
  const chosen = await chooseRoleModel(ports, { role, definition, modelEndpoint, repo });
  made.chosen = chosen;
  await assignLane(ports.db, job, chosen.lane);
  const model = await openRoleModel(ports, chosen);
  made.model = model;
  const bounds = boundsOf(definition, options, model);
  const shared = await sharedBudgets(ports, plan, model);
  if (model.lane !== chosen.lane) {
    await assignLane(ports.db, job, model.lane);
    // It may have been held back before svc knew which model is served; now it answers.
    await resumeLane(ports.db, "model", chosen.lane);
  }
  for (const note of model.notes) (options.onNote ?? step)(note);
  const ticket = await takeTicket(ports, repo, job, definition);
  made.taken = ticket?.facts;
  const { task } = taskOf(job);
  const texts = harnessTexts(plan.harness, repo.folder, {
    role,
    definition,
    ticket,
    request: task,
  });
  texts.catch(() => {}); // thrown where they are used
  using opened = await treeFor(ports, repo, { job, definition, ticket: ticket?.facts });
  made.branch = opened.ownBranch;
  made.end = await blockedByRewrite(ports, repo, opened, definition);
  if (made.end !== undefined) return;
  await setUpTree({ ...ports, redact: model.redact }, repo, manifest, {
    ...{ job: job.id, role, tree: opened, signal: held.signal, progress: step },
  });
  if (handsIn(definition)) await refuseAbsentPrograms(ports, opened, manifest);
  const before = await earlierWork(ports, repo, { tree: opened, job, definition });
  const tree = { ...opened, given: before.given };
  using watched = redactedWatch(options, model.redact);
  await agentRun({ ...ports, redact: model.redact }, { ...plan, repo }, watched, {
    made,
    held,
    definition,
    model,
    bounds,
    shared,
    ticket,
    tree,
    before,
    texts,
    step,
  });
}

/** Undefined where a model is to work. */
async function endWithoutModel(
  ports: RuntimePorts,
  { job, repo, manifest }: JobPlan,
  definition: ManifestRole,
): Promise<WorkEnd | undefined> {
  const spent = await overtaken(ports, repo, job, definition);
  if (spent !== undefined) return { disposition: "cancelled", evidence: spent };
  if (svcDispatches(manifest, job)) return await dispatched(ports, repo);
  const nothing = nothingToDo(job, definition);
  return nothing === undefined ? undefined : { disposition: "no_work", evidence: nothing };
}
