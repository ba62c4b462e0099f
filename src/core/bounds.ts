/** Limits that several files share or a user may meet, each with its unit and reason. */

// Processes, files, git, the confined Workers' broker

/** Bytes kept of the head of a child's output stream, and as many of its tail. */
export const CHILD_OUTPUT_BYTES = 512 * 1024;

export const CHILD_TIMEOUT_MS = 120_000;
export const CHILD_TIMEOUT_MAX_MS = 600_000;
/** A program that is talked to lives as long as the session that talks to it, and no longer than this. */
export const CHILD_TALK_MS = 24 * 3_600_000;

export const FILE_READ_BYTES = 1024 * 1024;
export const FILE_WRITE_BYTES = 4 * 1024 * 1024;

export const FOLDER_ENTRIES = 10_000;

export const CONFIG_BYTES = 256 * 1024;

/** More processes of one command are taken for a fork bomb and killed. */
export const CHILD_PROCESSES = 256;

/** One listing of a git repo; the largest monorepos have half as many. */
export const GIT_PATHS = 1_000_000;

export const GIT_LOG_COMMITS = 1000;

/** git's own bound (git-config(1), gc.auto), over which reading becomes slow. */
export const LOOSE_OBJECTS = 6_700;

/** Pause between two tries for a repo's lock: flock(2) cannot both wait and be interrupted. */
export const REPO_LOCK_POLL_MS = 25;

/** Largest lock file and largest journal of a commit; svc's commits are small. */
export const REPO_LOCK_BYTES = 4096;
export const COMMIT_JOURNAL_BYTES = 16 * 1024 * 1024;

/** One message between a confined Worker and its broker; only a single larger file exceeds it. */
export const BROKER_BATCH_BYTES = 1024 * 1024;

// Databases, tickets, scans, secrets, policy

/** Files above this are generated or data; the secret scan counts and skips them. */
export const SECRET_FILE_BYTES = 5 * 1024 * 1024;

/** Open tickets that come from scans; more would bury the backlog. */
export const SCAN_OPEN_TICKETS = 25;

/** How long a statement waits for a write of another process before it fails. */
export const DB_BUSY_MS = 5_000;

/** Compiled globs and command patterns that are cached; a manifest has some ten. */
export const POLICY_PATTERNS = 1000;

/** Time after which svc looks whether there is more of a shared budget that was used up. */
export const BUDGET_LOOK_MS = 5 * 60 * 1000;

/** A role loses its trust when the policy stopped this many of its jobs within this time. */
export const DEMOTION_DENIED_JOBS = 3;
export const DEMOTION_WINDOW_MS = 24 * 60 * 60 * 1000;

/** How long SQLite itself waits, with the event loop stopped: one or two commits of another process. */
export const DB_TRY_MS = 5;

// Agents: models, prompts, turns, tools, traces; clients of the tool server

export const MODEL_FILE_BYTES = 64 * 1024;

/** `.harness/.env*` files whose values are kept from outputs; one or two are usual. */
export const LOCAL_ENV_BYTES = 64 * 1024;
export const LOCAL_ENV_FILES = 32;

/** A model server's answer to "which models": hundreds fit; Ollama reads its store for it. */
export const MODEL_LIST_BYTES = 4 * 1024 * 1024;

export const MODEL_LIST_TIMEOUT_MS = 5_000;

/** Tool calls of one agent run: four a turn over all its turns. */
export const AGENT_TOOL_CALLS = 200;

/** Read-only calls that run in parallel; more would not be faster on one disk. */
export const AGENT_PARALLEL_READS = 4;

/** Tokens of the budget that a request must leave for its reply; a tool call does not fit into fewer. */
export const AGENT_REPLY_TOKENS = 256;

/** Characters per token, until a model has counted (a usual figure for English and code). */
export const TOKEN_CHARS = 4;

/** Share of the window beside the fixed prompt whose newest messages stay. */
export const COMPACT_MASK_KEEPS = 0.3;
export const COMPACT_SUMMARY_KEEPS = 0.2;

/** Tokens that may be declared as a model's window: below the minimum not even a role's rules fit. */
export const MODEL_WINDOW_DECLARED = { min: 1_024, max: 16_777_216 } as const;

