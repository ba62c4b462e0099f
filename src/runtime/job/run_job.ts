/** Runs one job from its lease to its decision: tree, model, tools, agent, proof, settlement. */
import { NO_COST } from "svc/core/cost.ts";
import { Failure } from "svc/core/failure.ts";
import { NOTHING_USED, type Tally, type Trace, usedSince } from "svc/features/agent/agent.ts";
import { runAgent } from "svc/features/agent/loop.ts";
import { openTrace } from "svc/features/agent/trace.ts";
import { recordEvidence } from "svc/features/code_intel/evidence_store.ts";
import type { CodeEvidence } from "svc/features/code_intel/evidence_table.ts";
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";
import { roleNamed } from "svc/features/harness/role_named.ts";
import { assignLane } from "svc/features/jobs/job_store.ts";
import { resumeLane } from "svc/features/jobs/lane_store.ts";
import { recordJob } from "svc/features/jobs/order_job.ts";
import { redactedQuestion } from "svc/core/question.ts";
import { together } from "svc/core/together.ts";
import { trustOf } from "svc/features/trust/trust_store.ts";
import { refuseAbsentPrograms } from "./absent_programs.ts";
import {
  brief,
  dispositionsOf,
  handsIn,
  type HarnessTexts,
  harnessTexts,
  mayAsk,
} from "./briefing.ts";
import { evidenceOf, FirstEdit } from "./code_evidence.ts";
import { codeHint, hintCost, workText } from "./code_hint.ts";
import { conclude, type Concluded } from "./conclude.ts";
import { dispatched, svcDispatches } from "./dispatch.ts";
import { blockedByRewrite, type EarlierWork, earlierWork } from "./earlier_work.ts";
import { handOver } from "./hand_over.ts";
import { type HeldLease, whileHeld } from "./heartbeat.ts";
import { JobLedger, sharedBudgets } from "./job_ledger.ts";
import type { JobOptions, JobPlan, JobReport } from "./job_plan.ts";
import { type JobTicket, nothingToDo, overtaken, takeTicket } from "./job_ticket.ts";
import { boundsOf } from "./limits.ts";
import { openRoleModel, type RoleModel } from "./open_role_model.ts";
import { modelOfJob } from "svc/runtime/inbox/next_job.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { EndJudge } from "./end_judge.ts";
import { earlierNotes, missedBy, notesSaid, personNotes } from "./person_notes.ts";
import { NOTHING_SEEN, type Proof } from "./prove.ts";
import { openSession } from "svc/runtime/session/session.ts";
import { settlePending } from "svc/runtime/settle/settle.ts";
import { redactedWatch } from "./redacted_watch.ts";
import { reviewOf } from "./review.ts";
import { setUpTree } from "./set_up.ts";
import { jobTrust } from "./source_trust.ts";
import { resumedFrom } from "svc/runtime/run/earlier_run.ts";
import { asModelAway, CANCELLED_BY_PERSON, endOf, withReason, type WorkEnd } from "./work_end.ts";
import { tracePath } from "./trace_path.ts";
import { type JobTree, treeFor } from "./job_tree.ts";

const NO_PROOF: Proof = { ...NOTHING_SEEN, head: undefined, sameCommit: true };

