/** The agent's part of a job: its session and prompt, its turns, and the proof of what it left. */
import type { Profile, TrustLevel } from "svc/core/permission.ts";
import { NOTHING_USED, type Tally, type Trace, usedSince } from "svc/features/agent/agent.ts";
import { runAgent } from "svc/features/agent/loop.ts";
import type { RolePrompt } from "svc/features/agent/prompt.ts";
import { openTrace } from "svc/features/agent/trace.ts";
import type { CodeEvidence } from "svc/features/code_intel/evidence_table.ts";
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";
import type { JobNote } from "svc/features/jobs/note_table.ts";
import { resumeLane } from "svc/features/jobs/lane_store.ts";
import type { ReportedEnd } from "svc/features/tools/tool.ts";
import { trustOf } from "svc/features/trust/trust_store.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { resumedFrom } from "svc/runtime/run/earlier_run.ts";
import { openSession, type Session } from "svc/runtime/session/session.ts";
import { brief, dispositionsOf, handsIn, type HarnessTexts, mayAsk } from "./briefing.ts";
import { evidenceOf, FirstEdit } from "./code_evidence.ts";
import { type CodeHint, codeHint, hintCost, workText } from "./code_hint.ts";
import type { EarlierWork } from "./earlier_work.ts";
import { EndJudge } from "./end_judge.ts";
import { handOver } from "./hand_over.ts";
import type { HeldLease } from "./heartbeat.ts";
import { JobLedger, type sharedBudgets } from "./job_ledger.ts";
import type { JobOptions, JobPlan } from "./job_plan.ts";
import type { JobTicket } from "./job_ticket.ts";
import type { JobTree } from "./job_tree.ts";
import type { boundsOf } from "./limits.ts";
import type { ChosenModel, RoleModel } from "./open_role_model.ts";
import { earlierNotes, missedBy, notesSaid, personNotes } from "./person_notes.ts";
import type { Proof } from "./prove.ts";
import { reviewOf } from "./review.ts";
import { jobTrust } from "./source_trust.ts";
import { tracePath } from "./trace_path.ts";
import { CANCELLED_BY_PERSON, type WorkEnd } from "./work_end.ts";

/** Kept when the work fails. */
export interface WorkProgress {
  /** The agent was asked to work. */
  begun: boolean;
  end: WorkEnd | undefined;
  tally: Tally;
  proof: Proof;
  taken: JobTicket["facts"] | undefined;
  branch: string | undefined;
  chosen: ChosenModel | undefined;
  /** Opened: it answered. */
  model: RoleModel | undefined;
  trace: string | undefined;
  /** Measured while the job is concluded. */
  code: Promise<CodeEvidence | undefined> | undefined;
}

/** What an agent works with. */
export interface Ready {
  readonly made: WorkProgress;
  readonly held: HeldLease;
  readonly definition: ManifestRole;
  readonly model: RoleModel;
  readonly bounds: ReturnType<typeof boundsOf>;
  readonly shared: Awaited<ReturnType<typeof sharedBudgets>>;
  readonly ticket: JobTicket | undefined;
  readonly tree: JobTree;
  readonly before: EarlierWork;
  /** Reading began before the work tree was made. */
  readonly texts: Promise<HarnessTexts>;
  step(text: string): void;
}

/** `task`: what a person asked for; `earlier`: the job whose run is resumed. */
export const taskOf = ({ payload }: Pick<JobPlan["job"], "payload">) =>
  JSON.parse(payload) as { task?: string; earlier?: string };

