/**
 * One decision as `svc explain` shows it: its rule, its inputs, what else could have followed, and what
 * followed.
 */
import type { z } from "zod";
import type { Page } from "svc/cli/page/page.ts";
import { DISPOSITIONS } from "svc/core/disposition.ts";
import { Failure } from "svc/core/failure.ts";
import type { Immutable } from "svc/core/immutable.ts";
import { answerCommand, flatLine } from "svc/core/question.ts";
import { rfc3339 } from "svc/core/time.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { notesOf } from "svc/features/jobs/note_store.ts";
import { type Decision, PERSON_RULE } from "svc/features/routing/decision_table.ts";
import { settlementOfDecision, settlementOfJob } from "svc/features/routing/settlement_store.ts";
import { answerOf } from "svc/features/tickets/answer_ticket.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import { leftOn } from "svc/runtime/job/work_elsewhere.ts";
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

export async function notesTold(db: Db, job: string) {
  return (await notesOf(db, job)).map(({ told_at, author, text, read_by }) => ({
    ...{ at: rfc3339(told_at), author, text, read_by },
  }));
}

/** @param job that was told */
export function noteLines(
  job: string,
  notes: Immutable<Awaited<ReturnType<typeof notesTold>>>,
): (readonly [string, string])[] {
  return notes.map(({ at, author, text, read_by }) => {
    const how = read_by === null ? "not read yet" : read_by === job ? "read" : `read by ${read_by}`;
    return ["note", `${author}, ${at}, ${how}: ${text}`];
  });
}

/** Another job may go on from what is committed, on any node. */
export const leftLines = (
  { left_on }: { readonly left_on: string | null },
): (readonly [string, string])[] =>
  left_on === null ? [] : [["left", `on node ${left_on}: what it had not committed`]];

export async function explained(db: Db, checkout: Asking, decision: Decision) {
  const { inputs: stored, refused, applied, at, ...rest } = decision;
  const inputs = JSON.parse(stored) as Record<string, unknown>;
  const owed = decision.rule === PERSON_RULE
    ? await settlementOfDecision(db, decision.id)
    : await settlementOfJob(db, decision.job_id);
  const job = await jobById(db, decision.job_id);
  return {
    ...await questionOf(checkout, decision, inputs),
    left_on: job && await leftOn(db, job) || null,
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

/** What a person said to the job; `read_by` is another job where it had ended before. */
export const notesShape = (zod: typeof z) =>
  zod.array(zod.strictObject({
    at: zod.string(),
    author: zod.string(),
    text: zod.string(),
    read_by: zod.string().nullable(),
  }));

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
  // In the ticket it stands in quotes, over several lines.
  return answer === null ? [] : [["answer", flatLine(answer.replaceAll(/^> ?/gm, ""))]];
}

export const explainedShape = (zod: typeof z) =>
  zod.strictObject({
    id: zod.string(),
    repo_id: zod.string(),
    job_id: zod.string(),
    at: zod.string(),
    role: zod.string(),
    ticket_id: zod.string().nullable(),
    disposition: zod.enum(DISPOSITIONS),
    rule: zod.string(),
    inputs: zod.record(zod.string(), zod.unknown()),
    refused: zod.array(zod.strictObject({ rule: zod.string(), why: zod.string() })),
    move: zod.string().nullable(),
    next_role: zod.string().nullable(),
    next_job: zod.string().nullable(),
    stop: zod.string().nullable(),
    applied: zod.boolean(),
    /** What the role asked waits in the ticket still. */
    awaits_answer: zod.boolean(),
    /** Who answered what it asked, when, and what. */
    answer: zod.string().nullable(),
    notes: notesShape(zod),
    /** The node on which work may lie that the job had not committed. */
    left_on: zod.string().nullable(),
    /** What it owed to git, and what came of that. */
    settlement: zod.strictObject({
      state: zod.enum(["pending", "done", "superseded"]),
      moves_to: zod.string().nullable(),
      reason: zod.string(),
      waits_for: zod.string().nullable(),
      outcome: zod.string().nullable(),
    }).nullable(),
  });

export function showDecision(
  decision: Immutable<z.infer<ReturnType<typeof explainedShape>>>,
  page: Page,
): void {
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
    ...leftLines(decision),
    ...noteLines(decision.job_id, decision.notes),
    ["applied", decision.applied ? "yes" : "no: a rehearsal in observer profile"],
  ]);
  page.line();
  page.line("looked at");
  page.fields(
    Object.entries(decision.inputs).map(([name, value]) => [`  ${name}`, asText(value)] as const),
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
