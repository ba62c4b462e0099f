/**
 * Limits that several files share, or that a user may meet: each with its unit and reason. A number that
 * one file alone uses stands in that file.
 */

// The ground svc stands on: processes, files, git, the confined Workers' broker

/** One captured stream of a child process: this much from its head and as much from its tail. */
export const CHILD_OUTPUT_BYTES = 512 * 1024;

/** A child is given this long unless its caller says otherwise, and never longer than the maximum. */
export const CHILD_TIMEOUT_MS = 120_000;
export const CHILD_TIMEOUT_MAX_MS = 600_000;

/** What one call may read of or write to a file of a target repo. */
export const FILE_READ_BYTES = 1024 * 1024;
export const FILE_WRITE_BYTES = 4 * 1024 * 1024;

/** Entries one folder listing returns; the rest is counted. */
export const FOLDER_ENTRIES = 10_000;

/** The user's config file; anything larger is not a config file. */
export const CONFIG_BYTES = 256 * 1024;

/** A command that has started more processes than this is taken for a fork bomb and ended. */
export const CHILD_PROCESSES = 256;

/** Paths that one listing of a git repo returns; a monorepo of the largest kind has half of it. */
export const GIT_PATHS = 1_000_000;

/** Commits that one log returns. */
export const GIT_LOG_COMMITS = 1000;

/** Between two tries for that lock: flock(2) cannot wait and be interrupted at once. */
export const REPO_LOCK_POLL_MS = 25;

/** What a lock or a commit's journal may hold; a commit of svc is small. */
export const REPO_LOCK_BYTES = 4096;
export const COMMIT_JOURNAL_BYTES = 16 * 1024 * 1024;

/** Content in one message between a confined Worker and its broker; only a single larger file exceeds it. */
export const BROKER_BATCH_BYTES = 1024 * 1024;

// What svc keeps and looks at: databases, tickets, scans, secrets, policy, code hosts

/** Files above this are generated or data; the secret scan counts and skips them. */
export const SECRET_FILE_BYTES = 5 * 1024 * 1024;

/** Open tickets that come from scans; more would bury the backlog. */
export const SCAN_OPEN_TICKETS = 25;

/** How long a statement waits for another process's write before it fails. */
export const DB_BUSY_MS = 5_000;

/** Globs and command patterns that are kept ready; a manifest has some ten. */
export const POLICY_PATTERNS = 1000;

/** So many jobs of a role that the policy stopped within this time take its trust away. */
export const DEMOTION_DENIED_JOBS = 3;
export const DEMOTION_WINDOW_MS = 24 * 60 * 60 * 1000;

/** How long SQLite itself waits for a lock, with the event loop stopped: outlasts a neighbour's commit or two. */
export const DB_TRY_MS = 5;

// Agents: models, prompts, turns, tools, traces, and those who use the tools from outside

/** A repo's file of model routes; one of these has a few lines for each role. */
export const MODEL_FILE_BYTES = 64 * 1024;

/** A file of keys, one a line. */
export const LOCAL_ENV_BYTES = 64 * 1024;
/** `.harness/.env*` files whose values are kept from outputs; one or two are usual. */
export const LOCAL_ENV_FILES = 32;

/** A model server's answer to "which models": hundreds of entries fit. */
export const MODEL_LIST_BYTES = 4 * 1024 * 1024;

/** How long such an answer of this machine may take: Ollama reads its store for it. */
export const MODEL_LIST_TIMEOUT_MS = 5_000;

/** Tool calls of one agent run: four a turn over all its turns. */
export const AGENT_TOOL_CALLS = 200;

/** Calls that only read, at once; more would not be faster on one disk. */
export const AGENT_PARALLEL_READS = 4;

/** Tokens that a request must leave for its reply within the budget; less holds no call. */
export const AGENT_REPLY_TOKENS = 256;

/** Characters a token, until a model has counted (a usual figure for English and code). */
export const TOKEN_CHARS = 4;

/** Newest share of the room beside the fixed prompt that each of the two keeps. */
export const COMPACT_MASK_KEEPS = 0.3;
export const COMPACT_SUMMARY_KEEPS = 0.2;