/** What a model is given of one tool's output; the smaller size is for windows of 32k tokens or less. */
export const TOOL_OUTPUT_LINES = 2000;
export const TOOL_OUTPUT_BYTES = 48 * 1024;
export const TOOL_OUTPUT_SMALL_BYTES = 12 * 1024;

/** Matching lines that `grep` counts; a pattern with more has to be narrowed anyway. */
export const GREP_COUNTED = 10_000;

/** Characters of one line that `grep` and the snippets of a refused edit show. */
export const TOOL_LINE_CHARS = 500;

export const EDIT_PLACES = 1000;

export const RUN_MAX_TURNS = 50;
export const RUN_BUDGET_TOKENS = 500_000;
export const RUN_TIMEOUT_MINUTES = 30;

/** One line of a tool-protocol client; a longer one is skipped. */
export const MCP_LINE_BYTES = 4 * 1024 * 1024;

export const CODE_REFERENCES = 100;
export const CODE_DEFINITIONS = 100;
export const CODE_OUTLINE = 1000;
export const CODE_RELATED = 50;
export const CODE_CHANGED_WITH = 10;

// Hints of code intelligence, and how well they work

/** Each name and word costs a search of the repo, some 0.2 s on 10,000 files. */
export const CODE_HINT_PATHS = 12;
export const CODE_HINT_NAMES = 6;
export const CODE_HINT_WORDS = 6;

/** Counted in one pass over the files. */
export const CODE_HINT_TERMS = 32;

export const CODE_HINT_RANKED = 50;
export const CODE_HINT_FILES = 8;
export const CODE_HINT_TESTS = 5;
export const CODE_HINT_DOCS = 3;
export const CODE_HINT_SYMBOLS = 4;

export const PROMPT_HINT_BYTES = 3 * 1024;

export const CODE_EVIDENCE_PATHS = 200;

/** Fewer samples give no figure. */
export const CODE_EVIDENCE_SAMPLES = 5;

// The living service: jobs, leases, rounds, stopping

/** A worker keeps its job for this long after each heartbeat; heartbeats come four times as often. */
export const JOB_LEASE_MS = 60_000;
export const JOB_HEARTBEAT_MS = 15_000;

export const JOB_ATTEMPTS = 3;
export const JOB_CRASHES = 3;

/** Pause between looks for jobs of other processes; jobs of this process wake a worker at once. */
export const JOB_POLL_MS = 1_000;

/**
 * The longest wait that svc stores is a day, with an hour for a clock that is set back a little. What waits
 * longer was stored by a clock that was far ahead, and is due.
 */
export const STORED_WAIT_MS = 25 * 60 * 60 * 1000;

/** Jobs that run at a time by default; what limits them is the model, not svc. */
export const ENGINE_CONCURRENCY = 2;

export const CLAIM_RETRY_MS = 1_000;
export const CLAIM_RETRY_MAX_MS = 30_000;

/** A graceful stop: time for jobs to end by themselves, then for TERM and KILL; 45 s in all. */
export const STOP_GRACE_MS = 30_000;
export const STOP_KILL_MS = 12_000;

/** Time for a stop that was asked for twice. */
export const STOP_AT_ONCE_MS = 1_500;

/** From the first signal until svc stops waiting for its jobs, and from the second until it ends. */
export const SERVE_GRACE_MS = 45_000;
export const SERVE_HURRY_MS = 2_000;

/** Shortest secret that opens the dashboard's controls: a shorter one could be guessed (spec section 8). */
export const CONTROL_SECRET_BYTES = 32;

export const CONTROL_PORT = 9090;
export const DASHBOARD_PORT = 9091;

export const CRON_SCHEDULES = 50;
export const CRON_CHARS = 100;

export const START_DECISIONS = 200;

/** How long a monitor waits for the database to answer. */
export const HEALTH_MS = 2_000;

// Figures of stored outcomes: scores, patterns, throughput

/** Fewer outcomes give no score. */
export const SCORE_SAMPLES = 5;

export const SCORE_WINDOW_DAYS = 30;
export const SCORE_WINDOW_MAX_DAYS = 365;

