/** Limits of the ground svc stands on: processes, files, git, the confined Workers' broker. */

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

/**
 * A command that took no longer has its remains looked for among younger processes only. Numbers of
 * processes would come around in this time at 300,000 starts a second, which no kernel does.
 */
export const CHILD_BRIEF_MS = 100;

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

/** A git hook is a script of some lines; a larger file is none that svc would edit. */
export const HOOK_BYTES = 1024 * 1024;

/** Commits of which one look at churn counts the files: half a year of a busy repo, read in some 2 s. */
export const GIT_CHURN_COMMITS = 2000;

/** Lines whose age one blame looks up. */
export const GIT_BLAME_LINES = 50;

/** A journal of one command over a repo: some forty small files, old and new, in base64. */
export const JOURNAL_BYTES = 64 * 1024 * 1024;

/** The kernel's list of mounts; a machine full of containers has some 100 KiB of it. */
export const MOUNTS_BYTES = 4 * 1024 * 1024;

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

/** A branch's patch; of a longer one its middle is left out. */
export const WORKTREE_PATCH_BYTES = 16 * 1024 * 1024;

/** Content in one message between a confined Worker and its broker; only a single larger file exceeds it. */
export const BROKER_BATCH_BYTES = 1024 * 1024;

/** Files that the broker reads before it hands them over, and how many go into one message. */
export const BROKER_BATCH_FILES = 32;

/** Folders and locks that one confined Worker may hold open at once; each costs a descriptor. */
export const BROKER_HANDLES = 256;

/** A push over a slow line; the most that a child is given. */
export const PUSH_TIMEOUT_MS = 600_000;

/** How often that is looked at. */
export const DISK_LOOK_MS = 5_000;

/** Newest commits of a branch among which those of one file are looked for, and how many of those count. */
export const GIT_TOGETHER_WALKED = 5000;
export const GIT_TOGETHER_COMMITS = 100;

/** A commit of more files moves or formats them all, and tells nothing of what belongs together. */
export const GIT_TOGETHER_FILES = 50;
