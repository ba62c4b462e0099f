/** Makes a card of the board; fields without a value are null. Pure. */
import { rfc3339 } from "svc/core/time.ts";
import { shortened } from "svc/core/shortened.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { JobProgress, RepoBoardFacts } from "./board_facts.ts";
import { actionShape, type InboxAction } from "./action_shape.ts";
import { count, type ShapeOf, time, type Z } from "./shape.ts";

/** Who or what a card waits for: `needs_you` waits for a person, `failing` is broken. */
export const ZONES = ["needs_you", "failing", "waiting", "working", "done"] as const;
export type Zone = typeof ZONES[number];

export const questionShape = (z: Z) =>
  z.strictObject({
    asked: z.string(),
    choices: z.array(z.string()),
    why: z.string(),
    role: z.string(),
    job_id: z.string(),
  });

export function questionItem(
  { question }: Pick<Ticket, "question">,
): ShapeOf<typeof questionShape> | null {
  if (question === undefined) return null;
  const { asked, choices, why, role, job } = question;
  return { asked, choices: [...choices], why, role, job_id: job };
}

export const cardShape = (z: Z) =>
  z.strictObject({
    /** Unique on the page and the same from one answer to the next. */
    key: z.string(),
    zone: z.enum(ZONES),
    repo_id: z.string(),
    repo: z.string(),
    ticket_id: z.string().nullable(),
    title: z.string(),
    ticket_state: z.string().nullable(),
    priority: z.string().nullable(),
    job_id: z.string().nullable(),
    role: z.string().nullable(),
    model: z.string().nullable(),
    /** This and the next three are null unless its job runs. */
    turn: count(z).nullable(),
    max_turns: count(z).nullable(),
    step: z.string().nullable(),
    tokens: count(z).nullable(),
    why: z.string(),
    action: z.string().nullable(),
    /** What settles it, the likeliest first. */
    actions: z.array(actionShape(z)),
    /** What a role asks; its answer lets the ticket go on. */
    question: questionShape(z).nullable(),
    since: time(z).nullable(),
  });
export type Card = ShapeOf<typeof cardShape>;

export interface CardPlace {
  readonly zone: Zone;
  readonly why: string;
  readonly action?: string | null;
  readonly actions?: readonly InboxAction[];
  /** Epoch ms. */
  readonly since: number | null;
}

interface CardSubject {
  readonly key: string;
  readonly title: string;
  /** Undefined for the service itself and for models. */
  readonly repo: Pick<RepoBoardFacts, "id" | "name"> | undefined;
  readonly ticket?: Ticket;
  readonly job?: Job | undefined;
  readonly progress?: JobProgress | undefined;
}

function modelOf({ model, lane, evidence }: Job): string | null {
  // A scripted model must never pass for a real one.
  if (model !== null) return evidence === "fixture" ? `${model} (fixture)` : model;
  if (lane === null) return null;
  return /^[^/]+\/(.+) at \S+$/.exec(lane)?.[1] ?? null;
}

export const short = (text: string, chars = 300) => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return shortened(line, chars);
};

export function cardOf(
  { key, title, repo, ticket, job, progress }: CardSubject,
  { zone, why, action = null, actions = [], since }: CardPlace,
): Card {
  return {
    key,
    zone,
    repo_id: repo?.id ?? "",
    repo: repo?.name ?? "",
    ticket_id: ticket?.id ?? job?.ticket_id ?? null,
    title: short(title, 200),
    ticket_state: ticket?.state ?? null,
    priority: ticket?.priority ?? null,
    job_id: job?.id ?? null,
    role: job?.role ?? ticket?.role ?? null,
    model: job === undefined ? null : modelOf(job),
    turn: progress?.turn ?? null,
    max_turns: progress?.maxTurns ?? null,
    step: progress?.step ?? null,
    tokens: progress?.tokens ?? null,
    why: short(why),
    action: action === null ? null : short(action),
    actions: [...actions],
    question: ticket?.state === "blocked" ? questionItem(ticket) : null,
    since: since === null ? null : rfc3339(since),
  };
}