/** Kept when the work fails. */
interface WorkProgress {
  begun: boolean;
  end: WorkEnd | undefined;
  tally: Tally;
  proof: Proof;
  taken?: JobTicket["facts"] | undefined;
  branch: string | undefined;
  model: RoleModel | undefined;
  trace: string | undefined;
  /** Measured while the job is concluded. */
  code: Promise<CodeEvidence | undefined> | undefined;
}

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
  const { job, repo, manifest } = plan;
  const made: WorkProgress = {
    begun: false,
    end: undefined,
    tally: NOTHING_USED,
    proof: NO_PROOF,
    branch: undefined,
    model: undefined,
    trace: undefined,
    code: undefined,
  };
  ports.log.write("info", `job ${job.id}: ${job.role}`, {
    repo: repo.root,
    ticket: job.ticket_id,
    trigger: job.trigger,
    profile: ports.profile,
  });
  const began = { status: "running", ...(ports.node && { node: ports.node.id }) };
  await recordJob(ports.db, job, began, ports.clock.now());
  const stopped = await whileHeld(ports, job, async (held) => {
    try {
      // Has the ports' signal, since other jobs share it.
      if (ports.profile === "host") await settlePending(ports, repo);
      await work({ ...ports, signal: held.signal }, plan, options, { made, held });
    } catch (thrown) {
      ports.signal.throwIfAborted();
      const waits = Failure.from(thrown).detail.waits === true
        ? thrown
        // Who runs a role by hand is told at once.
        : options.follow
        ? asModelAway(thrown)
        : undefined;
      if (waits !== undefined && !made.begun && held.stopped() === undefined) throw waits;
      made.end = endOf(ports, thrown, held);
    }
    return held.stopped();
  }, options);
  const end = await withReason(ports, job, made.end!);
  // Whoever does the next job of the ticket may be on another node.
  if (made.branch !== undefined && stopped !== "lost") await handOver(ports, repo, made.branch);
  const { disposition, ticket, category, fault, raise, environment = false } = end;
  const { model } = made;
  const cost = model?.cost(made.tally) ?? NO_COST;
  // They go into the database and the ticket, and so into git.
  const redact = model?.redact ?? ports.redact;
  const evidence = redact(end.evidence);
  const question = end.question && redactedQuestion(end.question, redact);
  const concluding: Promise<Concluded> = stopped === "lost"
    ? Promise.resolve({ kind: "lost" })
    : conclude(ports, {
      ...{ job, repo, manifest, disposition, evidence, environment },
      tally: made.tally,
      cost,
      proof: made.proof,
      branch: made.branch,
      ...(made.taken && { taken: made.taken }),
      ...(ticket !== undefined && { chosen: ticket }),
      ...(question !== undefined && { question }),
      ...(category !== undefined && { category }),
      ...(fault !== undefined && { fault }),
      ...(raise !== undefined && { raise }),
      ...(model && {
        model: { lane: model.lane, id: model.route.model, evidence: model.profile.evidence },
      }),
      tracePath: made.trace ?? null,
    }, options);
  const [concluded, code] = await together(concluding, Promise.resolve(made.code));
  ports.log.write("info", `job ${job.id}: ${disposition}`, { evidence, concluded: concluded.kind });
  if (concluded.kind === "decided" && code !== undefined) {
    await recordEvidence(ports.db, code).catch((thrown) => {
      // Only a sample is lost.
      ports.log.write("warn", "code evidence was not stored", {
        why: Failure.from(thrown).message,
      });
    });
  }
  if (concluded.kind === "decided" && ports.profile === "host") await settlePending(ports, repo);
  return {
    concluded,
    disposition,
    evidence,
    question,
    tally: made.tally,
    cost,
    proof: made.proof,
    branch: made.branch,
    trace: made.trace,
    live: model?.profile.evidence === "live",
    model: model?.route,
  };
}

