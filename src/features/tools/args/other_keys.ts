/** Names that other agents give to arguments, by tool and by the argument that they mean. */

const FILE =
  "file_path filename file absolute_path target_file relative_path path_to_file pathname";
const FOLDER = "dir directory folder dir_path directory_path folder_path search_path " +
  "search_directory target_directory relative_workspace_path location";

/**
 * An argument's name without case, hyphens and underscores counts as the same name. Sources: the declarations of Claude Code
 * (@anthropic-ai/claude-agent-sdk, sdk-tools.d.ts), Gemini CLI and Qwen Code (@google/gemini-cli-core, base-declarations.js),
 * Codex (openai/codex, codex-rs/core/src/tools/spec.rs), Anthropic's text editor tool (@anthropic-ai/sdk, messages.d.ts),
 * OpenHands, Cline (docs.cline.bot, "All Cline tools"), OpenCode and Copilot.
 */
export const OTHER_KEYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  file_read: {
    path: `${FILE} folder_path`,
    offset: "start_line line_start start from_line begin_line start_line_one_indexed",
    limit: "max_lines num_lines line_count lines n_lines count",
  },
  file_list: { path: `${FOLDER} absolute_path`, depth: "max_depth levels" },
  glob: { pattern: "glob glob_pattern file_pattern query file_name name" },
  grep: {
    pattern: "query regex regexp search search_term search_pattern text term",
    path: `${FOLDER} ${FILE}`,
    glob: "include include_pattern file_pattern file_glob glob_pattern",
    ignore_case: "i case_insensitive",
    fixed: "fixed_strings literal",
    context: "c context_lines",
    max: "limit max_results head_limit max_count total_max_matches max_matches",
  },
  file_write: { path: FILE, content: "contents file_text file_content text data body" },
  file_edit: {
    path: FILE,
    old: "old_string old_str old_text search find old_content original",
    new: "new_string new_str new_text replace replacement replace_with new_content",
    expect_count: "expected_replacements expected_count occurrences",
  },
  command_run: {
    command: "cmd command_line shell_command script",
    cwd: "workdir working_directory working_dir dir directory dir_path folder",
    stdin: "input",
  },
  code_symbols: { path: FILE, name: "symbol query" },
  code_references: { path: `${FOLDER} ${FILE}`, name: "symbol query" },
  code_related: { path: FILE },
  git_commit: { message: "msg commit_message", paths: "files file_paths" },
  git_diff: { since: "base ref commit", path: FILE, staged: "cached" },
  git_log: { max: "limit n count max_count number", path: FILE, ref: "branch" },
  ticket_read: { id: "ticket ticket_id" },
  ticket_list: { state: "status" },
  ticket_create: {
    title: "name summary",
    context: "description body details",
    acceptance: "acceptance_criteria criteria",
    depends_on: "dependencies",
  },
  knowledge_read: { topic: "query", path: FILE, skill: "skill_name name command" },
  check_run: { name: "check check_name" },
  finish: {
    disposition: "status outcome",
    evidence: "message result summary reason why final_answer answer",
    ticket: "ticket_id",
    question: "ask prompt what",
    choices: "options suggestions follow_up",
  },
};

/** Fields that models add to a call and that do not change what is asked. */
export const COMMENTARY: ReadonlySet<string> = new Set(
  ("description explanation instruction instructions reason reasoning justification thought thoughts " +
    "security_risk requires_approval require_user_approval with_escalated_permissions " +
    "sandbox_permissions prefix_rule yield_time_ms max_output_tokens login")
    .replaceAll("_", "").split(" "),
);

/** Fields of another role's form of a tool: here nobody reads them. */
export const UNREAD: Readonly<Record<string, ReadonlySet<string>>> = {
  finish: new Set(["ticket", "ticketid"]),
};

/** Switches that no tool of svc has: off they mean nothing, and on they are an error. */
export const SWITCHES: ReadonlySet<string> = new Set(
  ("replace_all allow_multiple use_regex run_in_background is_background is_input tty " +
    "dangerously_disable_sandbox multiline names_only no_ignore o").replaceAll("_", "").split(" "),
);

/** Switches that say what svc does anyway: on they mean nothing. */
export const ALWAYS_ON: ReadonlySet<string> = new Set(
  "respect_git_ignore respect_gemini_ignore n should_read_entire_file".replaceAll("_", "").split(
    " ",
  ),
);

/** Equal for names that differ in case, hyphens, underscores and spaces alone. */
export function foldedKey(key: string): string {
  return key.slice(0, 100).toLowerCase().replace(/[-_\s]/g, "");
}

const ready = new Map<string, ReadonlyMap<string, string>>();

/** Folded names of others → the argument of the tool. */
export function otherKeysOf(tool: string): ReadonlyMap<string, string> {
  const known = ready.get(tool);
  if (known !== undefined) return known;
  const keys = Object.hasOwn(OTHER_KEYS, tool) ? OTHER_KEYS[tool]! : {};
  const found = new Map(
    Object.entries(keys).flatMap(([ours, names]) =>
      names.split(" ").map((name) => [foldedKey(name), ours] as const)
    ),
  );
  ready.set(tool, found);
  return found;
}