/** Leaves in `made` what the agent came to. @throws Failure; then `made` holds what is known */
export async function agentRun(
  ports: RuntimePorts,
  plan: JobPlan,
  options: JobOptions,
  ready: Ready,
): Promise<void> {
  const { job, repo, manifest } = plan;
  const { made, held, definition, model, ticket, tree, step } = ready;
  const { db, clock, files, redact, home } = ports;
  const { level: trust } = await trustOf(db, repo.id, job.role, definition.trust);
  const { task, earlier } = taskOf(job);
  const hint = options.codeIntel === true && earlier === undefined
    ? await hintFor(ports, plan, ready)
    : undefined;
  await using session = await jobSession(ports, plan, ready, (end) => judge.missing(end));
  for (const { name, reason } of session.servers) {
    if (reason !== undefined) (options.onNote ?? step)(`MCP server ${name}: ${reason}`);
  }
  const missed = earlier === undefined ? await earlierNotes(ports, job) : [];
  const prompt = await promptFor(ports, plan, ready, { trust, session, hint, missed });
  made.trace = tracePath(home, repo, job.id);
  using opened = await openTrace({ files, path: made.trace, redact, clock });
  const trace = whileOurs(opened, held);
  await traceStart(trace, { ...plan, profile: ports.profile }, ready, { trust, session, hint });
  const resume = earlier === undefined ? undefined : await resumedFrom(ports, earlier);
  const judge = new EndJudge(ports, repo, {
    ...{ job, ticket, task, tree, manifest, session, trace, signal: held.signal, progress: step },
    handsIn: handsIn(definition),
  });
  const edit = new FirstEdit(session.toolbox);
  const script = model.profile.evidence === "fixture" ? " (fixture)" : "";
  step(`${model.route.model}${script} at ${model.route.endpoint} works as ${job.role}`);
  made.begun = true;
  const ledger = new JobLedger(ports, job, model, ready.shared, resume);
  const end = await runAgent({
    ...prompt,
    toolbox: session.toolbox,
    model: model.client,
    trace,
    clock,
    ...ready.bounds,
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
  // What its programs do after this would change the work that is proven.
  await session[Symbol.asyncDispose]();
  await ledger.count(end);
  // The notes of a resumed run lie in the row of the job that used them.
  const late = await missedBy(ports, job);
  if (late !== undefined) (options.onNote ?? step)(late);
  made.tally = usedSince(resume ?? NOTHING_USED, end);
  made.end = held.stopped() === "cancel" ? CANCELLED_BY_PERSON : end;
  // The model answers, so whatever was wrong with it is fixed.
  if (end.turns > 0 && end.fault === undefined) await resumeLane(db, "model", model.lane);
  ports.signal.throwIfAborted();
  const proven = await judge.ended(made.end);
  made.end = proven.end;
  made.proof = proven.proof;
  if (resume !== undefined) return; // it may have read and edited before
  made.code = evidenceOf(ports, { job: job.id, repo, tree, proof: made.proof, hint, edit });
}

async function hintFor(
  ports: RuntimePorts,
  { job }: JobPlan,
  { held, ticket, tree, step }: Ready,
): Promise<CodeHint | undefined> {
  step("look for the code that the work is about");
  const text = workText(ticket, taskOf(job).task);
  const hint = await codeHint(ports, tree, { text, signal: held.signal });
  if (hint !== undefined) step(hintCost(hint));
  return hint;
}

/** @param missing asked when the role reports its end, in host profile */
function jobSession(
  ports: RuntimePorts,
  { job, repo, manifest }: JobPlan,
  { held, definition, model, ticket, tree, before }: Ready,
  missing: (end: ReportedEnd) => Promise<string | undefined>,
): Promise<Session> {
  const { profile } = ports;
  return openSession(ports, {
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
    ...(profile === "host" && { missing }),
    servers: true,
    committed: (branch) => handOver(ports, repo, branch),
    signal: held.signal,
  });
}

interface Told {
  readonly trust: TrustLevel;
  readonly session: Session;
  readonly hint: CodeHint | undefined;
}

async function promptFor(
  ports: RuntimePorts,
  { job, repo, manifest }: JobPlan,
  { held, definition, model, ticket, tree, before, texts }: Ready,
  { trust, session, hint, missed }: Told & { readonly missed: readonly JobNote[] },
): Promise<RolePrompt> {
  const { db, profile } = ports;
  const { role } = job;
  const { task, earlier } = taskOf(job);
  const { toolbox } = session;
  const judged = { job, repo, tree, definition, manifest, toolbox, signal: held.signal };
  // A resumed run has its prompt already.
  const review = earlier === undefined ? await reviewOf(db, judged) : undefined;
  return brief({
    ...{ role, definition, manifest, ticket, profile, trust, review },
    texts: await texts,
    request: task,
    ...(hint && { hint: hint.lines }),
    before: before.told,
    notes: notesSaid(missed),
    servers: session.servers.filter(({ tools }) => tools.length > 0).map(({ name }) => name),
    branch: tree.ownBranch,
    contextWindow: model.profile.contextWindow,
  });
}

async function traceStart(
  trace: Trace,
  { job, repo, profile }: JobPlan & { readonly profile: Profile },
  { model, tree }: Ready,
  { trust, session, hint }: Told,
): Promise<void> {
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
}

/** After the lease was lost, the file belongs to another process. */
function whileOurs(trace: Trace, held: HeldLease): Trace {
  return {
    path: trace.path,
    write: async (kind, fields) => {
      if (held.stopped() !== "lost") await trace.write(kind, fields);
    },
  };
}
