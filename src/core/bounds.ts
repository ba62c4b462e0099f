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

/** Runs of one ticket that may end without a result before a person has to look. */
export const TICKET_ATTEMPTS = 3;
/** Files that nobody committed and that are copied before their work tree goes; more keep it in place. */
export const LEFTOVER_FILES = 200;

/** A repo's file of model routes; one of these has a few lines for each role. */
export const MODEL_FILE_BYTES = 64 * 1024;
/** A file of keys, one a line. */
export const LOCAL_ENV_BYTES = 64 * 1024;
/** A base URL of models; browsers and proxies cut longer ones too. */
export const ENDPOINT_CHARS = 2048;
/** A model server's answer to "which models": hundreds of entries fit. */
export const MODEL_LIST_BYTES = 4 * 1024 * 1024;
/** How long such an answer of this machine may take: Ollama reads its store for it. */
export const MODEL_LIST_TIMEOUT_MS = 5_000;
/** Models that a listing shows; the rest is counted. */
export const MODELS_LISTED = 500;

/** Tool calls of one agent run: four a turn over all its turns. */
export const AGENT_TOOL_CALLS = 200;
/** Calls that only read, at once; more would not be faster on one disk. */
export const AGENT_PARALLEL_READS = 4;
/** The turn after a limit, in which a role may only say what it has done. */
export const AGENT_GRACE_MS = 60_000;
/** Tokens of that turn's reply; a model that thinks aloud needs most of them. */
export const AGENT_GRACE_TOKENS = 4096;
/** Tokens that a request must leave for its reply within the budget; less holds no call. */
export const AGENT_REPLY_TOKENS = 256;
/** While the budget leaves more than this for a reply, its length is the server's to bound. */
export const AGENT_REPLY_USUAL_TOKENS = 16_384;
/** Turns in a row with neither a call nor an end. */
export const AGENT_SILENT_TURNS = 3;
/** Turns in a row with only invalid calls, or with only denied ones. */
export const AGENT_FAULTY_TURNS = 5;
/** Times that one and the same call may be denied in a run. */
export const AGENT_DENIED_CALLS = 3;
/** The same call with the same result, times in a row: said once, then ended. */
export const AGENT_SAME_NUDGE = 3;
export const AGENT_SAME_STOP = 5;
/** A round of 2 to 5 calls that comes again with the same results: said once, then ended. */
export const AGENT_ROUND_CALLS = 5;
export const AGENT_ROUND_NUDGE = 3;
export const AGENT_ROUND_STOP = 4;
/** Share of the model's window that the outputs of one turn may take. */
export const AGENT_TURN_SHARE = 0.25;
/** Characters of one output that stay however full the turn is: its error or first lines. */
export const AGENT_OUTPUT_CHARS = 800;

/** Characters a token, until a model has counted (a usual figure for English and code). */
export const TOKEN_CHARS = 4;
/** Share of the window at which old tool outputs are left out, and at which a summary is made. */
export const COMPACT_MASK_AT = 0.6;
export const COMPACT_SUMMARY_AT = 0.8;
/** Newest share of the room beside the fixed prompt that each of the two keeps. */
export const COMPACT_MASK_KEEPS = 0.3;
export const COMPACT_SUMMARY_KEEPS = 0.2;
/** The last turn is kept by a summary while it takes no more than this share of the room. */
export const COMPACT_LAST_TURN = 0.4;
/** Share of the conversation that a compaction must free; less is no progress. */
export const COMPACT_FREES = 0.2;
/** Summaries in so many turns; more means that the task does not fit the window. */
export const COMPACT_SUMMARIES = 3;
export const COMPACT_TURNS = 10;
/** Tokens of a summary, and its share of the room where that is less. */
export const COMPACT_SUMMARY_TOKENS = 4096;
/** An output of fewer characters is not worth a stub. */
export const COMPACT_STUB_CHARS = 240;
/** Calls that a summary lists by name, newest last. */
export const COMPACT_LISTED_CALLS = 40;

/** One line of a trace; the longest strings of a longer one are cut. */
export const TRACE_LINE_BYTES = 4 * 1024 * 1024;
export const TRACE_CUT_CHARS = 64 * 1024;

/** Bytes of the texts that a prompt is made of; a longer one is cut at a line, with a note. */
export const PROMPT_ROLE_BYTES = 16 * 1024;
export const PROMPT_RULES_BYTES = 8 * 1024;
export const PROMPT_AGENTS_BYTES = 32 * 1024;
export const PROMPT_KNOWLEDGE_BYTES = 16 * 1024;
export const PROMPT_TICKET_BYTES = 32 * 1024;
/** Documents of `.harness/knowledge/` that one prompt quotes. */
export const PROMPT_DOCUMENTS = 8;
/** Share of the window (at four bytes a token) that any one of these texts may take. */
export const PROMPT_TEXT_SHARE = 0.125;
/** `.harness/knowledge/routes.yaml`, written by hand. */
export const KNOWLEDGE_ROUTES_BYTES = 64 * 1024;

