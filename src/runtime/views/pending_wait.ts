/** Why a pending job does not run yet: the first condition of a claim that fails. Pure. */
import { abilitiesIn, lacking } from "svc/core/abilities.ts";
import { counted } from "svc/core/counted.ts";
import type { JobLimit } from "svc/features/jobs/job_limit_table.ts";
import { isDue } from "svc/features/jobs/job_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { roleLane } from "svc/features/jobs/lane_store.ts";
import type { Lane } from "svc/features/jobs/lane_table.ts";
import type { RepoBoardFacts, ServiceFacts } from "./board_facts.ts";

export function laneOf(
  { repo_id, role, lane }: Pick<Job, "lane" | "repo_id" | "role">,
  lanes: readonly Lane[],
): Lane | undefined {
  return lanes.find(({ kind, key }) =>
    kind === "model" ? key === lane : key === roleLane(repo_id, role)
  );
}

/** It waits until a person raises the budget that the reason names, or until the next day. */
export function waitsForBudget(job: Job, now: number): boolean {
  return job.category === "budget" && job.reason !== null && !isDue(job, now);
}

type Startable = Pick<Job, "lane" | "repo_id" | "role">;

/** Claims that a person or a fault has paused. */
export function pausedWhy({ claims }: Pick<ServiceFacts, "claims">): string | undefined {
  return claims.kind === "claiming" ? undefined : `Waits for claims to go on: ${claims.reason}`;
}

/** No service claims jobs here, or the one that does has stopped claiming. */
export function stoppedWhy({ condition }: Pick<ServiceFacts, "condition">): string | undefined {
  return condition === "running" ? undefined : `Waits while svc is ${condition}`;
}

/** A limit of the day, or what holds back the role or the model. */
export function heldWhy(
  job: Startable,
  { holds, lanes }: Pick<ServiceFacts, "holds" | "lanes">,
): string | undefined {
  const hold = holds.find(({ repo_id, role }) =>
    role === null || (repo_id === job.repo_id && role === job.role)
  );
  if (hold !== undefined) return `Waits for its day: ${hold.says}`;
  const lane = laneOf(job, lanes);
  if (lane === undefined) return;
  const held = lane.kind === "role" ? `role "${job.role}"` : `model ${lane.key}`;
  return `Held back with ${held}: ${lane.reason}`;
}

/** No node can do it, or a limit on how many jobs may run leaves no room. */
export function roomWhy(job: Pick<Job, "needs" | "repo_id" | "role">, service: ServiceFacts) {
  const unable = unableTeam(job, service);
  if (unable !== undefined) return unable;
  const full = service.reached.find(({ scope, key }) =>
    scope === "team" || key === (scope === "repo" ? job.repo_id : scope === "role" ? job.role : "")
  );
  return full && `Waits for room: ${limitText(full)}; svc jobs limit`;
}

const about = ({ role, ticket_id }: Job) => ticket_id === null ? `"${role}"` : ticket_id;

export function pendingWhy(
  job: Job,
  service: ServiceFacts,
  { live }: Pick<RepoBoardFacts, "live">,
): string {
  const { now, profile, concurrency, busy } = service;
  if (job.profile !== profile) return `Waits for a service in ${job.profile} profile`;
  const paused = pausedWhy(service);
  if (paused !== undefined) return paused;
  if (!isDue(job, now)) return later(job);
  const held = heldWhy(job, service) ?? roomWhy(job, service);
  if (held !== undefined) return held;
  const others = live.filter(({ id, status }) => status === "running" && id !== job.id);
  const twin = others.find(({ ticket_id }) => ticket_id !== null && ticket_id === job.ticket_id);
  if (twin !== undefined) return `Waits for "${twin.role}", which works on ${twin.ticket_id} now`;
  const same = others.find(({ role, parallel }) => role === job.role && parallel === 0);
  if (same !== undefined && job.parallel === 0) {
    return `Waits for "${job.role}" to be done with ${about(same)}`;
  }
  const stopped = stoppedWhy(service);
  if (stopped !== undefined) return stopped;
  if (busy >= concurrency) return `Waits for a worker: all ${concurrency} are busy`;
  return "About to be claimed";
}

function limitText({ scope, most }: JobLimit): string {
  const whose = { team: "", repo: " of this repo", role: " of this role", node: " of this node" };
  return `at most ${counted(most, "job")}${whose[scope]} may run at a time`;
}

/** Undefined where some node has all that the job needs. */
function unableTeam(
  { needs }: Pick<Job, "needs">,
  { abilities }: Pick<ServiceFacts, "abilities">,
): string | undefined {
  if (abilities.length === 0 || abilities.some((has) => lacking(needs, has).length === 0)) {
    return undefined;
  }
  const team = counted(abilities.length, "node");
  return `Waits for a node with ${abilitiesIn(needs).join(" and ")}: none of ${team} has that`;
}

function later({ attempt, max_attempts, category, reason, trigger }: Job): string {
  const why = reason ?? (trigger === "cron" ? "its schedule" : "its time");
  return category !== null && attempt > 0
    ? `Attempt ${attempt + 1} of ${max_attempts} comes later: ${why}`
    : `Waits for its time: ${why}`;
}
