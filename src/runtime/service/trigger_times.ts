/** A manifest's schedules, what is due of them at a moment, and what triggers each role next. Pure. */
import { CRON_SCHEDULES } from "svc/core/bounds.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import {
  cronFault,
  type CronTime,
  lastTick,
  machineZone,
  nextTick,
} from "svc/features/jobs/cron.ts";

/** A missed tick is made up for within this time; older ones are skipped. */
const CRON_CATCH_UP_MS = 24 * 60 * 60 * 1000;

/** A tick that is later than this was missed: no process ran when it was due. */
const CRON_LATE_MS = 5 * 60 * 1000;

interface ScheduledRepo {
  readonly id: string;
  readonly manifest: Pick<Manifest, "roles"> | undefined;
}

export interface Schedule extends CronTime {
  readonly repoId: string;
  readonly role: string;
  /** As stored: the cron fields and the time zone, if any. */
  readonly name: string;
}

export interface Schedules {
  readonly schedules: readonly Schedule[];
  /** Such as `roles.ceo.triggers[1].schedule: "61 * * * *": Invalid value for minute: 61`. */
  readonly problems: readonly string[];
}

export function schedulesOf({ id, manifest }: ScheduledRepo, now: number): Schedules {
  const schedules = new Map<string, Schedule>();
  const problems: string[] = [];
  const crons = Object.entries(manifest?.roles ?? {}).flatMap(([role, { triggers }]) =>
    triggers.flatMap((trigger, at) => trigger.on === "cron" ? { role, at, trigger } : [])
  );
  for (const { role, at, trigger } of crons.slice(0, CRON_SCHEDULES)) {
    const time = { schedule: trigger.schedule.trim(), timeZone: trigger.time_zone };
    const fault = cronFault(time, now);
    if (fault !== undefined) {
      const shown = JSON.stringify(trigger.schedule);
      problems.push(`roles.${role}.triggers[${at}].schedule: ${shown}: ${fault}`);
      continue;
    }
    const name = [time.schedule, ...(time.timeZone === undefined ? [] : [time.timeZone])].join(" ");
    schedules.set(`${role} ${name}`, { ...time, repoId: id, role, name });
  }
  const over = crons[CRON_SCHEDULES];
  if (over !== undefined) {
    const where = `roles.${over.role}.triggers[${over.at}]`;
    problems.push(`${where}: schedules beyond the first ${CRON_SCHEDULES} do not count`);
  }
  return { schedules: [...schedules.values()], problems };
}

export type TickState =
  | { readonly kind: "new" }
  | { readonly kind: "waits"; readonly next: number | undefined }
  /** @param missed no process ran when the tick was due; it then stands for earlier missed ticks too */
  | { readonly kind: "due"; readonly tick: number; readonly missed: boolean }
  | { readonly kind: "passed_over"; readonly tick: number }
  /** It was stored while the clock was far ahead, so counting starts again from now. */
  | { readonly kind: "ahead" };

/**
 * @param countedTo ticks up to here are dealt with, epoch ms, also when the clock goes back by up to a
 *   day
 */
export function tickState(
  schedule: CronTime,
  countedTo: number | undefined,
  now: number,
): TickState {
  if (countedTo === undefined) return { kind: "new" };
  if (countedTo > now + CRON_CATCH_UP_MS) return { kind: "ahead" };
  const earliest = now - CRON_CATCH_UP_MS;
  const tick = lastTick(schedule, { after: Math.max(countedTo, earliest), until: now });
  if (tick !== undefined) return { kind: "due", tick, missed: now - tick > CRON_LATE_MS };
  const next = nextTick(schedule, countedTo);
  return next !== undefined && next <= now
    ? { kind: "passed_over", tick: next }
    : { kind: "waits", next };
}

export interface NextTrigger {
  readonly repoId: string;
  readonly role: string;
  /** Epoch ms; undefined for triggers without a schedule. */
  readonly at: number | undefined;
  readonly why: string;
}

/** Soonest first; triggers without a schedule follow in the order of the manifests. */
export function nextTriggers(views: readonly ScheduledRepo[], now: number): NextTrigger[] {
  const timed = views.flatMap((view) => schedulesOf(view, now).schedules).map((schedule) => ({
    repoId: schedule.repoId,
    role: schedule.role,
    at: nextTick(schedule, now),
    why: `cron "${schedule.schedule}" (${schedule.timeZone ?? machineZone() ?? "local time"})`,
  }));
  timed.sort((a, b) => (a.at ?? Infinity) - (b.at ?? Infinity));
  return [...timed, ...views.flatMap(untimed)];
}

function untimed({ id, manifest }: ScheduledRepo): NextTrigger[] {
  const roles = Object.entries(manifest?.roles ?? {});
  return roles.flatMap(([role, { triggers }]) => {
    const whys = triggers.flatMap((trigger) => {
      switch (trigger.on) {
        case "cron":
          return [];
        case "bootstrap":
          return ["start with nothing to resume"];
        case "manual":
          return [`svc run ${role}`];
        case "scan_complete":
          return ["a scan that is complete"];
        case "ticket":
          return [`a ticket that comes into ${trigger.state}`];
        case "webhook":
          return [`webhook ${trigger.event}`];
      }
    });
    const routed = roles.flatMap(([from, { routes }]) =>
      Object.entries(routes).flatMap(([disposition, route]) =>
        route?.next === role ? [`${from} ends with ${disposition}`] : []
      )
    );
    return [...whys, ...routed].map((why) => ({ repoId: id, role, at: undefined, why }));
  });
}
