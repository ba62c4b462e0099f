/** The stored facts that the cards of a board and the graph of its roles are made of; nothing of it reads or writes. */
import type { Profile } from "svc/core/permission.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { Lane } from "svc/features/jobs/lane_table.ts";
import type { RouteCount } from "svc/features/routing/decision_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import type { TrustRecord } from "svc/features/trust/trust_table.ts";
import type { Condition } from "svc/runtime/service/plan.ts";
import type { RepoFiles } from "./repo_files.ts";

/** How far a job that runs has come. */
export interface Progress {
  /** Turns that are over. */
  readonly turn: number;
  readonly maxTurns: number | null;
  /** Known for jobs of this process alone. */
  readonly step: string | null;
  readonly tokens: number;
}

export type Claims =
  | { readonly kind: "claiming" }
  /** A person did. @param since epoch ms */
  | { readonly kind: "paused"; readonly reason: string; readonly since: number }
  /** svc cannot: a full disk, a database that fails. */
  | { readonly kind: "stuck"; readonly reason: string };

/** Of the whole service. */
export interface ServiceFacts {
  /** Epoch ms. */
  readonly now: number;
  readonly profile: Profile;
  readonly condition: Condition;
  readonly concurrency: number;
  /** Workers of this process that run a job. */
  readonly busy: number;
  readonly claims: Claims;
  /** Paused ones. */
  readonly lanes: readonly Lane[];
}

export interface RepoFacts {
  readonly id: string;
  /** Last part of its path. */
  readonly name: string;
  readonly files: RepoFiles;
  /** Pending and running ones, oldest first. */
  readonly live: readonly Job[];
  /** Of those that run. */
  readonly progress: ReadonlyMap<string, Progress>;
  /** Newest job of each ticket that is not done, or became so lately. */
  readonly ofTicket: ReadonlyMap<string, Job>;
  /** Newest job without a ticket of each role. */
  readonly ofRole: ReadonlyMap<string, Job>;
  /** Pending ones. */
  readonly settlements: readonly Settlement[];
  /** Newest move to blocked of each ticket. */
  readonly blocks: ReadonlyMap<string, Settlement>;
}

/** What a graph of roles shows besides. */
export interface RoleFacts {
  readonly trust: readonly TrustRecord[];
  /** Of the last seven days. */
  readonly routes: readonly RouteCount[];
  readonly scores: ReadonlyMap<string, { readonly score: number | null; readonly samples: number }>;
}
