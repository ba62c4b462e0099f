/** Tells when a cron schedule is due; the only module that uses the cron library. */
import { Cron } from "croner";
import { CRON_CHARS } from "svc/core/bounds.ts";

export interface CronTime {
  /** crontab(5) with `@daily` and the like; `L`, `W` and `#` as in https://croner.56k.guru. */
  readonly schedule: string;
  /** IANA name; undefined: the machine's time zone. */
  readonly timeZone: string | undefined;
}

/** Schedules and zones whose reading is kept: a page asks for those of all repos, at 0.1 ms and more each. */
const CRONS_KEPT = 1000;

/** As this process found it at its start: its clock goes by no other. Asked once, since that takes long. */
let own: { readonly zone: string | undefined } | undefined;

/** Undefined where it has no name, as with `TZ=:/etc/localtime`, `TZ=UTC-3` or an empty `TZ`. */
export function machineZone(): string | undefined {
  own ??= { zone: namedZone() };
  return own.zone;
}

function namedZone(): string | undefined {
  const { timeZone }: { readonly timeZone?: string } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone !== undefined && isZone(timeZone) ? timeZone : undefined;
}

const parsed = new Map<string, Cron>();

function cronOf({ schedule, timeZone = machineZone() }: CronTime): Cron {
  const key = JSON.stringify([schedule, timeZone]);
  const known = parsed.get(key);
  if (known !== undefined) return known;
  // Without a name the library goes by the clock of the machine.
  const named = timeZone !== undefined && { timezone: timeZone };
  const cron = new Cron(schedule, { ...named, mode: "5-part" });
  if (parsed.size >= CRONS_KEPT) parsed.clear();
  parsed.set(key, cron);
  return cron;
}

/** Epoch ms. A time that spring skips comes at the end of the gap; one repeated in autumn, once. */
export function nextTick(time: CronTime, after: number): number | undefined {
  return cronOf(time).nextRun(new Date(after))?.getTime();
}

/** After `after`, at or before `until`, both epoch ms. */
export function lastTick(
  time: CronTime,
  { after, until }: { readonly after: number; readonly until: number },
): number | undefined {
  const cron = cronOf(time);
  const next = (from: number) => cron.nextRun(new Date(from))?.getTime() ?? Infinity;
  let found = next(after);
  if (found > until) return undefined;
  // Ticks are at least a minute apart, so halving a day takes some ten steps.
  let beyond = until;
  while (beyond - found >= 60_000) {
    const middle = Math.floor((found + beyond) / 2);
    const tick = next(middle);
    if (tick <= until) found = tick;
    else beyond = middle;
  }
  return found;
}

/** Why the schedule is not valid, in words; undefined when it is. @param now epoch ms */
export function cronFault(time: CronTime, now: number): string | undefined {
  const { schedule, timeZone } = time;
  if (schedule.length > CRON_CHARS) return `it is longer than ${CRON_CHARS} characters`;
  const fields = schedule.trim().split(/\s+/);
  if (fields.length !== 5 && !schedule.trim().startsWith("@")) {
    return 'it is no five fields, minutes first, such as "0 6 * * 1"';
  }
  if (timeZone !== undefined && !isZone(timeZone)) {
    return `time_zone ${JSON.stringify(timeZone)} is unknown; name one such as "Europe/Berlin"`;
  }
  try {
    return nextTick(time, now) === undefined ? "no day fits it" : undefined;
  } catch (thrown) {
    const said = thrown instanceof Error ? thrown.message : String(thrown);
    return said.replace(/^CronPattern: /, "");
  }
}

const zones = new Set<string>();

function isZone(name: string): boolean {
  if (zones.has(name)) return true;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    if (zones.size >= CRONS_KEPT) zones.clear();
    zones.add(name);
    return true;
  } catch (thrown) {
    if (thrown instanceof RangeError) return false;
    throw thrown;
  }
}
