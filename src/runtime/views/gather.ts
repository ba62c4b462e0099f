/** Reads the facts of the board: few queries a repo, each along an index, and the repo's files. */
import { CARDS_DONE_MS } from "svc/core/bounds.ts";
import { liveJobs, newestOfTickets, newestWithoutTicket } from "svc/features/jobs/job_views.ts";
import { pausedLanes } from "svc/features/jobs/lane_store.ts";
import { claimState } from "svc/features/jobs/queue_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { Repo } from "svc/features/repos/repo_table.ts";
import { routeCounts } from "svc/features/routing/decision_store.ts";
import { blocksOf, pendingSettlements } from "svc/features/routing/settlement_store.ts";
import { readScores } from "svc/features/scores/read_scores.ts";
import { turnEvents } from "svc/features/telemetry/turn_events.ts";
import { trustRecords } from "svc/features/trust/trust_store.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Db } from "svc/store/schema.ts";
import { type LimitFlags, limitsOf } from "svc/runtime/job/limits.ts";
import type { ServiceStatus } from "svc/runtime/service/plan.ts";
import type { Claims, Progress, RepoFacts, RoleFacts, ServiceFacts } from "./board_facts.ts";
import { Kept } from "./kept.ts";
import { newestChange } from "./newest_change.ts";
import type { RepoFiles } from "./repo_files.ts";
import { basenameOf } from "./view_ports.ts";

/** Newest moves to blocked among which those of the tickets on the board are looked for. */
const BLOCKS_LOOKED_AT = 500;

/** Routes count how often they were followed within this time: 7 days. */
const ROUTES_TAKEN_MS = 7 * 24 * 60 * 60 * 1000;

/** Scores and counts of routes are counted again within this time, though nothing was decided: their windows move. */
const TALLIES_FRESH_MS = 60_000;

async function claimsOf(db: Db, status: ServiceStatus): Promise<Claims> {
  const stored = await claimState(db);
  if (stored.paused) return { kind: "paused", reason: stored.reason, since: stored.since };
  // The status of a moment ago may still tell of a pause that is over.
  const { claims, reason = "it is not said why" } = status;
  return claims === "claiming" ? { kind: "claiming" } : { kind: "stuck", reason };
}

export async function serviceFacts(
  db: Db,
  status: ServiceStatus,
  now: number,
): Promise<ServiceFacts> {
  const { profile, condition, concurrency, running } = status;
  const [claims, lanes] = await Promise.all([claimsOf(db, status), pausedLanes(db, now)]);
  return { now, profile, condition, concurrency, busy: running.length, claims, lanes };
}

/** Of jobs of other processes too: each turn is told in an event. */
async function progressOf(
  db: Db,
  running: readonly Job[],
  { status, files, flags }: Reading,
): Promise<ReadonlyMap<string, Progress>> {
  const turns = new Map<string, Map<number, number>>();
  const asked = running.map(({ id, started_at }) => ({ id, since: started_at! }));
  for (const { job_id, turn, tokens } of await turnEvents(db, asked)) {
    const of = turns.get(job_id) ?? new Map<number, number>();
    turns.set(job_id, of.set(turn, tokens));
  }
  return new Map(running.map(({ id, role }) => {
    const own = status.running.find(({ job }) => job === id);
    const told = turns.get(id) ?? new Map<number, number>();
    const definition = files.view.manifest?.roles[role];
    const last = Math.max(0, ...told.keys());
    return [id, {
      turn: Math.max(own?.turn ?? 0, last),
      maxTurns: definition === undefined ? null : limitsOf(definition, flags).maxTurns,
      step: own === undefined || own.step === "" ? null : own.step,
      tokens: [...told.values()].reduce((sum, tokens) => sum + tokens, 0),
    }];
  }));
}

export interface Reading {
  readonly status: ServiceStatus;
  readonly files: RepoFiles;
  readonly flags: LimitFlags;
  readonly now: number;
}

export async function repoFacts(db: Db, { id, path }: Repo, reading: Reading): Promise<RepoFacts> {
  const { files, now } = reading;
  const { tickets, view: { manifest } } = files;
  const recent = tickets.filter(({ state, updated }) =>
    state !== "done" || now - Date.parse(updated) <= CARDS_DONE_MS
  );
  const [live, ofTicket, ofRole, settlements, blocks] = await Promise.all([
    liveJobs(db, id),
    newestOfTickets(db, id, recent.map((ticket) => ticket.id)),
    newestWithoutTicket(db, id, Object.keys(manifest?.roles ?? {})),
    pendingSettlements(db, id),
    blocksOf(db, id, BLOCKS_LOOKED_AT),
  ]);
  return {
    id,
    name: basenameOf(path),
    files,
    live,
    settlements,
    progress: await progressOf(db, live.filter(({ status }) => status === "running"), reading),
    ofTicket: new Map(ofTicket.map((job) => [job.ticket_id!, job])),
    ofRole: new Map(ofRole.map((job) => [job.role, job])),
    blocks: new Map(blocks.toReversed().map((block) => [block.ticket_id!, block])),
  };
}

/** Counted from thousands of rows, and the same until something is decided or settled. */
export type Tallies = Kept<Pick<RoleFacts, "routes" | "scores">>;

export function tallies(clock: Pick<Clock, "monotonic">): Tallies {
  return new Kept(clock, () => TALLIES_FRESH_MS);
}

export async function roleFacts(
  db: Db,
  repoId: string,
  { files, now }: Pick<Reading, "files" | "now">,
  kept: Tallies,
): Promise<RoleFacts> {
  const roles = Object.keys(files.view.manifest?.roles ?? {});
  const mark = await newestChange(db);
  const counted = await kept.of(`${repoId} ${roles.join()}`, mark, async () => {
    const [routes, { scores }] = await Promise.all([
      routeCounts(db, repoId, now - ROUTES_TAKEN_MS),
      readScores(db, { repoId, roles, now }),
    ]);
    return { routes, scores: new Map(scores.map((score) => [score.role, score])) };
  });
  return { trust: await trustRecords(db, repoId), ...counted };
}
