/** The front matter of a ticket. It says everything but the state: that is the folder the file lies in. */
import { z } from "zod";
import type { Question } from "svc/core/question.ts";
import { PRIORITIES, TICKET_TYPES } from "./ticket_names.ts";

const TICKET_ID = /^T-(?:\d{4}|[1-9]\d{4,8})$/;
const ID = z.string('must look like "T-0007"').regex(TICKET_ID, 'must look like "T-0007"');
const TEXT = z.string({
  error: ({ input }) => input === undefined ? "is missing" : "must be text",
}).min(1, "must not be empty");
const TIME = z.iso.datetime({
  offset: true,
  error: "must be a time with its zone, such as 2026-11-21T10:00:00Z",
});
const COUNT = z.int("must be a whole number").min(0, "must not be negative");
const SOURCE = z.string("must be text").regex(
  /^(?:human|scores|(?:scan|webhook|telemetry|agent):\S+)$/,
  "must be one of human, scores, scan:<rule>, webhook:<provider>, telemetry:<pattern>, agent:<role>",
);

const Unblock = z.object({ owner: TEXT, action: TEXT });

const AskedBack: z.ZodType<Question> = z.object({
  asked: TEXT,
  choices: z.array(TEXT).nullish().transform((value) => value ?? []),
  why: z.string("must be text").nullish().transform((value) => value ?? ""),
  role: TEXT,
  job: TEXT,
});

/** A key without a value is null in YAML and counts as absent. */
const optional = <T extends z.ZodType>(type: T) =>
  type.nullish().transform((value) => value ?? undefined);
const listOf = <T extends z.ZodType>(type: T) =>
  z.array(type).nullish().transform((value): readonly z.infer<T>[] => value ?? []);

export const TicketFront = z.looseObject({
  id: ID,
  title: TEXT,
  type: z.enum(TICKET_TYPES),
  priority: z.enum(PRIORITIES),
  /** A role of the manifest. */
  role: TEXT,
  created: TIME,
  updated: optional(TIME),
  source: SOURCE,
  /** The person who moved a ticket from outside: since then it counts as requested by a person. */
  vouched: optional(TEXT),
  /** The same for two reports of one thing. */
  fingerprint: optional(TEXT),
  depends_on: listOf(ID),
  acceptance: listOf(TEXT),
  unblock: optional(Unblock),
  /** Set while a role's question waits for an answer; the ticket is blocked meanwhile. */
  question: optional(AskedBack),
  rework: COUNT.nullish().transform((value) => value ?? 0),
  /** Runs that ended without a result. */
  attempts: COUNT.nullish().transform((value) => value ?? 0),
  branch: optional(TEXT),
  external_url: optional(TEXT),
});

export const TICKET_KEYS = Object.keys(TicketFront.shape);

type FrontValues = {
  [Key in keyof typeof TicketFront.shape]: z.infer<typeof TicketFront.shape[Key]>;
};
type OptionalKey = "vouched" | "fingerprint" | "unblock" | "question" | "branch" | "external_url";

/** Times are RFC 3339. */
export type TicketFields =
  & Readonly<Omit<FrontValues, OptionalKey | "updated">>
  & { readonly updated: string }
  & { readonly [Key in OptionalKey]?: NonNullable<FrontValues[Key]> };

/** Leaves out unknown keys, and those without a value. */
export function fieldsOf(front: z.infer<typeof TicketFront>): TicketFields {
  const all: Record<string, unknown> = { ...front, updated: front.updated ?? front.created };
  const given = TICKET_KEYS.filter((key) => all[key] !== undefined);
  return Object.fromEntries(given.map((key) => [key, all[key]])) as TicketFields;
}
