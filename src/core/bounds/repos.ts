/** Limits of what svc keeps and looks at: databases, tickets, scans, secrets, policy, code hosts. */

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

/** How long a statement waits for another process's write before it fails. */
export const DB_BUSY_MS = 5_000;

/** Prepared statements kept per database connection; svc has fewer kinds of query than this. */
export const DB_STATEMENTS = 256;

/** Copies of a database that are kept from before its migrations. */
export const DB_BACKUPS = 3;

/** Output of one check that its log keeps; the rest is shown and counted, not kept. */
export const CHECK_LOG_BYTES = 64 * 1024 * 1024;

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

/** Spellings that the braces of one glob may stand for; one with more is taken to match everything. */
export const GLOB_SPELLINGS = 256;

/** Globs and command patterns that are kept ready; a manifest has some ten. */
export const POLICY_PATTERNS = 1000;

/** So many jobs of a role that the policy stopped within this time take its trust away. */
export const DEMOTION_DENIED_JOBS = 3;
export const DEMOTION_WINDOW_MS = 24 * 60 * 60 * 1000;

/** Changes of trust that one listing shows. */
export const TRUST_CHANGES_LISTED = 200;

/** Options and their values that may stand before a subcommand; more are taken for a way around a rule. */
export const COMMAND_OPTION_WORDS = 32;

/** How long SQLite itself waits for a lock, with the event loop stopped: outlasts a neighbour's commit or two. */
export const DB_TRY_MS = 5;

/** Mean time between two such tries: shorter ones cost the lock's holder, longer ones leave a process waiting. */
export const DB_RETRY_MS = 4;

/** A write-ahead log that grew past this is cut back once all of it is in the database. */
export const DB_WAL_BYTES = 64 * 1024 * 1024;

/** One request to the code host, its answer included; usual is under 1 s. */
export const CODEHOST_REQUEST_MS = 20_000;

/** Thirty pull requests with all that GitHub tells of their repos: some 20 KiB each. */
export const CODEHOST_RESPONSE_BYTES = 4 * 1024 * 1024;

/** Between two looks at one pull request: a token has 5,000 requests an hour. */
export const CODEHOST_POLL_MS = 60_000;

/** The longest that a rate limit is believed: GitHub's own windows are an hour. */
export const CODEHOST_BACKOFF_SECS = 3_600;

/** Characters of each list in the text of a pull request; GitHub takes 65,536 in all. */
export const PULL_REQUEST_CHARS = 12_000;
