/** Which time ages are counted to: a clock that was wrong for a minute must not make everything old. Pure. */
import type { RetentionState } from "./state_table.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** A clock that is further ahead than this of the last look is doubted. */
export const CLOCK_STEP_MS = 7 * DAY_MS;

/** A doubted clock is believed when it says the same after this time, and not much more. */
export const CLOCK_CONFIRM_MS = { from: 20 * HOUR_MS, to: 31 * DAY_MS } as const;

export type ClockFacts = Pick<RetentionState, "believed_at" | "doubted_at">;

export interface BelievedTime {
  /** Ages are counted to it, epoch ms; undefined before any time was believed. */
  readonly now: number | undefined;
  /** Epoch ms when the clock jumped to what it says; undefined when it is believed. */
  readonly doubted: number | undefined;
  /** To be stored. */
  readonly facts: ClockFacts;
}

/** @param wall what the clock says, epoch ms */
export function believedTime({ believed_at, doubted_at }: ClockFacts, wall: number): BelievedTime {
  const ahead = wall - (believed_at ?? -Infinity);
  const waited = wall - (doubted_at ?? Infinity);
  const confirmed = waited >= CLOCK_CONFIRM_MS.from && waited <= CLOCK_CONFIRM_MS.to;
  if (ahead <= CLOCK_STEP_MS || confirmed) {
    return { now: wall, doubted: undefined, facts: { believed_at: wall, doubted_at: null } };
  }
  const waits = waited >= 0 && waited < CLOCK_CONFIRM_MS.from;
  const since = waits ? doubted_at! : wall;
  return {
    now: believed_at ?? undefined,
    doubted: since,
    facts: { believed_at, doubted_at: since },
  };
}