/** What may be declared for a model's window, in tokens: below, not even the rules of a role fit. */
export const MODEL_WINDOW_DECLARED = { min: 1_024, max: 16_777_216 } as const;

/** Of one tool's output, what a model is given; a context window of 32k tokens or less gets the smaller one. */
export const TOOL_OUTPUT_LINES = 2000;
export const TOOL_OUTPUT_BYTES = 48 * 1024;
export const TOOL_OUTPUT_SMALL_BYTES = 12 * 1024;

/** Matching lines that are counted; a pattern with more of them has to be narrowed anyway. */
export const GREP_COUNTED = 10_000;

/** Characters of one line that `grep` and the snippets of a refused edit show. */
export const TOOL_LINE_CHARS = 500;

/** Places that one edit changes. */
export const EDIT_PLACES = 1000;

/** Turns, tokens and minutes of one run, where neither flag nor role says otherwise. */
export const RUN_MAX_TURNS = 50;
export const RUN_BUDGET_TOKENS = 500_000;
export const RUN_TIMEOUT_MINUTES = 30;

/** One line of a tool-protocol client; a longer one is passed over unread. */
export const MCP_LINE_BYTES = 4 * 1024 * 1024;

/** What one answer of a code tool shows: lines, definitions, entries or files; the rest is counted. */
export const CODE_REFERENCES = 100;
export const CODE_DEFINITIONS = 100;
export const CODE_OUTLINE = 1000;
export const CODE_RELATED = 50;
export const CODE_CHANGED_WITH = 10;

// The hints that code intelligence gives, and of what is measured about them

/** What one task may make svc look for; each name and word costs a search of the repo, some 0.2 s on 10,000 files. */
export const CODE_HINT_PATHS = 12;
export const CODE_HINT_NAMES = 6;
export const CODE_HINT_WORDS = 6;

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

// The living service: jobs, leases, rounds, stopping

/** A job is its worker's for this long after each sign of life; the signs come four times as often. */
export const JOB_LEASE_MS = 60_000;
export const JOB_HEARTBEAT_MS = 15_000;

/** Times a job is tried, and processes that may die running it, before it is given up. */
export const JOB_ATTEMPTS = 3;
export const JOB_CRASHES = 3;

/** Looks for jobs that another process enqueued; those of this process ring a bell. */
export const JOB_POLL_MS = 1_000;

/** Jobs that run at a time where nobody says otherwise; each costs a model's attention, not ours. */
export const ENGINE_CONCURRENCY = 2;

/** Claims that fail are tried again after this long; it doubles up to the maximum. */
export const CLAIM_RETRY_MS = 1_000;
export const CLAIM_RETRY_MAX_MS = 30_000;

/** A graceful stop: jobs may end by themselves, then TERM and KILL; 45 s in all. */
export const STOP_GRACE_MS = 30_000;
export const STOP_KILL_MS = 12_000;

/** A stop that was asked for twice. */
export const STOP_AT_ONCE_MS = 1_500;

/** From the first signal until svc stops waiting for its jobs, and from the second until it ends. */
export const SERVE_GRACE_MS = 45_000;
export const SERVE_HURRY_MS = 2_000;

/** What a dashboard is opened with: a shorter secret could be guessed (spec section 8). */
export const CONTROL_SECRET_BYTES = 32;

/** Where svc listens unless the user's config or a flag says otherwise. */
export const CONTROL_PORT = 9090;
export const DASHBOARD_PORT = 9091;

/** Schedules of one repo, and characters of one: more is no plan of a person. */
export const CRON_SCHEDULES = 50;
export const CRON_CHARS = 100;

/** Decisions that `start` looks back at. */
export const START_DECISIONS = 200;

/** A database that has not answered a monitor's question by then does not answer. */
export const HEALTH_MS = 2_000;

// What is told from stored outcomes: scores, patterns, throughput

/** Outcomes below this number are no score. */
export const SCORE_SAMPLES = 5;

/** Window of scores where nobody names one, and the longest that may be named. */
export const SCORE_WINDOW_DAYS = 30;
export const SCORE_WINDOW_MAX_DAYS = 365;

/** Ended jobs of one repo that scores look at, newest first: some 100 a day over both windows. */
export const SCORE_JOBS = 6_000;

/** Causes shown with a score. */
export const SCORE_CAUSES = 3;

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

