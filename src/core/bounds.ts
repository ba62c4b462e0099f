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

/** Linux PATH_MAX and NAME_MAX (linux/limits.h): a longer path or name cannot be opened. */
export const REPO_PATH_BYTES = 4096;
export const FILE_NAME_BYTES = 255;

/** Read at a time: what a pipe of Linux holds (pipe(7)). */
export const CHILD_READ_BYTES = 64 * 1024;
/** A command that has started more processes than this is taken for a fork bomb and ended. */
export const CHILD_PROCESSES = 256;
/** How often a running command's processes are counted; a count costs some 50 us a process. */
export const CHILD_WATCH_MS = 500;
/** Looks through /proc until none of a command's processes is left, and the pause between two looks. */
export const CHILD_SWEEPS = 200;
export const CHILD_SWEEP_PAUSE_MS = 10;

/** Paths that one listing of a git repo returns; a monorepo of the largest kind has half of it. */
export const GIT_PATHS = 1_000_000;
/** One blob read from a repo; blobs are visited one at a time. */
export const GIT_BLOB_BYTES = 4 * 1024 * 1024;
/** Names of settings that one repo may have, in bytes; a usual one has some 500. */
export const GIT_CONFIG_NAMES_BYTES = 1024 * 1024;
/** Commits that one log returns. */
export const GIT_LOG_COMMITS = 1000;

/** A shell's start-up file; a larger one was not written by hand. */
export const DOTFILE_BYTES = 1024 * 1024;

/** Files above this are generated or data; the secret scan counts and skips them. */
export const SECRET_FILE_BYTES = 5 * 1024 * 1024;
/** A NUL in this much of a file's head makes it binary (git looks at the first 8,000 bytes). */
export const SECRET_BINARY_PROBE_BYTES = 8192;
/** What one secret rule may take in one file before it is given up there and reported. */
export const SECRET_RULE_MS = 50;
/** Tries of one secret rule between two looks at the clock: some 10 us of work. */
export const SECRET_TRIES_PER_CLOCK = 64;
/** Base64 that is decoded around a hit, each way: a private key of 8,192 bits fits. */
export const SECRET_BASE64_CHARS = 16 * 1024;

/** A git hook is a script of some lines; a larger file is none that svc would edit. */
export const HOOK_BYTES = 1024 * 1024;
