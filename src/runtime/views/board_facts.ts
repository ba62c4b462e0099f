/** The stored facts behind the cards of the board and the graph of roles: few queries a repo, each along an index. */
import { abilitiesIn } from "svc/core/abilities.ts";
import { CARDS_DONE_MS } from "svc/core/bounds.ts";
import type { Profile } from "svc/core/permission.ts";
import { shellWord } from "svc/core/shell_word.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { ClaimHold } from "svc/features/jobs/claim_limits.ts";
import { reachedLimits } from "svc/features/jobs/job_limit_store.ts";
import type { JobLimit } from "svc/features/jobs/job_limit_table.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { liveJobs, newestOfTickets, newestWithoutTicket } from "svc/features/jobs/job_views.ts";
import { pausedLanes } from "svc/features/jobs/lane_store.ts";
import type { Lane } from "svc/features/jobs/lane_table.ts";
import { claimState } from "svc/features/jobs/queue_store.ts";
import { listNodes } from "svc/features/nodes/node_store.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { RouteCount } from "svc/features/routing/decision_store.ts";
import { blocksOf, pendingSettlements } from "svc/features/routing/settlement_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import { turnEvents } from "svc/features/telemetry/event_views.ts";
import { trustRecords } from "svc/features/trust/trust_store.ts";
import type { TrustRecord } from "svc/features/trust/trust_table.ts";
import type { Home } from "svc/platform/home.ts";
import type { ActionGround } from "svc/runtime/inbox/actions.ts";
import { modelsToChoose } from "svc/runtime/inbox/next_job.ts";
import { type LimitFlags, limitsOf } from "svc/runtime/job/limits.ts";
import { ticketUse } from "svc/runtime/run/pick_ticket.ts";
import type { Condition, ServiceStatus } from "svc/runtime/service/plan.ts";
import { databasePath } from "svc/store/database_path.ts";
import type { Db } from "svc/store/schema.ts";
import type { BoardFiles } from "./repo_files.ts";
import { talliesOf, type TallyCache } from "./tallies.ts";
import { basenameOf, type ViewPorts } from "./view_ports.ts";

const BLOCKS_LOOKED_AT = 500;

export interface JobProgress {
  readonly turn: number;
  readonly maxTurns: number | null;
  /** Known only for jobs of this process. */
  readonly step: string | null;
  readonly tokens: number;
}

type ClaimFacts =
  | { readonly kind: "claiming" }
  | { readonly kind: "paused"; readonly reason: string; readonly since: number }
  /** svc cannot claim: a full disk, a database that fails. */
  | { readonly kind: "stuck"; readonly reason: string };

export interface ServiceFacts {
  readonly now: number;
  readonly profile: Profile;
  readonly condition: Condition;
  readonly concurrency: number;
  readonly busy: number;
  readonly claims: ClaimFacts;
  readonly lanes: readonly Lane[];
  readonly holds: readonly ClaimHold[];
  /** Limits on how many jobs run that leave no room now. */
  readonly reached: readonly JobLimit[];
  /** What each node of the team can do; none where the database is a file. */
  readonly abilities: readonly (readonly string[])[];
  /** That commands name the database with; "" where it is the repo's own. */
  readonly dbFlag: string;
  /** That a person may choose from, as `--model-endpoint` takes them. */
  readonly models: readonly string[];
}

export interface RepoBoardFacts {
  readonly id: string;
  readonly name: string;
  readonly ground: ActionGround;
  readonly files: BoardFiles;
  /** Pending and running jobs, oldest first. */
  readonly live: readonly Job[];
  readonly progress: ReadonlyMap<string, JobProgress>;
  readonly ofTicket: ReadonlyMap<string, Job>;
  readonly ofRole: ReadonlyMap<string, Job>;
  readonly settlements: readonly Settlement[];
  readonly blocks: ReadonlyMap<string, Settlement>;
}

export interface RoleFacts {
  readonly trust: readonly TrustRecord[];
  readonly routes: readonly RouteCount[];
  readonly scores: ReadonlyMap<string, { readonly score: number | null; readonly samples: number }>;
}

async function claimsOf(
  db: Db,
  status: Pick<ServiceSaid, "claims" | "reason">,
): Promise<ClaimFacts> {
  const stored = await claimState(db);
  if (stored.paused) return { kind: "paused", reason: stored.reason, since: stored.since };
  // The status may be slightly out of date, and still show a pause that has ended.
  const { claims, reason = "it is not said why" } = status;
  return claims === "claiming" ? { kind: "claiming" } : { kind: "stuck", reason };
}