/** Ended jobs of one repo that scores count, newest first: some 100 a day over both windows. */
export const SCORE_JOBS = 6_000;

export const SCORE_CAUSES = 3;

export const PATTERNS_LISTED = 50;
export const PATTERN_COUNT = 2;
export const PATTERN_CHARS = 160;

export const EVOLUTIONS_LISTED = 100;
export const HARNESS_COMMITS = 30;
export const TELEMETRY_EVENTS = 100;
export const TELEMETRY_HOURS = 24;

export const THROUGHPUT_HOURS = 24;
export const THROUGHPUT_JOBS = 50;
export const THROUGHPUT_TICKETS = 500;

// The dashboard's listener: sessions, bodies, rates, event streams (spec section 8)

/** An idle session, and any session, ends then: its cookie is sent to every port of the host. */
export const SESSION_IDLE_MS = 30 * 60 * 1000;
export const SESSION_LIFE_MS = 12 * 60 * 60 * 1000;

/** Random bytes of a session's id and of its CSRF token: far beyond what can be guessed. */
export const SESSION_ID_BYTES = 32;

/** One request may carry several: other programs on this host may set some too. */
export const SESSION_COOKIES = 4;

export const JSON_BODY_BYTES = 16 * 1024;
export const LOGIN_BODY_BYTES = 4 * 1024;
export const JSON_DEPTH = 16;

/** Control requests of one session: more than a person sends, fewer than a loop would. */
export const MUTATIONS_PER_MINUTE = 60;
export const MUTATIONS_AT_ONCE = 20;

/** Event streams of one session and of all: a browser opens six connections to a host, two stay free. */
export const STREAMS_PER_SESSION = 4;
export const STREAMS = 32;

export const STREAM_REPLAY_EVENTS = 256;
export const STREAM_REPLAY_BYTES = 1024 * 1024;

/** One event on the wire; a larger one is sent without its data. */
export const STREAM_EVENT_BYTES = 64 * 1024;

/** Unread bytes after which a client is disconnected; it resumes when it comes back. */
export const STREAM_BEHIND_BYTES = 1024 * 1024;

/** Pause between keep-alives of a silent stream: proxies and browsers give up after 30 to 60 s. */
export const STREAM_KEEPALIVE_MS = 15_000;

export const STREAM_RETRY_MS = 3_000;

/** Pause between checks of the sessions: the stream of an ended one is closed within 1 s. */
export const STREAM_LOOK_MS = 500;

/** Bytes of all request bodies that one listener holds at a time. */
export const HTTP_BODIES_BYTES = 64 * 1024 * 1024;

export const HTTP_BODY_MS = 10_000;

/** Handled at a time by one listener; further clients are asked to retry. */
export const HTTP_REQUESTS = 1024;

export const HTTP_TARGET_CHARS = 4096;

/** Retry-After for a client that was refused for lack of room. */
export const HTTP_RETRY_SECS = 5;

/** A delivery is stored or refused within this time: Linear waits 5 s, GitHub 10 s. */
export const WEBHOOK_STORE_MS = 1_500;

/** How long deliveries are remembered: GitHub redelivers one for 3 days at most. */
export const DELIVERY_KEEP_MS = 7 * 24 * 60 * 60 * 1000;

export const WEBHOOK_MANIFEST_MS = 5_000;

export const WEBHOOK_TEXT_CHARS = 16_000;
export const WEBHOOK_NAME_CHARS = 300;

export const WEBHOOK_EVIDENCE_CHARS = 2_000;

/** Threads of a review, and pushes, arrive one by one and are collected this long into one batch. */
export const WEBHOOK_REVIEW_MS = 30_000;
export const WEBHOOK_PUSH_MS = 60_000;

export const WEBHOOK_BATCH = 100;

/** Failed checks that send one ticket back; after the next a person is asked. */
export const WEBHOOK_FAILED_CHECKS = 2;

// Answers of the HTTP API

/** Finished tickets and jobs stay on the board for a day. */
export const CARDS_DONE_MS = 24 * 60 * 60 * 1000;

export const VIEW_TURNS = 200;
export const VIEW_TEXT_CHARS = 4_000;
export const VIEW_CALL_CHARS = 2_000;

export const SCREEN_TICK_MS = 1_000;
