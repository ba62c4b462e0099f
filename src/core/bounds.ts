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
/** What one stretch between two looks can add to a rule's time: a longer one is a pause of the machine. */
export const SECRET_STRETCH_MS = 10;
/** Base64 that is decoded around a hit, each way: a private key of 8,192 bits fits. */
export const SECRET_BASE64_CHARS = 16 * 1024;

/** A git hook is a script of some lines; a larger file is none that svc would edit. */
export const HOOK_BYTES = 1024 * 1024;

/** Commits of which one look at churn counts the files: half a year of a busy repo, read in some 2 s. */
export const GIT_CHURN_COMMITS = 2000;
/** Lines whose age one blame looks up. */
export const GIT_BLAME_LINES = 50;

/** A longer text is data or generated; the scan's rules for texts leave it alone. */
export const SCAN_TEXT_BYTES = 1024 * 1024;
/** A settings file whose text the scan keeps for the rules that compare files. */
export const SCAN_KEPT_BYTES = 128 * 1024;
/** The scan's cache of one repo; a larger one is rebuilt. */
export const SCAN_CACHE_BYTES = 256 * 1024 * 1024;
/** Files whose TODOs one scan dates, two git processes each; later scans go on where it stopped. */
export const SCAN_BLAMED_FILES = 100;
/** Open tickets that come from scans; more would bury the backlog. */
export const SCAN_OPEN_TICKETS = 25;
/** Findings that one ticket lists; the rest is counted. */
export const SCAN_TICKET_LINES = 20;
/** Findings of one rule that one file or one repo can have. */
export const SCAN_FINDINGS_A_FILE = 50;

/** A journal of one command over a repo: some forty small files, old and new, in base64. */
export const JOURNAL_BYTES = 64 * 1024 * 1024;

/** How long a statement waits for another process's write before it fails. */
export const DB_BUSY_MS = 5_000;
/** Prepared statements kept per database connection; svc has fewer kinds of query than this. */
export const DB_STATEMENTS = 256;
/** Copies of a database that are kept from before its migrations. */
export const DB_BACKUPS = 3;
/** The kernel's list of mounts; a machine full of containers has some 100 KiB of it. */
export const MOUNTS_BYTES = 4 * 1024 * 1024;
/** Output of one check that its log keeps; the rest is shown and counted, not kept. */
export const CHECK_LOG_BYTES = 64 * 1024 * 1024;
/** Held back of an unfinished line, so that a secret cut in two by a read is still seen whole. */
export const REDACT_HELD_CHARS = 16 * 1024;

/** How long a command waits for another svc to let go of a repo; its holder is named then. */
export const REPO_LOCK_WAIT_MS = 10_000;
/** Between two tries for that lock: flock(2) cannot wait and be interrupted at once. */
export const REPO_LOCK_POLL_MS = 25;
/** What a lock or a commit's journal may hold; a commit of svc is small. */
export const REPO_LOCK_BYTES = 4096;
export const COMMIT_JOURNAL_BYTES = 16 * 1024 * 1024;
/** How long a commit waits for another git process to let go of the index. */
export const GIT_INDEX_WAIT_MS = 5_000;
/** Tips of branches remembered between two looks at a history; more are looked at again. */
export const HISTORY_TIPS = 1000;
/** Read of a ticket when tickets are listed; a longer one is read alone. */
export const TICKET_HEAD_BYTES = 64 * 1024;
/** A ticket grows by a line for each move; one larger than this is no ticket. */
export const TICKET_BYTES = 1024 * 1024;
/** Characters of a title in a ticket's file name: a line of `git status` stays readable. */
export const TICKET_SLUG_CHARS = 48;

/** A project's own package file or Makefile, read to tell its checks. */
export const DETECT_BYTES = 256 * 1024;

/** A database is read up to this size to tell whose it is; a larger one has to be named. */
export const DATABASE_PEEK_BYTES = 256 * 1024 * 1024;