async function work(
  ports: RuntimePorts,
  plan: JobPlan,
  options: JobOptions,
  { made, held }: { readonly made: WorkProgress; readonly held: HeldLease },
): Promise<void> {
  const { job, manifest } = plan;
  const definition = roleNamed(manifest, job.role);
  const step = (text: string) => options.onStep?.(text);
  const spent = await overtaken(ports, plan.repo, job, definition);
  if (spent !== undefined) {
    made.end = { disposition: "cancelled", evidence: spent };
    return;
  }
  if (svcDispatches(manifest, job)) {
    made.end = await dispatched(ports, plan.repo);
    return;
  }
  const nothing = nothingToDo(job, definition);
  if (nothing !== undefined) {
    made.end = { disposition: "no_work", evidence: nothing };
    return;
  }
  // Its processes end with the job.
  using repo = await plan.repo.reopen(held.signal);
  step("ask which model serves the role");
  const modelEndpoint = modelOfJob(job) ?? options.modelEndpoint;
  const { role } = job;
  const model = await openRoleModel(ports, { role, definition, modelEndpoint, repo });
  made.model = model;
  const bounds = boundsOf(definition, options, model);
  const shared = await sharedBudgets(ports, plan, model);
  await assignLane(ports.db, job, model.lane);
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
  await setUpTree(ports, repo, manifest, {
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

const taskOf = ({ payload }: Pick<JobPlan["job"], "payload">) =>
  JSON.parse(payload) as { task?: string; earlier?: string };

/** After a lost lease the file belongs to another process. */
function whileOurs(trace: Trace, held: HeldLease): Trace {
  return {
    path: trace.path,
    write: async (kind, fields) => {
      if (held.stopped() !== "lost") await trace.write(kind, fields);
    },
  };
}

interface Ready {
  readonly made: WorkProgress;
  readonly held: HeldLease;
  readonly definition: ManifestRole;
  readonly model: RoleModel;
  readonly bounds: ReturnType<typeof boundsOf>;
  readonly shared: Awaited<ReturnType<typeof sharedBudgets>>;
  readonly ticket: JobTicket | undefined;
  readonly tree: JobTree;
  readonly before: EarlierWork;
  /** Being read since before the work tree was made. */
  readonly texts: Promise<HarnessTexts>;
  step(text: string): void;
}

async function agentRun(
  ports: RuntimePorts,
  { job, repo, manifest }: JobPlan,
  options: JobOptions,
  { made, held, definition, model, bounds, shared, ticket, tree, before, texts, step }: Ready,
): Promise<void> {
  const { db, clock, files, redact, home, profile } = ports;
  const { level: trust } = await trustOf(db, repo.id, job.role, definition.trust);
  const { task, earlier } = taskOf(job);
  const hinted = options.codeIntel === true && earlier === undefined;
  if (hinted) step("look for the code that the work is about");
  const hint = hinted
    ? await codeHint(ports, tree, { text: workText(ticket, task), signal: held.signal })
    : undefined;
  if (hint !== undefined) step(hintCost(hint));
  await using session = await openSession(ports, {
    repo,
    tree,
    manifest,
    role: job.role,
    profile,
    job: job.id,
    ...(tree.ownBranch !== undefined && { began: { at: tree.given } }),
    ...(ticket && { ticket: ticket.facts.id }),
    sourceTrust: () => jobTrust(repo, { source_trust: job.source_trust, ticket: ticket?.facts }),
    dispositions: dispositionsOf(definition),
    leftovers: before.leftovers,
    asks: mayAsk(profile, ticket?.facts),
    remote: repo.place,
    windowTokens: model.profile.contextWindow,
    keys: model.keys,
    guides: true,
    // A rehearsal starts no program, so nothing could be seen.
    ...(profile === "host" && { missing: (reported) => judge.missing(reported) }),
    servers: true,
    committed: (branch) => handOver(ports, repo, branch),
    signal: held.signal,
  });
  for (const { name, reason } of session.servers) {
    if (reason !== undefined) (options.onNote ?? step)(`MCP server ${name}: ${reason}`);
  }
  const { toolbox } = session;
  const judged = { job, repo, tree, definition, manifest, toolbox, signal: held.signal };
  // A resumed job has its prompt already.
  const review = earlier === undefined ? await reviewOf(db, judged) : undefined;
  const missed = earlier === undefined ? await earlierNotes(ports, job) : [];
  const prompt = brief({
    role: job.role,
    definition,
    manifest,
    texts: await texts,
    ticket,
    profile,
    trust,
    request: task,
    review,
    ...(hint && { hint: hint.lines }),
    before: before.told,
    notes: notesSaid(missed),
    servers: session.servers.filter(({ tools }) => tools.length > 0).map(({ name }) => name),
    branch: tree.ownBranch,
    contextWindow: model.profile.contextWindow,
  });
  made.trace = tracePath(home, repo, job.id);
  using opened = await openTrace({ files, path: made.trace, redact, clock });
  const trace = whileOurs(opened, held);
  await trace.write("job", {
    job: job.id,
    repo: repo.root,
    role: job.role,
    ticket: job.ticket_id,
    profile,
    trust,
    model: model.route,
    evidence: model.profile.evidence,
    considered: model.considered,
    branch: tree.ownBranch,
    given: tree.given,
    attempt: job.attempt,
  });
  if (session.servers.length > 0) await trace.write("mcp_servers", { servers: session.servers });
  if (hint !== undefined) {
    const { offered, tokens, ms } = hint;
    await trace.write("code_hint", { offered, tokens, ms });
  }
  const resume = earlier === undefined ? undefined : await resumedFrom(ports, earlier);
  const judge = new EndJudge(ports, repo, {
    ...{ job, ticket, task, tree, manifest, session, trace, signal: held.signal, progress: step },
    handsIn: handsIn(definition),
  });
  const edit = new FirstEdit(session.toolbox);
  const script = model.profile.evidence === "fixture" ? " (fixture)" : "";
  step(`${model.route.model}${script} at ${model.route.endpoint} works as ${job.role}`);
  made.begun = true;
  const ledger = new JobLedger(ports, job, model, shared, resume);
  const end = await runAgent({
    ...prompt,
    toolbox: session.toolbox,
    model: model.client,
    trace,
    clock,
    ...bounds,
    ledger,
    signal: held.signal,
    ...(resume && { resume }),
    notes: personNotes(ports, job, missed),
    onTurn(turn) {
      edit.see(turn);
      options.onTurn?.(turn);
    },
    ...(options.onText && { onText: options.onText }),
    ...(options.onDoing && { onDoing: options.onDoing }),
  });
  // What they do after this would change the work that is proven.
  await session[Symbol.asyncDispose]();
  await ledger.count(end);
  // What it goes on from is in the row of the job that used it.
  const late = await missedBy(ports, job);
  if (late !== undefined) (options.onNote ?? step)(late);
  made.tally = usedSince(resume ?? NOTHING_USED, end);
  made.end = held.stopped() === "cancel" ? CANCELLED_BY_PERSON : end;
  // The model answers: its fault is mended.
  if (end.turns > 0 && end.fault === undefined) await resumeLane(db, "model", model.lane);
  ports.signal.throwIfAborted();
  const proven = await judge.ended(made.end);
  made.end = proven.end;
  made.proof = proven.proof;
  if (resume !== undefined) return; // it may have read and edited before
  made.code = evidenceOf(ports, { job: job.id, repo, tree, proof: made.proof, hint, edit });
}
