/** Where a job stands on the board: it runs, it waits, or how it ended. Pure. */
import { CARDS_DONE_MS } from "svc/core/bounds.ts";
import type { Trigger } from "svc/features/jobs/job_table.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { RepoFacts, ServiceFacts } from "./board_facts.ts";
import { cardOf, type Place } from "./card.ts";
import { pendingWhy } from "./pending_wait.ts";
import type { Card } from "./shapes.ts";

/** A job without a ticket that failed is shown as broken for so long, unless its role runs again: 7 days. */
const CARDS_FAILING_MS = 7 * 24 * 60 * 60 * 1000;

const BY: Readonly<Record<Trigger, string>> = {
  manual: "asked for by a person",
  bootstrap: "at the start",
  route: "asked for by a route",
  ticket: "for a ticket",
  cron: "by schedule",
  webhook: "by webhook",
  scan_complete: "after a scan",
  liveness: "to hand out work",
};

function titleOf({ role, trigger, payload }: Job): string {
  const { task } = JSON.parse(payload) as { readonly task?: unknown };
  return typeof task === "string" && task !== "" ? task : `${role}, ${BY[trigger]}`;
}

/** While it is live. */
export function livePlace(job: Job, service: ServiceFacts, repo: RepoFacts): Place {
  if (job.status === "running") {
    const which = job.attempt > 1 ? ` (attempt ${job.attempt} of ${job.max_attempts})` : "";
    const why = job.cancel_requested === 1
      ? `"${job.role}" is being stopped`
      : `"${job.role}" works on it${which}`;
    return { zone: "working", why, since: job.started_at };
  }
  // When an attempt was given back is not stored; it began after the job was created.
  const since = job.attempt > 0 ? job.started_at : job.created_at;
  return { zone: "waiting", why: pendingWhy(job, service, repo), since };
}

/** Ended in a way that nobody goes on with by itself. */
export function isBroken({ status, disposition }: Job): boolean {
  return (status === "failed" && disposition !== "cancelled") || disposition === "checks_failed";
}

export function brokenPlace({ role, ticket_id, disposition, reason, finished_at }: Job): Place {
  const again = `svc run ${role}${ticket_id === null ? "" : ` --ticket ${ticket_id}`}`;
  return {
    zone: "failing",
    why: `"${role}" ended with ${disposition}${reason === null ? "" : `: ${reason}`}`,
    action: `Mend what it names, then: ${again}`,
    since: finished_at,
  };
}

/** Undefined for what is of no interest any more: old, cancelled, or without a result. */
function endedPlace(job: Job, now: number): Place | undefined {
  const { role, disposition, reason, finished_at } = job;
  const age = now - (finished_at ?? now);
  if (isBroken(job)) return age <= CARDS_FAILING_MS ? brokenPlace(job) : undefined;
  if (disposition === "blocked" && age <= CARDS_FAILING_MS) {
    const why = `"${role}" cannot go on: ${reason ?? "it did not say why"}`;
    return {
      zone: "needs_you",
      why,
      action: `Answer it, then: svc run ${role}`,
      since: finished_at,
    };
  }
  if (age > CARDS_DONE_MS || disposition === "cancelled") return undefined;
  if (disposition === "no_work" || disposition === "routed") return undefined;
  return {
    zone: "done",
    why: `"${role}" ended with ${disposition}${reason === null ? "" : `: ${reason}`}`,
    since: finished_at,
  };
}

function jobCard(job: Job, place: Place, repo: RepoFacts): Card {
  const progress = repo.progress.get(job.id);
  return cardOf({ key: `job:${job.id}`, title: titleOf(job), repo, job, progress }, place);
}

/** Of jobs without a ticket, and of live ones whose ticket has no card. */
export function jobCards(
  repo: RepoFacts,
  service: ServiceFacts,
  shown: ReadonlySet<string>,
): Card[] {
  const live = repo.live.filter(({ ticket_id }) => ticket_id === null || !shown.has(ticket_id));
  const ended = [...repo.ofRole.values()].filter(({ finished_at }) => finished_at !== null);
  return [
    ...live.map((job) => jobCard(job, livePlace(job, service, repo), repo)),
    ...ended.flatMap((job) => {
      const place = endedPlace(job, service.now);
      return place === undefined ? [] : jobCard(job, place, repo);
    }),
  ];
}
