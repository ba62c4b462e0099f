/** What each stored event tells: the shapes behind the dashboard's stream, the lines of `--json` and their documents. */
import type { z as Zod } from "zod";
import { DISPOSITIONS, FAILURE_CATEGORIES } from "svc/core/disposition.ts";
import type { EventType } from "./event_table.ts";

type Z = typeof Zod;

export interface EventDeclaration {
  readonly about: string;
  data(z: Z): Zod.ZodObject;
}

const job = (z: Z) => ({
  id: z.string(),
  repo_id: z.string(),
  role: z.string(),
  ticket_id: z.string().nullable(),
});

export const EVENT_SHAPES: Readonly<Record<EventType, EventDeclaration>> = {
  status_change: {
    about: "The service, or whether it claims jobs, has changed.",
    data: (z) =>
      z.strictObject({
        state: z.enum([
          ...["claiming", "paused", "running", "restarting", "emergency_stop"] as const,
          ...["stopping", "stopped"] as const,
        ]),
        claims: z.enum(["claiming", "paused"]).optional(),
        reason: z.string().nullable().optional(),
      }),
  },
  scan_complete: {
    about: "A scan of a repo has ended.",
    data: (z) =>
      z.strictObject({
        scan: z.string(),
        repo_id: z.string(),
        findings: z.int(),
        created: z.int(),
        deduplicated: z.int(),
        stale: z.int(),
      }),
  },
  job_update: {
    about: "A job was queued, began, was told something, was given back, or ended.",
    data: (z) =>
      z.strictObject({
        ...job(z),
        status: z.enum(["pending", "running", "completed", "failed"]),
        disposition: z.enum(DISPOSITIONS).optional(),
        /** When a job was queued. */
        trigger: z.string().optional(),
        /** When a job was cancelled, held back or given back. */
        reason: z.string().optional(),
        cancel_requested: z.literal(true).optional(),
        /** Its worker was lost. */
        rescued: z.literal(true).optional(),
        /** Id of the note. */
        told: z.string().optional(),
        /** The model whose jobs wait. */
        held_back: z.string().optional(),
        /** When a job began, in a team: id of the node. */
        node: z.string().optional(),
      }),
  },
  job_turn: {
    about: "A model has answered, and its calls are done.",
    data: (z) =>
      z.strictObject({
        ...job(z),
        turn: z.int(),
        tokens_in: z.int(),
        tokens_out: z.int(),
        tools: z.array(z.string()),
      }),
  },
  ticket_update: {
    about: "A ticket has moved, or was written.",
    data: (z) =>
      z.looseObject({
        repo_id: z.string(),
        ticket_id: z.string().nullable(),
        from: z.string().nullable().optional(),
        to: z.string().nullable().optional(),
      }),
  },
  decision: {
    about: "What follows a job was decided.",
    data: (z) =>
      z.looseObject({
        id: z.string(),
        rule: z.string(),
        role: z.string(),
        disposition: z.enum(DISPOSITIONS),
        ticket_id: z.string().nullable(),
      }),
  },
  telemetry: {
    about: "A job failed in a way that reports count.",
    data: (z) =>
      z.strictObject({
        category: z.enum(FAILURE_CATEGORIES),
        role: z.string(),
        repo_id: z.string(),
      }),
  },
  trust_change: {
    about: "A role is trusted more, or less.",
    data: (z) =>
      z.strictObject({
        role: z.string(),
        from: z.string(),
        to: z.string(),
        automatic: z.boolean(),
      }),
  },
  score_update: {
    about: "The score of a role was computed anew.",
    data: (z) =>
      z.strictObject({
        repo_id: z.string(),
        role: z.string(),
        score: z.number().nullable(),
        samples: z.int(),
      }),
  },
};
