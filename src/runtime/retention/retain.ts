/** Retention of one database and of the files in the home: removes what is old and needed by nothing. */
import { forgetBaseChecks } from "svc/features/checks/base_check_store.ts";
import { endedBefore, knownAmong, type RepoNeeds } from "svc/features/retention/ended_jobs.ts";
import type { RetentionPolicy } from "svc/features/retention/policy.ts";
import { forgetRemovals } from "svc/features/retention/removal_store.ts";
import { forgetTelemetry } from "svc/features/telemetry/event_store.ts";
import { forgetReports } from "svc/features/telemetry/intake_store.ts";
import type { RemoveOwn } from "svc/platform/files/remove_below.ts";
import { retainHome } from "./home_files.ts";
import { retainJobFiles } from "./job_files.ts";
import { forgetRecords } from "./job_records.ts";
import { retainClone } from "./clones.ts";
import { retainLeftoverRefs } from "./leftover_refs.ts";
import { needsOfRepos, type NeedsPorts } from "./repo_needs.ts";
import { RetentionTally } from "./report.ts";
import { filesOfJobs, type JobFiles } from "./stored_files.ts";

/** Enough to count what would go in a dry run. */
const RECORDS_COUNTED = 1_000_000;

export type RetainPorts = NeedsPorts & { readonly removeOwn: RemoveOwn };

export interface RetainPlan {
  readonly policy: RetentionPolicy;
  /** Else it only looks. */
  readonly apply: boolean;
  /** Repos may be changed, so svc's own refs that keep leftovers are removed too. */
  readonly repos: boolean;
  /** Records in the database as well as files; in a team another node may have them. */
  readonly records?: boolean;
  /** Epoch ms to which ages are counted. */
  readonly now: number;
  /** Bytes that files of jobs must free at least, on a disk that is nearly full. */
  readonly wanted?: number;
}

async function retainRecords(
  ports: RetainPorts,
  tally: RetentionTally,
  { needs, plan }: { readonly needs: readonly RepoNeeds[]; readonly plan: RetainPlan },
): Promise<void> {
  const { recordsMs, recordsLeft: left } = plan.policy;
  const before = plan.now - recordsMs;
  for (const repo of needs) {
    const count = plan.apply
      ? await forgetRecords(ports, { needs: repo, before, left, now: ports.clock.now() })
      : (await endedBefore(ports.db, repo, { before, left, limit: RECORDS_COUNTED })).length;
    tally.add("job records", "age", count, 0);
  }
  if (!plan.apply) return;
  await forgetTelemetry(ports.db, before);
  await forgetBaseChecks(ports.db, plan.now - plan.policy.tracesMs);
  await forgetReports(ports.db, before);
  await forgetRemovals(ports.db, before);
}

/** @param found files of all jobs; the database at hand removes those of its own */
export async function retainDatabase(
  ports: RetainPorts,
  tally: RetentionTally,
  { found, looks, ...plan }: RetainPlan & {
    readonly found: readonly JobFiles[];
    /** As `needsOfRepos`; a service says nothing of it. */
    looks?(what: string): void;
  },
): Promise<{ readonly needed: number }> {
  const { policy, now, apply, wanted = 0 } = plan;
  const needs = await needsOfRepos(ports, looks);
  const known = await knownAmong(ports.db, found.map(({ job }) => job));
  const total = found.reduce((sum, { bytes }) => sum + bytes, 0);
  const aged = await retainJobFiles(ports, tally, {
    ...{ needs, now, apply, total },
    found: found.filter(({ job }) => known.has(job)),
    keepMs: policy.tracesMs,
    most: Math.min(policy.tracesBytes, total - wanted),
  });
  for (const repo of plan.repos ? needs : []) {
    const refs = { needs: repo, before: now - policy.tracesMs, apply };
    await retainLeftoverRefs(ports, tally, refs);
    await retainClone(ports, tally, refs);
  }
  if (plan.records ?? true) await retainRecords(ports, tally, { needs, plan });
  const old = [...known.values()].filter((end) => end !== null && now - end >= policy.tracesMs);
  return { needed: old.length - aged };
}

/** What a service does each day. */
export async function retain(ports: RetainPorts, plan: RetainPlan): Promise<RetentionTally> {
  const tally = new RetentionTally();
  const found = await filesOfJobs(ports);
  await retainDatabase(ports, tally, { ...plan, found });
  await retainHome(ports, tally, { ...plan, found });
  return tally;
}