/** A command finds the database of its repo by itself; any other is named. */
async function dbFlagOf(db: Db, home: Pick<Home, "db">): Promise<string> {
  const path = await databasePath(db);
  return path === undefined || path.startsWith(`${home.db}/`) ? "" : ` --db ${shellWord(path)}`;
}

type ServiceSaid =
  & Pick<ServiceStatus, "claims" | "concurrency" | "condition" | "holds" | "profile">
  & {
    readonly reason: string | undefined;
    readonly running: readonly unknown[];
  };

export async function serviceFacts(
  { db, home }: Pick<ViewPorts, "db" | "home">,
  status: ServiceSaid,
  now: number,
): Promise<ServiceFacts> {
  const { profile, condition, concurrency, running, holds } = status;
  const [claims, lanes, models, dbFlag, reached, nodes] = await Promise.all([
    claimsOf(db, status),
    pausedLanes(db, now),
    modelsToChoose(db),
    dbFlagOf(db, home),
    reachedLimits(db),
    listNodes(db, now),
  ]);
  const there = nodes.filter(({ ended_at }) => ended_at === null);
  return {
    ...{ now, profile, condition, concurrency, claims, lanes, holds, models, dbFlag, reached },
    abilities: there.map(({ abilities }) => abilitiesIn(abilities)),
    busy: running.length,
  };
}

/** Covers jobs of other processes too: each turn is stored as an event. */
async function progressOf(
  db: Db,
  running: readonly Job[],
  { status, files, flags }: FactSources,
): Promise<ReadonlyMap<string, JobProgress>> {
  const turns = new Map<string, Map<number, number>>();
  const asked = running.map(({ id, started_at }) => ({ id, since: started_at! }));
  for (const { job_id, turn, tokens } of await turnEvents(db, asked)) {
    const of = turns.get(job_id) ?? new Map<number, number>();
    turns.set(job_id, of.set(turn, tokens));
  }
  return new Map(running.map(({ id, role }) => {
    const own = status.running.find(({ job }) => job === id);
    const told = turns.get(id) ?? new Map<number, number>();
    const definition = files.manifest?.roles[role];
    const last = Math.max(0, ...told.keys());
    return [id, {
      turn: Math.max(own?.turn ?? 0, last),
      maxTurns: definition === undefined ? null : limitsOf(definition, flags, true).maxTurns,
      step: own === undefined || own.step === "" ? null : own.step,
      tokens: [...told.values()].reduce((sum, tokens) => sum + tokens, 0),
    }];
  }));
}

interface FactSources {
  readonly status: Pick<ServiceStatus, "running">;
  readonly service: Pick<ServiceFacts, "dbFlag" | "models">;
  /** ` --repo …` where commands are not typed in the repo's folder. */
  readonly repoFlag?: string;
  readonly files: BoardFiles;
  readonly flags: LimitFlags;
  readonly now: number;
}

function rolesByUse(manifest: Manifest | undefined): Pick<ActionGround, "judges" | "works"> {
  const roles = Object.entries(manifest?.roles ?? {});
  const named = (use: string) =>
    roles.filter(([, role]) => ticketUse(role) === use).map(([name]) => name);
  return { works: named("works"), judges: named("judges") };
}

export async function repoFacts(
  db: Db,
  { id, path }: RegisteredRepo,
  reading: FactSources,
): Promise<RepoBoardFacts> {
  const { files, now, service: { dbFlag, models }, repoFlag = "" } = reading;
  const { tickets, manifest } = files;
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
    ground: { repoId: id, repoFlag, dbFlag, models, ...rolesByUse(manifest) },
    files,
    live,
    settlements,
    progress: await progressOf(db, live.filter(({ status }) => status === "running"), reading),
    ofTicket: new Map(ofTicket.map((job) => [job.ticket_id!, job])),
    ofRole: new Map(ofRole.map((job) => [job.role, job])),
    blocks: new Map(blocks.toReversed().map((block) => [block.ticket_id!, block])),
  };
}

export async function roleFacts(
  db: Db,
  repoId: string,
  { files, now, mark }: Pick<FactSources, "files" | "now"> & {
    /** As `NewestChange` tells it. */
    readonly mark: number;
  },
  tallies: TallyCache,
): Promise<RoleFacts> {
  const roles = Object.keys(files.manifest?.roles ?? {});
  const { routes, scores } = await talliesOf(db, { repoId, roles, now, mark }, tallies);
  return { trust: await trustRecords(db, repoId), routes, scores };
}
