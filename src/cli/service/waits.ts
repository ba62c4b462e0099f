/** What a service is doing, or waiting for, in one line; printed when there would be no other line for a while. */
import { counted } from "svc/core/counted.ts";
import { duration } from "svc/core/time.ts";
import type { ServiceStatus } from "svc/runtime/service/plan.ts";

/** More running jobs are counted. */
const JOBS_NAMED = 3;

type WaitingStatus = Pick<
  ServiceStatus,
  | ("claims" | "condition" | "full" | "heldBack" | "holds" | "jobs" | "overBudget" | "putOff")
  | "reason"
  | ("repos" | "running" | "waits")
>;

/** With its day, since a schedule may be days away; as `svc status` shows it. */
const dayAndTime = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`;

function workOf({ running }: WaitingStatus): string {
  const named = running.slice(0, JOBS_NAMED).map(({ role, ticket, turn, step, ageMs }) =>
    `${role}${ticket === null ? "" : ` ${ticket}`} (${
      [
        ...(turn > 0 ? [`turn ${turn}`] : []),
        ...(step === "" ? [] : [step]),
        duration(Math.floor(ageMs / 1000) * 1000),
      ].join(", ")
    })`
  );
  const more = running.length - named.length;
  return `at work: ${named.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

/** The lane of a role begins with the id of its repo, which nobody knows by heart. */
function laneName({ key }: { readonly key: string }, repos: WaitingStatus["repos"]): string {
  const repo = repos.find(({ id }) => key.startsWith(`${id}/`));
  return repo === undefined ? key : `${repo.basename}${key.slice(repo.id.length)}`;
}

/** Why jobs that are there do not run. */
function heldOf(
  { jobs, full = [], heldBack, holds, overBudget, putOff = [], repos }: WaitingStatus,
): string {
  const [[held], [limit]] = [heldBack, holds];
  const why = limit !== undefined
    ? `: ${limit.says}`
    : held !== undefined
    ? `: ${held.kind} ${laneName(held, repos)} is held back: ${held.reason}`
    : overBudget.length > 0
    ? `: ${overBudget[0]!.reason ?? "the budget is used up"}`
    : putOff.length > 0
    ? `: ${putOff[0]!.reason}`
    : full.length > 0
    ? `; the limit ${full[0]} leaves no room: svc jobs limit`
    : "";
  return `${counted(jobs.pending, "job")} ${jobs.pending === 1 ? "waits" : "wait"}${why}`;
}

/** Jobs of another machine or container on this database; one that died there is known by its lease alone. */
function elsewhereOf({ jobs: { running } }: WaitingStatus): string {
  const [is, goes] = running === 1 ? ["is", "it goes"] : ["are", "they go"];
  return `${counted(running, "job")} ${is} another process's: ${goes} on there, or here within ` +
    "two minutes after it died";
}

function nextOf({ repos, waits }: WaitingStatus): string {
  const timed = repos.flatMap(({ next }) => next)
    .flatMap(({ at, role, why }) => at === undefined ? [] : [{ at, role, why }])
    .toSorted((one, other) => one.at - other.at);
  const [soonest] = timed;
  const then = soonest === undefined
    ? "waits for events and people"
    : `next: ${soonest.role} at ${dayAndTime(soonest.at)} (${soonest.why})`;
  const blocked = repos.reduce((sum, { tickets }) => sum + tickets.blocked, 0);
  const person = blocked === 0
    ? ""
    : `; ${counted(blocked, "blocked ticket")} for a person: svc tickets list --state blocked`;
  const [owed] = waits;
  const what = owed === undefined ? "" : `; what was decided waits for ${owed.why}`;
  return `no job runs and none waits; ${then}${person}${what}`;
}

/** Undefined while nothing needs to be said. */
export function waitsFor(status: WaitingStatus): string | undefined {
  const { claims, condition, reason, running, jobs } = status;
  if (condition !== "running") return undefined;
  if (running.length > 0) return workOf(status);
  if (claims === "paused") return `no job starts: ${reason ?? "claims are paused"}`;
  if (jobs.pending > 0) return heldOf(status);
  return jobs.running > 0 ? elsewhereOf(status) : nextOf(status);
}
