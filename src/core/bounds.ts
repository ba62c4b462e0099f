/** Every limit the spec leaves open, named, with its unit and reason (domain.md decides the values). */

/** One captured stream of a child process: this much from its head and as much from its tail. */
export const CHILD_OUTPUT_BYTES = 512 * 1024;

/** A child is given this long unless its caller says otherwise, and never longer than the maximum. */
export const CHILD_TIMEOUT_MS = 120_000;
export const CHILD_TIMEOUT_MAX_MS = 600_000;

/** Between TERM and KILL: long enough to flush, short enough for Ctrl-C. */
export const CHILD_TERM_GRACE_MS = 5_000;

/** A grandchild may hold the pipe open for ever; output is read this long after the leader exits. */
export const CHILD_DRAIN_MS = 2_000;

/** What one call may read of or write to a file of a target repo. */
export const FILE_READ_BYTES = 1024 * 1024;
export const FILE_WRITE_BYTES = 4 * 1024 * 1024;

/** Entries one folder listing returns; the rest is counted. */
export const FOLDER_ENTRIES = 10_000;

/** The user's config file; anything larger is not a config file. */
export const CONFIG_BYTES = 256 * 1024;

/** A shorter "secret" is not redacted by value: it would blank ordinary words. */
export const REDACT_MIN_CHARS = 6;

/** From Ctrl-C until svc stops waiting for the command to clean up. */
export const INTERRUPT_GRACE_MS = 8_000;
