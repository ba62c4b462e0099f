/** Limits of agents: models, prompts, turns, tools, traces, and those who use the tools from outside. */

/** A repo's file of model routes; one of these has a few lines for each role. */
export const MODEL_FILE_BYTES = 64 * 1024;

/** A file of keys, one a line. */
export const LOCAL_ENV_BYTES = 64 * 1024;
/** `.harness/.env*` files whose values are kept from outputs; one or two are usual. */
export const LOCAL_ENV_FILES = 32;

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

/** What may be declared for a model's window, in tokens: below, not even the rules of a role fit. */
export const MODEL_WINDOW_DECLARED = { min: 1_024, max: 16_777_216 } as const;

/** Prompts below this are too small to tell by their token count whether they were cut, in tokens. */
export const MODEL_TRUNCATION_TOKENS = 512;

/** Of one tool's output, what a model is given; a context window of 32k tokens or less gets the smaller one. */
export const TOOL_OUTPUT_LINES = 2000;
export const TOOL_OUTPUT_BYTES = 48 * 1024;
export const TOOL_OUTPUT_SMALL_BYTES = 12 * 1024;

/** Tokens of the largest window that gets the smaller output. */
export const SMALL_WINDOW_TOKENS = 32_000;

/** Characters of one line that `file_read` shows: less than the smallest output, so that others fit beside it. */
export const FILE_READ_LINE_CHARS = 3000;

/** Matching lines that `grep` shows unless asked for another number, and at most. */
export const GREP_HITS = 100;
export const GREP_HITS_MAX = 1000;

/** Matching lines that are counted; a pattern with more of them has to be narrowed anyway. */
export const GREP_COUNTED = 10_000;

/** Characters of one line that `grep` and the snippets of a refused edit show. */
export const TOOL_LINE_CHARS = 500;

/** Untracked paths named to git one by one; with more of them it looks for all untracked files itself. */
export const GREP_NAMED_PATHS = 200;

/** Changed paths named to git one by one, where others must not be shown. */
export const DIFF_NAMED_PATHS = 200;

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

/** Definition of a custom tool, written by hand or by `tool_create`. */
export const CUSTOM_TOOL_BYTES = 16 * 1024;

/** Custom tools of one repo; each takes room in every request to a model. */
export const CUSTOM_TOOLS = 50;

/** Text that a command is given on its standard input. */
export const COMMAND_STDIN_CHARS = 1024 * 1024;

/** Documents that one `knowledge_read` shows. */
export const KNOWLEDGE_DOCUMENTS = 10;

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

/** Commits, files or secrets that one refusal of a branch names: it goes into a ticket's evidence. */
export const GUARD_SHOWN = 3;

/** What parsing one file of source may take; usual is 7 MB/s, hostile text is far slower. */
export const CODE_PARSE_MS = 1_000;

/** One line of a tool-protocol client; a longer one is passed over unread. */
export const MCP_LINE_BYTES = 4 * 1024 * 1024;

/** Requests of such a client that may be unanswered at once; more are refused. */
export const MCP_OPEN_REQUESTS = 256;

/** Answers that such a client has not taken yet; while there are more, none of its lines is read. */
export const MCP_UNREAD_BYTES = 8 * 1024 * 1024;

/** After the end of its input, or a signal, the open requests may be answered this long. */
export const MCP_END_GRACE_MS = 1_000;

/** What commands get to end by TERM once the client has gone, in ms; then they are killed. */
export const MCP_TERM_MS = 500;

/** Faulty lines that the command log names; the rest is counted. */
export const MCP_LOGGED_FAULTS = 20;

/** A file of source above this is generated or data, and is not parsed. */
export const CODE_FILE_BYTES = 1024 * 1024;

/** Files that one look-up parses: some 2 MB of source in 0.5 s. */
export const CODE_FILES_PARSED = 200;

/** What one answer of a code tool shows: lines, definitions, entries or files; the rest is counted. */
export const CODE_REFERENCES = 100;
export const CODE_DEFINITIONS = 100;
export const CODE_OUTLINE = 1000;
export const CODE_RELATED = 50;
export const CODE_CHANGED_WITH = 10;

/** A trace that is read to go on from it; a run of two hundred calls has some 10 MiB. */
export const TRACE_FILE_BYTES = 256 * 1024 * 1024;
