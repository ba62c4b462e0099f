/** A card of the board from what it is about; what is not said of it is null. Pure. */
import { rfc3339 } from "svc/core/time.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { Progress, RepoFacts } from "./board_facts.ts";
import type { Card, Zone } from "./shapes.ts";

/** Where a card stands, why, and what is to be done about it. */
export interface Place {
  readonly zone: Zone;
  readonly why: string;
  readonly action?: string | null;
  /** Epoch ms. */
  readonly since: number | null;
}

export interface About {
  readonly key: string;
  readonly title: string;
  /** Undefined for what is of no repo. */
  readonly repo: Pick<RepoFacts, "id" | "name"> | undefined;
  readonly ticket?: Ticket;
  readonly job?: Job | undefined;
  readonly progress?: Progress | undefined;
}

/** The model by name, for a job that has not ended too: its lane is "<provider>/<model> at <endpoint>". */
export function modelOf({ model, lane, evidence }: Job): string | null {
  // A script must never pass for a model.
  if (model !== null) return evidence === "fixture" ? `${model} (fixture)` : model;
  if (lane === null) return null;
  return /^[^/]+\/(.+) at \S+$/.exec(lane)?.[1] ?? null;
}

/** One line that fits a card. */
export const short = (text: string, chars = 300) => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= chars ? line : `${line.slice(0, chars)}…`;
};

export function cardOf(
  { key, title, repo, ticket, job, progress }: About,
  { zone, why, action = null, since }: Place,
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
    since: since === null ? null : rfc3339(since),
  };
}
