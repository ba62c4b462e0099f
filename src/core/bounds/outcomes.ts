/** Limits of what is told from stored outcomes: scores, patterns, throughput. */

/** Outcomes below this number are no score. */
export const SCORE_SAMPLES = 5;

/** Window of scores where nobody names one, and the longest that may be named. */
export const SCORE_WINDOW_DAYS = 30;
export const SCORE_WINDOW_MAX_DAYS = 365;

/** Ended jobs of one repo that scores look at, newest first: some 100 a day over both windows. */
export const SCORE_JOBS = 6_000;

/** Causes shown with a score. */
export const SCORE_CAUSES = 3;

/** A score that moved by less, in points, is noise of one job. */
export const SCORE_MOVE_POINTS = 5;

/** Improvement tickets that one export writes; the worst go first. */
export const SCORE_DEBT_TICKETS = 10;

/** Failures of one role for one cause that are worth a ticket. */
export const SCORE_DEBT_FAILURES = 3;

/** Areas that the quality score grades one by one; smaller ones are graded together. */
export const QUALITY_AREAS = 12;

/** A quality score with notes of people; a larger file is not ours. */
export const QUALITY_FILE_BYTES = 1024 * 1024;

/** Failures that are alike, listed; and how often one must come to be a pattern. */
export const PATTERNS_LISTED = 50;
export const PATTERN_COUNT = 2;
export const PATTERN_CHARS = 160;

/** Changes of agents, and events, that one answer lists. */
export const EVOLUTIONS_LISTED = 100;
export const HARNESS_COMMITS = 30;
export const TELEMETRY_EVENTS = 100;
export const TELEMETRY_HOURS = 24;

/** Hours that the throughput shows, jobs it lists, and tickets it measures. */
export const THROUGHPUT_HOURS = 24;
export const THROUGHPUT_JOBS = 50;
export const THROUGHPUT_TICKETS = 500;
