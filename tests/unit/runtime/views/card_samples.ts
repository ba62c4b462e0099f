/** What the rows of cards are made of. */
import type { RepoBoardFacts, ServiceFacts } from "svc/runtime/views/board_facts.ts";
import type { Card, Zone } from "svc/runtime/views/card.ts";
import { HOUR, job, NOW, REPO_ID, settlement, ticket } from "./facts.ts";

export interface Row {
  readonly what: string;
  readonly service?: Partial<ServiceFacts>;
  readonly repo: RepoBoardFacts;
  readonly zone: Zone;
  readonly why: RegExp;
  readonly action?: RegExp;
  /** Hours ago; null where nothing says since when. */
  readonly since: number | null;
  readonly more?: Partial<Card>;
}

export const begun = { state: "in-progress" } as const;
export const blocked = ticket({
  state: "blocked",
  unblock: { owner: "ada", action: "Choose a colour" },
});
export const QUESTION = {
  ...{ asked: "Which colour?", choices: ["red", "blue"], why: "nobody says", role: "engineer" },
  job: "01a1ff0d-0000-7000-8000-0000000000aa",
};
export const asking = ticket({ ...blocked, question: QUESTION });
export const of = (tickets: readonly ReturnType<typeof ticket>[]) => ({ files: { tickets } });
export const owed = (waits_for: string | null) => ({
  ...of([ticket({ state: "review" })]),
  settlements: [settlement({ waits_for })],
});
export const held = { kind: "role", key: `${REPO_ID}/engineer`, reason: "3 jobs failed" } as const;
export const lane = { ...held, category: null, paused_at: NOW - HOUR, until: null };
export const running = job({
  status: "running",
  ticket_id: "T-0001",
  lane: "local/tiny-8b at http://m/v1",
});
export const pending = (more = {}) => ({
  ...of([ticket()]),
  live: [job({ ticket_id: "T-0001", ...more })],
});
export const roled = (more: Parameters<typeof job>[0]) => {
  const one = job({ role: "qa", status: "completed", ...more });
  return { ofRole: new Map([[one.role, one]]) };
};
export const worked = (state: "backlog" | "in-progress", more: Parameters<typeof job>[0]) => ({
  ...of([ticket({ state })]),
  ofTicket: new Map([["T-0001", job({ ticket_id: "T-0001", ...more })]]),
});
