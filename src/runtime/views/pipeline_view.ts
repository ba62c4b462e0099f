/** `GET /api/pipeline`: the service, its repos with their roles, and a card for everything that is going on. */
import { statesOf } from "svc/core/machine.ts";
import { rfc3339 } from "svc/core/time.ts";
import { jobMachine } from "svc/features/jobs/job_machine.ts";
import { countsByStatus } from "svc/features/jobs/job_views.ts";
import { undoable } from "svc/runtime/inbox/undoable.ts";
import type { Db } from "svc/store/schema.ts";
import type { RepoBoardFacts, ServiceFacts } from "./board_facts.ts";
import { type Card, cardShape, type Zone, ZONES } from "./card.ts";
import { faultCards } from "./fault_cards.ts";
import { jobCards } from "./job_cards.ts";
import { nodeShape } from "./node_item.ts";
import { dashboardRead } from "./read.ts";
import { readBoards, repoBoardShape } from "./repo_boards.ts";
import { count, type ShapeOf, time, type Z } from "./shape.ts";
import { ticketCards } from "./ticket_cards.ts";
import type { Scope } from "./view_ports.ts";

/** Cards of one zone; a person who sees fifty wants a filter, not more of them. */
export const CARDS_A_ZONE = 50;

const pipelineShape = (z: Z) =>
  z.strictObject({
    as_of: time(z),
    shape: z.enum(["start", "serve"]),
    profile: z.enum(["observer", "host"]),
    condition: z.enum(["starting", "running", "restarting", "stopping", "stopped"]),
    claims: z.enum(["claiming", "paused"]),
    reason: z.string().nullable(),
    /** What a limit of the day says that holds back every new job; null when none does. */
    held: z.string().nullable(),
    started_at: time(z),
    concurrency: count(z),
    /** The machines of the team; absent where the database is a file. */
    nodes: z.array(nodeShape(z)).optional(),
    jobs: z.record(z.enum(statesOf(jobMachine)), count(z)),
    repos: z.array(repoBoardShape(z)),
    cards: z.array(cardShape(z)),
    totals: z.record(z.enum(ZONES), count(z)),
    /** What people decided a moment ago, and can still take back; newest first. */
    decided: z.array(z.strictObject({
      decision_id: z.string(),
      at: time(z),
      until: time(z),
      repo_id: z.string(),
      ticket_id: z.string().nullable(),
      by: z.string(),
      said: z.string(),
      undo: z.string(),
      command: z.string(),
    })),
  });
export type Pipeline = ShapeOf<typeof pipelineShape>;

/** Oldest first, except the done ones: newest first. Cards without a time come last. */
function byAge(zone: Zone): (a: Card, b: Card) => number {
  const at = ({ since }: Card) => since === null ? Infinity : Date.parse(since);
  return (a, b) => {
    const age = zone === "done" ? at(b) - at(a) : at(a) - at(b);
    return (Number.isNaN(age) ? 0 : age) || (a.key < b.key ? -1 : 1);
  };
}

/** Each card is in exactly one zone: what needs a person is never shown as broken. Pure. @param most of a zone */
export function cardsOf(
  service: ServiceFacts,
  repos: readonly RepoBoardFacts[],
  most = CARDS_A_ZONE,
): Pick<Pipeline, "cards" | "totals"> {
  const all = [
    ...faultCards(service, repos),
    ...repos.flatMap((repo) => {
      const cards = ticketCards(repo, service);
      const shown = new Set(cards.flatMap(({ ticket_id }) => ticket_id ?? []));
      return [...cards, ...jobCards(repo, service, shown)];
    }),
  ];
  const zones = ZONES.map((zone) => all.filter((card) => card.zone === zone).sort(byAge(zone)));
  return {
    cards: zones.flatMap((cards) => cards.slice(0, most)),
    totals: Object.fromEntries(
      ZONES.map((zone, at) => [zone, zones[at]!.length]),
    ) as Record<Zone, number>,
  };
}

async function decidedOf(
  db: Db,
  { repos }: Pick<Scope, "repos">,
  { now, service: { dbFlag } }: { readonly now: number; readonly service: ServiceFacts },
): Promise<Pipeline["decided"]> {
  const found = await Promise.all(repos.map(({ id }) => undoable(db, id, now)));
  return found.flat().sort((a, b) => b.decision.at - a.decision.at).map((one) => ({
    decision_id: one.decision.id,
    at: rfc3339(one.decision.at),
    until: rfc3339(one.until),
    repo_id: one.decision.repo_id,
    ticket_id: one.decision.ticket_id,
    ...{ by: one.by, said: one.said, undo: one.undo },
    command: `svc inbox undo ${one.decision.id}${dbFlag}`,
  }));
}

export const pipelineRead = dashboardRead({
  name: "pipeline",
  about: "Everything that waits, works, fails or is done.",
  query: {},
  shape: pipelineShape,
  async read({ ports, board, scope }): Promise<Pipeline> {
    const { status, service, repos, boards, asOf } = await readBoards(ports, board, scope);
    const jobs = { pending: 0, running: 0, completed: 0, failed: 0 };
    for (const { id } of scope.repos) {
      const counts = await countsByStatus(ports.db, id);
      for (const state of statesOf(jobMachine)) jobs[state] += counts[state];
    }
    const { claims } = service;
    const { nodes = [] } = status;
    return {
      as_of: rfc3339(asOf),
      shape: status.shape,
      profile: status.profile === "host" ? "host" : "observer",
      condition: status.condition,
      claims: claims.kind === "claiming" ? "claiming" : "paused",
      reason: claims.kind === "claiming" ? null : claims.reason,
      held: service.holds.find(({ scope }) => scope === "day")?.says ?? null,
      started_at: rfc3339(status.startedAt),
      concurrency: status.concurrency,
      ...(nodes.length > 0 && { nodes: [...nodes] }),
      jobs,
      repos: boards,
      ...cardsOf(service, repos),
      decided: await decidedOf(ports.db, scope, { now: ports.clock.now(), service }),
    };
  },
});
