/** Cards of jobs: which run, which wait, and how they ended. Pure. */
import { CARDS_DONE_MS } from "svc/core/bounds.ts";
import type { Job, Trigger } from "svc/features/jobs/job_table.ts";
import type { RepoBoardFacts, ServiceFacts } from "./board_facts.ts";
import { type Card, cardOf, type CardPlace } from "./card.ts";
import { brokenActions, budgetActions, lostTicketActions } from "svc/runtime/inbox/card_actions.ts";
import { taskOf } from "./job_item.ts";
import { pendingWhy, waitsForBudget } from "./pending_wait.ts";

/** How long a failed job without a ticket is shown as failing, unless its role runs again: 7 days. */
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

export function livePlace(job: Job, service: ServiceFacts, repo: RepoBoardFacts): CardPlace {
  if (job.status === "running") {
    const which = job.attempt > 1 ? ` (attempt ${job.attempt} of ${job.max_attempts})` : "";
    const why = job.cancel_requested === 1
      ? `"${job.role}" is being stopped`
      : `"${job.role}" works on it${which}`;
    return { zone: "working", why, since: job.started_at };
  }
  // The time at which an attempt was given back is not stored; its start is the closest to it.
  const since = job.attempt > 0 ? job.started_at : job.created_at;
  if (waitsForBudget(job, service.now)) {
    const action = "Raise the budget that it names, or wait for the next day";
    const actions = budgetActions(repo.ground);
    return { zone: "needs_you", why: job.reason!, action, actions, since };
  }
  return { zone: "waiting", why: pendingWhy(job, service, repo), since };
}

export function isBroken({ status, disposition }: Job): boolean {
  return (status === "failed" && disposition !== "cancelled") || disposition === "checks_failed";
}

export function brokenPlace({ role, ticket_id, disposition, reason, finished_at }: Job): CardPlace {
  const again = `svc run ${role}${ticket_id === null ? "" : ` --ticket ${ticket_id}`}`;
  return {
    zone: "failing",
    why: `"${role}" ended with ${disposition}${reason === null ? "" : `: ${reason}`}`,
    action: `Mend what it names, then: ${again}`,
    since: finished_at,
  };
}

function endedPlace(
  job: Job,
  now: number,
  { ground }: Pick<RepoBoardFacts, "ground">,
): CardPlace | undefined {
  const { role, disposition, reason, finished_at } = job;
  const age = now - (finished_at ?? now);
  if (isBroken(job)) {
    if (age > CARDS_FAILING_MS) return undefined;
    return { ...brokenPlace(job), actions: brokenActions(ground, job, undefined) };
  }
  if (disposition === "blocked" && age <= CARDS_FAILING_MS) {
    const why = `"${role}" cannot go on: ${reason ?? "it did not say why"}`;
    return {
      zone: "needs_you",
      why,
      action: `Answer it, then: svc run ${role}`,
      actions: brokenActions(ground, job, undefined),
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

/**
 * A job that no process runs, and whose ticket's file is gone: `svc start` refuses to begin with it. This is
 * not known while the files cannot be read, or are those of another branch.
 */
function lostPlace(
  job: Job,
  { now, profile }: ServiceFacts,
  { files: { tickets, broken, fault, unread }, ground }: RepoBoardFacts,
): CardPlace | undefined {
  const id = job.ticket_id;
  const isThere = [...tickets, ...broken].some((one) => one.id === id);
  const isHeld = job.status === "running" && (job.lease_until ?? 0) > now;
  if (id === null || isThere || isHeld || job.profile !== profile) return undefined;
  if (fault !== undefined || unread !== undefined) return undefined;
  return {
    zone: "needs_you",
    why: `It is for ${id}, and docs/tickets has no such ticket`,
    action: "Bring the ticket back, or end the job",
    actions: lostTicketActions(ground, job),
    since: job.created_at,
  };
}

function jobCard(job: Job, place: CardPlace, repo: RepoBoardFacts): Card {
  const title = taskOf(job) || `${job.role}, ${BY[job.trigger]}`;
  const progress = repo.progress.get(job.id);
  return cardOf({ key: `job:${job.id}`, title, repo, job, progress }, place);
}

export function jobCards(
  repo: RepoBoardFacts,
  service: ServiceFacts,
  shown: ReadonlySet<string>,
): Card[] {
  const live = repo.live.filter(({ ticket_id }) => ticket_id === null || !shown.has(ticket_id));
  const ended = [...repo.ofRole.values()].filter(({ finished_at }) => finished_at !== null);
  return [
    ...live.map((job) =>
      jobCard(job, lostPlace(job, service, repo) ?? livePlace(job, service, repo), repo)
    ),
    ...ended.flatMap((job) => {
      const place = endedPlace(job, service.now, repo);
      return place === undefined ? [] : jobCard(job, place, repo);
    }),
  ];
}
