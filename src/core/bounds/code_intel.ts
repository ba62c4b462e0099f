/** Limits of the hints that code intelligence gives, and of what is measured about them. */

/** What one task may make svc look for; each name and word costs a search of the repo, some 0.2 s on 10,000 files. */
export const CODE_HINT_PATHS = 12;
export const CODE_HINT_NAMES = 6;
export const CODE_HINT_WORDS = 6;

/** Characters of a task that are read for them. */
export const CODE_HINT_TASK_CHARS = 16_000;

/** How long a job waits for its hint; what was found by then is given. */
export const CODE_HINT_MS = 8_000;

/** Files whose definitions are looked at, and files whose neighbours are. */
export const CODE_HINT_OUTLINES = 20;
export const CODE_HINT_SEEDS = 4;

/** Files that define one name are looked for by pattern when more than this have it. */
export const CODE_HINT_DEFINING = 20;

/** What a ranking holds, and what of it a prompt names. */
export const CODE_HINT_RANKED = 50;
export const CODE_HINT_FILES = 8;
export const CODE_HINT_TESTS = 5;
export const CODE_HINT_DOCS = 3;
export const CODE_HINT_SYMBOLS = 4;

/** The part of a prompt that names them: some 700 tokens at most. */
export const PROMPT_HINT_BYTES = 3 * 1024;

/** Paths of one job's commits that are stored with its evidence; the rest is counted. */
export const CODE_EVIDENCE_PATHS = 200;

/** Samples below this are no figure. */
export const CODE_EVIDENCE_SAMPLES = 5;

/** Trials of one benchmark, where nobody says how many and at most; each takes some seconds. */
export const CODE_BENCH_TRIALS = 3;
export const CODE_BENCH_TRIALS_MAX = 100;

/** A file whose text is a benchmark's case. */
export const CODE_BENCH_CASE_BYTES = 64 * 1024;
