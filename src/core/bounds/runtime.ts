/** Limits of the living service: jobs, leases, rounds, stopping. */

/** A job is its worker's for this long after each sign of life; the signs come four times as often. */
export const JOB_LEASE_MS = 60_000;
export const JOB_HEARTBEAT_MS = 15_000;

/** How often the watchdog looks for leases that ran out: a lost worker is found in 75 s. */
export const JOB_WATCH_MS = 15_000;

/** Times a job is tried, and processes that may die running it, before it is given up. */
export const JOB_ATTEMPTS = 3;
export const JOB_CRASHES = 3;

/** Wait before the second attempt; it doubles with each further one, up to the maximum. */
export const JOB_RETRY_MS = 10_000;
export const JOB_RETRY_MAX_MS = 300_000;

/** Share of that wait by which it is varied, so that jobs that failed together do not return together. */
export const JOB_RETRY_JITTER = 0.2;

/** A provider that asks for a longer wait frees the worker, and uses no attempt. */
export const JOB_SLOT_WAIT_MS = 90_000;

/** Looks for jobs that another process enqueued; those of this process ring a bell. */
export const JOB_POLL_MS = 1_000;

/** So many failed jobs of one role on one repo within this time pause the role there. */
export const ROLE_FAILURES = 3;
export const ROLE_FAILURES_WINDOW_MS = 15 * 60 * 1000;

/** Jobs that run at a time where nobody says otherwise; each costs a model's attention, not ours. */
export const ENGINE_CONCURRENCY = 2;

/** Looks whether what a merge or a move waits for has come. */
export const ENGINE_SETTLE_MS = 30_000;

/** Audit of tickets (domain: liveness). */
export const ENGINE_AUDIT_MS = 60_000;

/** Looks for work trees that have been kept long enough, and how long that is. */
export const ENGINE_CLEANUP_MS = 60 * 60 * 1000;
export const WORKTREE_KEEP_MS = 72 * 60 * 60 * 1000;

/** A job of a repo that cannot be worked on now is looked at again after this long. */
export const ENGINE_REPO_WAIT_MS = 30_000;

/** Claims that fail are tried again after this long; it doubles up to the maximum. */
export const CLAIM_RETRY_MS = 1_000;
export const CLAIM_RETRY_MAX_MS = 30_000;

/** With less room than this on the disk no job is begun: builds and work trees take some 100 MB. */
export const CLAIM_FREE_BYTES = 1024 * 1024 * 1024;

/** A graceful stop: jobs may end by themselves, then TERM and KILL; 45 s in all. */
export const STOP_GRACE_MS = 30_000;
export const STOP_KILL_MS = 12_000;

/** A stop that was asked for twice. */
export const STOP_AT_ONCE_MS = 1_500;

/** From the first signal until svc stops waiting for its jobs, and from the second until it ends. */
export const SERVE_GRACE_MS = 45_000;
export const SERVE_HURRY_MS = 2_000;

/** Requests that still run are given this long when the listeners close. */
export const LISTENERS_CLOSE_MS = 500;

/** What a dashboard is opened with: a shorter secret could be guessed (spec section 8). */
export const CONTROL_SECRET_BYTES = 32;

/** A warm restart lets jobs that are about to end do so; the others go on afterwards. */
export const RESTART_GRACE_MS = 5_000;

/** How long the last event of a service that stops may take to be written and told. */
export const STOP_SAY_MS = 300;

/** Events of other processes are looked for this often; those of this process ring a bell. */
export const FEED_POLL_MS = 1_000;

/** Events that are read at a time, and that one question for earlier ones gets at most. */
export const FEED_BATCH = 200;
export const FEED_EARLIER = 1_000;

/** Events are kept for so long, and so many of them, some 60 MB; removed in short statements. */
export const EVENTS_KEEP_MS = 30 * 24 * 60 * 60 * 1000;
export const EVENTS_KEPT = 200_000;
export const EVENTS_FORGOTTEN_AT_ONCE = 5_000;

/** Age at which what a status tells of repos and of the database is read again, whatever happened. */
export const STATUS_FRESH_MS = 15_000;
export const STATUS_COUNTS_MS = 1_000;

/** A status waits so long for what is read anew; then it tells what was known before. */
export const STATUS_WAIT_MS = 1_000;

/** Newest decisions that a status tells. */
export const STATUS_DECISIONS = 10;

/** One file of the dashboard's pages: its script is the largest, and far smaller. */
export const DASHBOARD_FILE_BYTES = 8 * 1024 * 1024;

/** Where svc listens unless the user's config or a flag says otherwise. */
export const CONTROL_PORT = 9090;
export const DASHBOARD_PORT = 9091;

/** Jobs that wait when a service begins go first; its schedules and surveys look no later than this. */
export const LOOPS_LATER_MS = 2_000;