// The dashboard's listener: sessions, bodies, rates, event streams (spec section 8)

/** A session that is not used ends, and any session ends, after this long: cookies know no ports. */
export const SESSION_IDLE_MS = 30 * 60 * 1000;
export const SESSION_LIFE_MS = 12 * 60 * 60 * 1000;

/** Random bytes of a session's id and of its CSRF token: far beyond what can be guessed. */
export const SESSION_ID_BYTES = 32;

/** Cookies of svc's name that one request may bring: another program on this host may set some too. */
export const SESSION_COOKIES = 4;

/** Bodies of controls and of the login, and how deep their JSON may go. */
export const JSON_BODY_BYTES = 16 * 1024;
export const LOGIN_BODY_BYTES = 4 * 1024;
export const JSON_DEPTH = 16;

/** Controls of one session: more than a person's hand does, less than a loop would. */
export const MUTATIONS_PER_MINUTE = 60;
export const MUTATIONS_AT_ONCE = 20;

/** Event streams of one session and of all: a browser opens six connections to a host, two stay free. */
export const STREAMS_PER_SESSION = 4;
export const STREAMS = 32;

/** What a stream begins with at most: the newest events, in number and in bytes. */
export const STREAM_REPLAY_EVENTS = 256;
export const STREAM_REPLAY_BYTES = 1024 * 1024;

/** One event on the wire; a larger one is told of without its data. */
export const STREAM_EVENT_BYTES = 64 * 1024;

/** A client that has so much still to read is cut off; it resumes when it comes back. */
export const STREAM_BEHIND_BYTES = 1024 * 1024;

/** A silent stream says that it lives: proxies and browsers give up after 30 to 60 s. */
export const STREAM_KEEPALIVE_MS = 15_000;

/** When a client comes back after its stream broke. */
export const STREAM_RETRY_MS = 3_000;

/** Looks whether the sessions behind the streams still live: an ended one is cut within 1 s. */
export const STREAM_LOOK_MS = 500;

/** Bodies of requests that one listener holds at a time, all together. */
export const HTTP_BODIES_BYTES = 64 * 1024 * 1024;

/** A body that is not whole after this long is not waited for any more. */
export const HTTP_BODY_MS = 10_000;

/** Requests that one listener works on at a time; more are asked to come again. */
export const HTTP_REQUESTS = 1024;

/** Characters of a request's address. */
export const HTTP_TARGET_CHARS = 4096;

/** When somebody who was refused for want of room may come again. */
export const HTTP_RETRY_SECS = 5;

/** A delivery is stored or refused within this time: Linear waits 5 s, GitHub 10 s. */
export const WEBHOOK_STORE_MS = 1_500;

/** What is known of a delivery, so long: GitHub sends one again for 3 days at most. */
export const DELIVERY_KEEP_MS = 7 * 24 * 60 * 60 * 1000;

/** What a manifest says of webhooks is read again after this long. */
export const WEBHOOK_MANIFEST_MS = 5_000;

/** Characters that are kept of a text, a name or an address from outside. */
export const WEBHOOK_TEXT_CHARS = 16_000;
export const WEBHOOK_NAME_CHARS = 300;

/** Characters of a comment, a review or a log that join a ticket's evidence. */
export const WEBHOOK_EVIDENCE_CHARS = 2_000;

/** Threads of a review, and pushes, come one by one; they are worked on together. */
export const WEBHOOK_REVIEW_MS = 30_000;
export const WEBHOOK_PUSH_MS = 60_000;

/** Of those, so many are kept. */
export const WEBHOOK_BATCH = 100;

/** Failed checks that send one ticket back; with the next a person is asked. */
export const WEBHOOK_FAILED_CHECKS = 2;

// What one answer of the HTTP API holds, and of what is read for it

/** What is done stays on the board for a day. */
export const CARDS_DONE_MS = 24 * 60 * 60 * 1000;

/** Newest turns of a trace that the page of its job shows, and characters of each of their texts. */
export const VIEW_TURNS = 200;
export const VIEW_TEXT_CHARS = 4_000;
export const VIEW_CALL_CHARS = 2_000;

/** Ages on the screen are in seconds. */
export const SCREEN_TICK_MS = 1_000;
