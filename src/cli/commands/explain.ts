import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, repo, required, text } from "svc/cli/flags.ts";
import type { Page } from "svc/cli/page/page.ts";
import { DISPOSITIONS } from "svc/core/disposition.ts";
import type { z } from "zod";
import { Failure } from "svc/core/failure.ts";
import type { Immutable } from "svc/core/immutable.ts";
import { quoted } from "svc/core/repo_path.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobsNamed } from "svc/features/jobs/job_views.ts";
import { notesOf } from "svc/features/jobs/note_store.ts";
import { pausedLanes } from "svc/features/jobs/lane_store.ts";
import type { Lane } from "svc/features/jobs/lane_table.ts";
import { type Decision, PERSON_RULE } from "svc/features/routing/decision_table.ts";
import { findDecisions } from "svc/features/routing/decision_store.ts";
import { settlementOfDecision, settlementOfJob } from "svc/features/routing/settlement_store.ts";
import { removalsNamed, removedOn } from "svc/features/retention/removal_store.ts";
import type { Removal } from "svc/features/retention/removal_table.ts";
import { openFollowed } from "svc/features/repos/follow_move.ts";
import { answerOf } from "svc/features/tickets/answer_ticket.ts";
import { answerCommand } from "svc/core/question.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import { laneOf } from "svc/runtime/views/pending_wait.ts";
import type { Db } from "svc/store/schema.ts";

type Asking = Pick<Checkout, "folder" | "git">;

async function questionOf(
  checkout: Asking,
  { job_id, ticket_id, applied }: Decision,
  inputs: object,
) {
  const asked = "question" in inputs && applied === 1 && ticket_id !== null;
  const nothing = { waits: false, answer: undefined };
  const found = asked
    ? await answerOf(checkout, { ticket: ticket_id, job: job_id }).catch((thrown) => {
      const { code } = Failure.from(thrown);
      if (code === "not_found" || code === "environment") return nothing; // its ticket is gone, or broken
      throw thrown;
    })
    : nothing;
  return { awaits_answer: found.waits, answer: found.answer ?? null };
}

async function notesTold(db: Db, job: string) {
  return (await notesOf(db, job)).map(({ told_at, author, text, read_by }) => ({
    ...{ at: rfc3339(told_at), author, text, read_by },
  }));
}

/** @param job that was told */
function noteLines(
  job: string,
  notes: Immutable<Awaited<ReturnType<typeof notesTold>>>,
): (readonly [string, string])[] {
  return notes.map(({ at, author, text, read_by }) => {
    const how = read_by === null ? "not read yet" : read_by === job ? "read" : `read by ${read_by}`;
    return ["note", `${author}, ${at}, ${how}: ${text}`];
  });
}

async function explained(db: Db, checkout: Asking, decision: Decision) {
  const { inputs: stored, refused, applied, at, ...rest } = decision;
  const inputs = JSON.parse(stored) as Record<string, unknown>;
  const owed = decision.rule === PERSON_RULE
    ? await settlementOfDecision(db, decision.id)
    : await settlementOfJob(db, decision.job_id);
  return {
    ...await questionOf(checkout, decision, inputs),
    notes: await notesTold(db, decision.job_id),
    ...rest,
    at: rfc3339(at),
    inputs,
    refused: JSON.parse(refused) as { rule: string; why: string }[],
    applied: applied === 1,
    settlement: owed === undefined ? null : {
      state: owed.state,
      moves_to: owed.to_state,
      reason: owed.reason,
      waits_for: owed.waits_for,
      outcome: owed.outcome,
    },
  };
}

/** A job without a decision: it waits, runs, or was ended before it came to one. */
async function jobNamed(db: Db, named: string, now: number) {
  const jobs = await jobsNamed(db, named);
  if (jobs.length > 1) {
    throw new Failure("conflict", `Cannot tell which job ${quoted(named)} means: several fit`, {
      remedy: `Give more of it: ${jobs.map(({ id }) => id).join(", ")}`,
    });
  }
  const [job] = jobs;
  if (job === undefined) return undefined;
  return { ...explainedJob(job, await pausedLanes(db, now)), notes: await notesTold(db, job.id) };
}

/** What a person said to the job; `read_by` is another job where it had ended before. */
const notesShape = (zod: typeof z) =>
  zod.array(zod.strictObject({
    at: zod.string(),
    author: zod.string(),
    text: zod.string(),
    read_by: zod.string().nullable(),
  }));

