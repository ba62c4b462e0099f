/** How long svc keeps what it stored, from the user's own config; nothing of a repo adds to it. */
import { START_DECISIONS } from "svc/core/bounds.ts";
import type { Config } from "svc/features/settings/config_file.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const MIB = 1024 * 1024;

/** Files of jobs in no database that svc finds are kept this many times as long: nobody can say who needs them. */
const STRANGE_TIMES = 3;

export interface RetentionPolicy {
  readonly tracesMs: number;
  /** Bytes of the files of all jobs; beyond them the oldest go before their time. */
  readonly tracesBytes: number;
  readonly strangeMs: number;
  readonly recordsMs: number;
  /** The newest jobs of each repo, whose records stay at any age. */
  readonly recordsLeft: number;
  readonly logsMs: number;
}

export function policyOf({ retention }: Pick<Config, "retention">): RetentionPolicy {
  const { traces_days, traces_mb, records_days, logs_days } = retention;
  return {
    // Without their job nobody could tell whether they are needed.
    tracesMs: Math.min(traces_days, records_days) * DAY_MS,
    tracesBytes: traces_mb * MIB,
    strangeMs: STRANGE_TIMES * traces_days * DAY_MS,
    recordsMs: records_days * DAY_MS,
    // What `svc start` reads to go on with a repo that rested.
    recordsLeft: START_DECISIONS,
    logsMs: logs_days * DAY_MS,
  };
}
