/** Stores what a person decided, as a decision of the rule "person", and broadcasts it. */
import type { Disposition } from "svc/core/disposition.ts";
import { sha256 } from "svc/core/digest.ts";
import { uuidV7 } from "svc/core/ids.ts";
import type { Question } from "svc/core/question.ts";
import { Failure } from "svc/core/failure.ts";
import { type Redact, redactedJson } from "svc/core/redact.ts";
import { rfc3339 } from "svc/core/time.ts";
import { newestJobsOf } from "svc/features/jobs/job_views.ts";
import {
  personDecisions,
  personDecisionsOn,
  personDecisionsSaying,
  recordDecision,
} from "svc/features/routing/decision_store.ts";
import { type Decision, PERSON_RULE } from "svc/features/routing/decision_table.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import type { Db } from "svc/store/schema.ts";
import type { NamedAct } from "./act_context.ts";
import type { PersonAct, PersonActed } from "./person_act.ts";

/**
 * How long a request is recognised when it is repeated: a page that lost its connection asks again within
 * minutes.
 */
const REQUEST_KNOWN_MS = 24 * 60 * 60 * 1000;

const DIGEST_CHARS = 16;

const DECISIONS_LOOKED_AT = 200;

const PERSON_ROLE = "person";

/** Stored as the decision's inputs. */
export interface PersonInputs {
  readonly act: PersonAct["act"] | "answer";
  readonly by: string;
  /** Redacted. */
  readonly said?: string;
  readonly request?: string;
  readonly digest?: string;
  readonly outcome: string;
  readonly undo?: string;
  /** Id of the decision that this one takes back. */
  readonly undoes?: string;
  readonly [fact: string]: unknown;
}

interface NewPersonDecision {
  readonly id: string;
  readonly repoId: string;
  readonly ticket?: string | undefined;
  readonly disposition: Disposition;
  readonly inputs: PersonInputs;
  readonly move?: string | undefined;
  readonly next?: { readonly role: string; readonly job: string } | undefined;
  readonly stop?: string | undefined;
}

export const newDecisionId = (now: number) => uuidV7(now);

/** Call it in the transaction that makes the change. */
export async function recordPersonDecision(
  db: Db,
  { id, repoId, ticket, disposition, inputs, move, next, stop }: NewPersonDecision,
  { now, redact }: { readonly now: number; readonly redact: Redact },
): Promise<void> {
  const [job] = ticket === undefined ? [] : await newestJobsOf(db, repoId, ticket, 1);
  await recordDecision(db, {
    ...{ id, repo_id: repoId, job_id: job?.id ?? id, at: now, role: PERSON_ROLE },
    ...{ ticket_id: ticket ?? null, disposition, rule: PERSON_RULE, refused: "[]", applied: 1 },
    inputs: redactedJson(inputs, redact),
    move: move ?? null,
    next_role: next?.role ?? null,
    next_job: next?.job ?? null,
    stop: stop ?? null,
  });
  const said = { id, rule: PERSON_RULE, role: PERSON_ROLE, disposition, ticket_id: ticket ?? null };
  await recordEvent(db, { type: "decision", repoId, data: said }, now);
}

/** Call it in the transaction that tells of the answer. */
export async function recordAnswer(
  db: Db,
  repoId: string,
  { ticket, by, question, said }: {
    readonly ticket: string;
    readonly by: string;
    readonly question: Question;
    readonly said: string;
  },
  storing: { readonly now: number; readonly redact: Redact },
): Promise<void> {
  const outcome = `${ticket}: blocked → backlog; its next role reads the answer`;
  await recordPersonDecision(db, {
    ...{ id: newDecisionId(storing.now), repoId, ticket, disposition: "routed" },
    inputs: { act: "answer", by, outcome, said, asked: question.asked, of: question.job },
    move: "blocked → backlog",
  }, storing);
}

export const inputsOf = ({ inputs }: Pick<Decision, "inputs">) =>
  JSON.parse(inputs) as PersonInputs;

/**
 * Everything that the act asks for. What the person saw is left out: a page that asks again may already see the
 * act's own outcome.
 */
export async function namedAct(
  { request, ...asked }: PersonAct & { readonly seen?: string | undefined },
): Promise<NamedAct> {
  if (request === undefined) return {};
  const entries = Object.entries({ ...asked, seen: undefined })
    .filter(([, value]) => value !== undefined);
  const digest = await sha256(new TextEncoder().encode(JSON.stringify(entries.sort())));
  return { request, digest: digest.slice(0, DIGEST_CHARS) };
}

/** A name stands for one act, wherever it was given. */
export const namedBefore = (doing: string, request: string, what: string) =>
  new Failure("conflict", `Cannot ${doing}: its request ${request} named another act (${what})`, {
    remedy: "Give each act a request of its own, such as a UUID, or none",
  });

/** The decision of an act that had this name, in any repo. */
export async function decisionNamed(
  db: Db,
  request: string,
  now: number,
): Promise<Decision | undefined> {
  const known = await personDecisionsSaying(db, request, now - REQUEST_KNOWN_MS);
  return known.find((one) => inputsOf(one).request === request);
}

/**
 * The outcome of a request that was carried out before.
 * @throws Failure `conflict` where it named another act, which must not pass for this one
 */
export async function actedBefore(
  db: Db,
  { request, digest }: NamedAct,
  now: number,
): Promise<PersonActed | undefined> {
  const found = request === undefined ? undefined : await decisionNamed(db, request, now);
  if (found === undefined) return undefined;
  const { outcome, undo, ...before } = inputsOf(found);
  if (before.digest !== digest) throw namedBefore("carry that out", request!, outcome);
  return { decision: found.id, existed: true, said: outcome, undo };
}

/** Whether another decision took it back. */
export async function undoneBy(db: Db, decision: Decision): Promise<Decision | undefined> {
  const later = await personDecisions(db, decision.repo_id, {
    since: decision.at,
    limit: DECISIONS_LOOKED_AT,
  });
  return later.find((one) => inputsOf(one).undoes === decision.id);
}

const DONE: Readonly<Record<PersonInputs["act"], string>> = {
  "unblock": "unblocked it",
  "assign": "chose who goes on with it",
  "approve": "approved it",
  "send-back": "sent it back",
  "answer": "answered it",
  "undo": "took a decision about it back",
  "resume-role": "let the role go on",
  "resume-model": "let the model go on",
  "waive-checks": "let unchecked work in",
  "recheck": "looked at it",
};

/** Such as `: Ada unblocked it at 2026-11-23T02:40:00.000Z`; "" where no person decided anything. */
export async function lastDecided(db: Db, repoId: string, ticket: string): Promise<string> {
  const [last] = await personDecisionsOn(db, repoId, ticket, 1);
  if (last === undefined) return "";
  const { by, act } = inputsOf(last);
  return `: ${by} ${DONE[act]} at ${rfc3339(last.at)}`;
}