function explainedJob(job: Job, lanes: readonly Lane[]) {
  const { id, repo_id, role, ticket_id, status, disposition, reason, attempt } = job;
  const waits = status === "pending";
  return {
    id,
    repo_id,
    role,
    ticket_id,
    status,
    disposition,
    reason,
    attempt,
    max_attempts: job.max_attempts,
    lane: job.lane,
    run_after: waits ? rfc3339(job.run_after) : null,
    held_back: waits ? laneOf(job, lanes)?.reason ?? null : null,
  };
}

/** A job whose records are gone: what is known of it still. */
async function removedNamed(db: Db, named: string) {
  const found = await removalsNamed(db, named);
  const jobs = [...new Set(found.map(({ job_id }) => job_id))];
  if (jobs.length > 1) {
    throw new Failure("conflict", `Cannot tell which job ${quoted(named)} means: several fit`, {
      remedy: `Give more of it: ${jobs.join(", ")}`,
    });
  }
  return found[0];
}

function explainedRemoval(removal: Removal) {
  const { job_id, repo_id, role, ticket_id, disposition, ended_at, removed_at } = removal;
  const times = { ended_at: rfc3339(ended_at), removed_at: rfc3339(removed_at) };
  return { job_id, repo_id, role, ticket_id, disposition, ...times, why: removedOn(removal) };
}

function showRemoval(removed: ReturnType<typeof explainedRemoval>, page: Page): void {
  const about = removed.ticket_id === null ? "" : ` for ${removed.ticket_id}`;
  page.heading(`${removed.role}${about}: ${removed.disposition}`);
  page.fields([
    ["job", removed.job_id],
    ["ended", removed.ended_at],
    ["decision", removed.why],
  ]);
}

function showJob(
  job: ReturnType<typeof explainedJob> & { readonly notes: Parameters<typeof noteLines>[1] },
  page: Page,
): void {
  const about = job.ticket_id === null ? "" : ` for ${job.ticket_id}`;
  page.heading(`${job.role}${about}: ${job.disposition ?? job.status}`);
  page.fields([
    ["job", job.id],
    [
      "decision",
      job.disposition === null ? "none yet: it has not ended" : "none: no role ended it",
    ],
    ["status", job.status],
    ["because", job.reason ?? "no reason was stored"],
    ["attempts used", `${job.attempt} of ${job.max_attempts}`],
    ...(job.run_after === null ? [] : [["due", job.run_after] as const]),
    ...(job.lane === null ? [] : [["model", job.lane] as const]),
    ...(job.held_back === null ? [] : [["held back", job.held_back] as const]),
    ...noteLines(job.id, job.notes),
  ]);
}

const asText = (value: unknown) => typeof value === "string" ? value : JSON.stringify(value);

interface SettlementShown {
  readonly state: string;
  readonly reason: string;
  readonly waits_for: string | null;
  readonly outcome: string | null;
}

/** A merge may have come to something else than the decision asked for. */
function settledLines(owed: SettlementShown | null): (readonly [string, string])[] {
  if (owed === null) return [];
  const { state, reason, waits_for, outcome } = owed;
  return [
    ["in git", outcome ?? `waits for ${waits_for ?? "its turn"}`],
    ...(state === "done" ? [["because", reason] as const] : []),
  ];
}

function answerLines(
  { awaits_answer, answer, ticket_id }: {
    readonly awaits_answer: boolean;
    readonly answer: string | null;
    readonly ticket_id: string | null;
  },
): (readonly [string, string])[] {
  if (awaits_answer) return [["answer", `waits: ${answerCommand(ticket_id!)}`]];
  return answer === null ? [] : [["answer", answer]];
}