/** A model that sends nothing for this long is given up: large local models think in minutes. */
export const MODEL_IDLE_MS = 600_000;
/** One request to a model, slow bytes included; a job's own wall clock is no longer by default. */
export const MODEL_REQUEST_MS = 1_800_000;
/** One answer of a model: some two million tokens of text. */
export const MODEL_RESPONSE_BYTES = 8 * 1024 * 1024;
/** One line of a model's event stream; a whole tool call may come in one. */
export const MODEL_LINE_BYTES = 1024 * 1024;
/** What is read of a provider's error. */
export const MODEL_ERROR_BYTES = 64 * 1024;
/** Tries of one request to a model, the first included. */
export const MODEL_TRIES = 5;
/** Before the second try, doubled for each that follows, of which a random part is waited. */
export const MODEL_BACKOFF_MS = 2_000;
export const MODEL_BACKOFF_MAX_MS = 60_000;
/** A provider that asks for a longer wait than this gets it from the queue, not from a waiting worker. */
export const MODEL_WAIT_MAX_MS = 90_000;
/** What was found out about a model holds this long: 7 days. */
export const MODEL_PROFILE_MS = 7 * 24 * 3_600_000;
/** What a model may write to answer the probe; one that reasons first writes some hundred tokens. */
export const MODEL_PROBE_TOKENS = 2_048;
/** Tokens taken for the window of a local server that does not say: more would be cut off silently. */
export const MODEL_WINDOW_LOCAL = 8_192;
/** Tokens taken for the window of a provider that does not say; one with less refuses with an error. */
export const MODEL_WINDOW_REMOTE = 128_000;
/** Prompts below this are too small to tell by their token count whether they were cut, in tokens. */
export const MODEL_TRUNCATION_TOKENS = 512;

/** Of one tool's output, what a model is given; a context window of 32k tokens or less gets the smaller one. */
export const TOOL_OUTPUT_LINES = 2000;
export const TOOL_OUTPUT_BYTES = 48 * 1024;
export const TOOL_OUTPUT_SMALL_BYTES = 12 * 1024;
/** Tokens of the largest window that gets the smaller output. */
export const SMALL_WINDOW_TOKENS = 32_000;
/** Matching lines that `grep` shows unless asked for another number, and at most. */
export const GREP_HITS = 100;
export const GREP_HITS_MAX = 1000;
/** Matching lines that are counted; a pattern with more of them has to be narrowed anyway. */
export const GREP_COUNTED = 10_000;
/** Characters of one line that `grep` and the snippets of a refused edit show. */
export const TOOL_LINE_CHARS = 500;
/** Untracked paths named to git one by one; with more of them it looks for all untracked files itself. */
export const GREP_NAMED_PATHS = 200;
/** Paths that `glob` shows; its pattern can be narrowed. */
export const GLOB_PATHS = 500;
/** Patterns that the braces of one glob stand for. */
export const GLOB_ALTERNATIVES = 64;
/** Characters of the text that an edit looks for: a longer one is a rewrite of the file. */
export const EDIT_OLD_CHARS = 100_000;
/** Places that one edit changes. */
export const EDIT_PLACES = 1000;
/** Pairs of lines, and letters of them, that the search for a similar text compares: some 0.3 s each. */
export const EDIT_LINE_PAIRS = 2_000_000;
export const EDIT_LETTER_PAIRS = 20_000_000;
/** Lines that each of the snippets of a refused edit shows. */
export const EDIT_SNIPPET_LINES = 12;

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
/** Definition of a custom tool, written by hand or by `tool_create`. */
export const CUSTOM_TOOL_BYTES = 16 * 1024;
/** Custom tools of one repo; each takes room in every request to a model. */
export const CUSTOM_TOOLS = 50;
/** Text that a command is given on its standard input. */
export const COMMAND_STDIN_CHARS = 1024 * 1024;
/** Documents that one `knowledge_read` shows. */
export const KNOWLEDGE_DOCUMENTS = 10;

/** Spellings that the braces of one glob may stand for; one with more is taken to match everything. */
export const GLOB_SPELLINGS = 256;
/** Globs and command patterns that are kept ready; a manifest has some ten. */
export const POLICY_PATTERNS = 1000;

/** So many jobs of a role that the policy stopped within this time take its trust away. */
export const DEMOTION_DENIED_JOBS = 3;
export const DEMOTION_WINDOW_MS = 24 * 60 * 60 * 1000;
/** Changes of trust that one listing shows. */
export const TRUST_CHANGES_LISTED = 200;

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
/** Options and their values that may stand before a subcommand; more are taken for a way around a rule. */
export const COMMAND_OPTION_WORDS = 32;
/** After a model's last event its connection may end in order, so that the next request can use it. */
export const MODEL_DRAIN_MS = 100;
/** One text of a harness read for a prompt; what is given of it is bounded further. */
export const PROMPT_FILE_BYTES = 256 * 1024;

/** Turns, tokens and minutes of one run, where neither flag nor role says otherwise. */
export const RUN_MAX_TURNS = 50;
export const RUN_BUDGET_TOKENS = 500_000;
export const RUN_TIMEOUT_MINUTES = 30;
/** Characters of a role's words that go into a decision or a ticket; the trace has them all. */
export const EVIDENCE_CHARS = 600;
/** What parsing one file of source may take; usual is 7 MB/s, hostile text is far slower. */
export const CODE_PARSE_MS = 2_000;

/** One line of a tool-protocol client; a longer one is passed over unread. */
export const MCP_LINE_BYTES = 4 * 1024 * 1024;
/** Requests of such a client that may be unanswered at once; more are refused. */
export const MCP_OPEN_REQUESTS = 256;
/** Answers that such a client has not taken yet; while there are more, none of its lines is read. */
export const MCP_UNREAD_BYTES = 8 * 1024 * 1024;
/** After the end of its input, or a signal, the open requests may be answered this long. */
export const MCP_END_GRACE_MS = 1_000;
/** Faulty lines that the command log names; the rest is counted. */
export const MCP_LOGGED_FAULTS = 20;

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
/** How often that is looked at. */
export const DISK_LOOK_MS = 5_000;
/** A graceful stop: jobs may end by themselves, then TERM and KILL; 45 s in all. */
export const STOP_GRACE_MS = 30_000;
export const STOP_KILL_MS = 12_000;
/** A stop that was asked for twice. */
export const STOP_AT_ONCE_MS = 1_500;