export default command({
  about: "Explain what followed a job: the rule, its inputs, and what else could have followed",
  details:
    "Every end of a job is one decision: the rule of the manifest that matched, the facts that " +
    "svc itself saw (commits, checks), the rules that did not match and why. A decision made in " +
    "observer profile is a rehearsal: nothing of it was applied. For a job without a decision " +
    "it shows the job's state: waiting, cancelled, or lost with its process. Of a job that " +
    "retention removed it tells when it ended, how, and when it was removed.",
  examples: [
    { line: "svc explain 0199c2f3a1b2", about: "the end of a job's or decision's id is enough" },
    { line: "svc explain 0199c2f3a1b2 --json | jq '.decisions[0].refused'", about: "for scripts" },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  args: { id: required(text("job|decision", "Id of a job or a decision, or its end")) },
  flags: {
    repo,
    db: database("Database of the runtime (default: the repo's own)"),
  },
  result: (z) =>
    z.strictObject({
      decisions: z.array(z.strictObject({
        id: z.string(),
        repo_id: z.string(),
        job_id: z.string(),
        at: z.string(),
        role: z.string(),
        ticket_id: z.string().nullable(),
        disposition: z.enum(DISPOSITIONS),
        rule: z.string(),
        inputs: z.record(z.string(), z.unknown()),
        refused: z.array(z.strictObject({ rule: z.string(), why: z.string() })),
        move: z.string().nullable(),
        next_role: z.string().nullable(),
        next_job: z.string().nullable(),
        stop: z.string().nullable(),
        applied: z.boolean(),
        /** What the role asked waits in the ticket still. */
        awaits_answer: z.boolean(),
        /** Who answered what it asked, when, and what. */
        answer: z.string().nullable(),
        notes: notesShape(z),
        /** What it owed to git, and what came of that. */
        settlement: z.strictObject({
          state: z.enum(["pending", "done", "superseded"]),
          moves_to: z.string().nullable(),
          reason: z.string(),
          waits_for: z.string().nullable(),
          outcome: z.string().nullable(),
        }).nullable(),
      })),
      job: z.strictObject({
        id: z.string(),
        repo_id: z.string(),
        role: z.string(),
        ticket_id: z.string().nullable(),
        status: z.enum(["pending", "running", "completed", "failed"]),
        disposition: z.enum(DISPOSITIONS).nullable(),
        reason: z.string().nullable(),
        attempt: z.int(),
        max_attempts: z.int(),
        lane: z.string().nullable(),
        run_after: z.string().nullable(),
        held_back: z.string().nullable(),
        notes: notesShape(z),
      }).nullable(),
      removed: z.strictObject({
        job_id: z.string(),
        repo_id: z.string(),
        role: z.string(),
        ticket_id: z.string().nullable(),
        disposition: z.enum(DISPOSITIONS),
        ended_at: z.string(),
        removed_at: z.string(),
        why: z.string(),
      }).nullable(),
    }),

  async run(app: App, asked) {
    const { clock, cwd, files, git: all, home, servers, signal } = app;
    const git = await all.open(asked.repo ?? cwd(), { signal });
    const { root } = git;
    using folder = await app.folder(root);
    await using store = await openFollowed({ files, clock, home, servers }, {
      repo: root,
      db: asked.db,
    });
    const named = asked.id.toLowerCase();
    try {
      const found = await findDecisions(store.db, named);
      const checkout = { folder, git };
      const decisions = await Promise.all(found.map((one) => explained(store.db, checkout, one)));
      return { decisions, job: null, removed: null };
    } catch (thrown) {
      if (Failure.from(thrown).code !== "not_found") throw thrown;
      const job = await jobNamed(store.db, named, clock.now());
      if (job !== undefined) return { decisions: [], job, removed: null };
      const removed = await removedNamed(store.db, named);
      if (removed === undefined) throw thrown;
      return { decisions: [], job: null, removed: explainedRemoval(removed) };
    }
  },

  show({ decisions, job, removed }, page) {
    if (job !== null) showJob(job, page);
    if (removed !== null) showRemoval(removed, page);
    for (const decision of decisions) {
      const about = decision.ticket_id === null ? "" : ` for ${decision.ticket_id}`;
      page.heading(`${decision.role}${about}: ${decision.disposition}`);
      page.fields([
        ["decision", decision.id],
        ["job", decision.job_id],
        ["at", decision.at],
        ["rule", decision.rule],
        ["ticket", decision.move ?? "stays where it is"],
        ["next", decision.next_role ?? "nobody"],
        ...(decision.next_job === null ? [] : [["next job", decision.next_job] as const]),
        ...(decision.stop === null ? [] : [["stopped", decision.stop] as const]),
        ...settledLines(decision.settlement),
        ...answerLines(decision),
        ...noteLines(decision.job_id, decision.notes),
        ["applied", decision.applied ? "yes" : "no: a rehearsal in observer profile"],
      ]);
      page.line();
      page.line("looked at");
      page.fields(
        Object.entries(decision.inputs).map(([name, value]) =>
          [`  ${name}`, asText(value)] as const
        ),
      );
      if (decision.refused.length > 0) {
        page.line();
        page.table(
          ["did not match", "because"],
          decision.refused.map(({ rule, why }) => [rule, why]),
        );
      }
      page.line();
    }
  },
});
