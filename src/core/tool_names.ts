/** Which tool a model means: names with a prefix, a suffix or another case, and names of other agents' tools. */
import { withoutEnding } from "./text_ends.ts";

/** The part of a map or a set that is asked. */
export interface OfferedNames {
  has(name: string): boolean;
  keys(): Iterable<string>;
}

/** A longer name is no name of a tool. */
const NAME_CHARS = 200;

/** What models write before a name: harmony "functions.", Gemini's Python form "default_api.", MCP clients "mcp__svc__". */
const NAMESPACE =
  /^(?:functions?|tools?|default_api|api|commentary|assistant|mcp__svc|mcp_svc|svc)(?:\.|:{1,2}|\/|__)(?=[a-z])/i;

/**
 * Harmony's header is `<|channel|>commentary to=functions.name <|constrain|>json` (openai/harmony, docs/format.md); servers
 * leave parts of it in the name: `name<|channel|>commentary` (vllm-project/vllm issue 32587, ollama/ollama issue 12132).
 */
const ADDRESS = /\bto=/;
const SPECIAL_TOKEN = /<\|/;

/** Kimi K2 numbers its calls: `functions.name:0` (MoonshotAI/Kimi-K2, docs/tool_call_guidance.md). */
const NUMBER = /:\d{1,4}$/;

/** The name alone, spelt as it was. */
export function bareToolName(written: string): string {
  let name = written.slice(0, NAME_CHARS).trim();
  const address = ADDRESS.exec(name);
  if (address !== null) name = name.slice(address.index + address[0].length);
  const token = SPECIAL_TOKEN.exec(name);
  if (token !== null) name = name.slice(0, token.index);
  name = withoutEnding(name.replace(/^[\s"'`*<]+/, ""), " \t\r\n\"'`*>,;");
  name = name.replace(/\(\s*\)?$/, "").replace(NUMBER, "");
  while (NAMESPACE.test(name)) name = name.replace(NAMESPACE, "");
  return name.trim();
}

/** Equal for names that differ in case, hyphens, underscores, dots and spaces alone. */
function folded(name: string): string {
  return name.toLowerCase().replace(/[-_.\s/]/g, "");
}

/** The offered name that is written with a prefix, a suffix or another case; undefined where two would fit. */
export function offeredToolName(written: string, offered: OfferedNames): string | undefined {
  if (offered.has(written)) return written;
  const bare = bareToolName(written);
  if (offered.has(bare)) return bare;
  const wanted = folded(bare);
  if (wanted === "") return undefined;
  const same = [...offered.keys()].filter((name) => folded(name) === wanted);
  return same.length === 1 ? same[0] : undefined;
}

/**
 * Tools of other agents, by the tool of svc that does the most similar thing; names without one stand under "".
 * From Claude Code (@anthropic-ai/claude-agent-sdk, sdk-tools.d.ts), Gemini CLI and Qwen Code
 * (@google/gemini-cli-core, base-declarations.js), Codex (openai/codex, codex-rs/core/src/tools/spec.rs), OpenHands
 * (openhands/llm/tool_names.py), SWE-agent, Cline (docs.cline.bot, "All Cline tools"; @cline/core), Roo Code (@roo-code/types,
 * toolNames), OpenCode (packages/opencode/src/tool), Copilot (microsoft/vscode-copilot-chat, toolNames.ts).
 */
const OTHER_AGENTS: Readonly<Record<string, string>> = {
  file_read: "read read_file view view_file open_file cat read_text_file get_file_contents " +
    "read_many_files read_files",
  file_list: "ls list list_dir list_directory list_files",
  glob: "file_search find_file find_files find_by_name find_path",
  grep: "search grep_search grep_files search_files search_file_content search_text search_dir " +
    "find_text_in_files ripgrep rg codebase_search search_codebase semantic_search",
  file_write: "write write_file write_to_file create create_file create_new_file save_file",
  file_edit: "edit edit_file str_replace str_replace_editor str_replace_based_edit_tool replace " +
    "replace_in_file replace_string_in_file search_replace search_and_replace multi_edit " +
    "apply_patch apply_diff patch insert insert_edit_into_file notebook_edit undo_edit editor",
  command_run: "bash sh shell shell_command local_shell container_exec exec exec_command " +
    "execute_command execute_bash run_bash bash_exec run_command run_shell_command run_terminal_cmd " +
    "run_terminal_command run_in_terminal terminal execute run run_commands python execute_ipython_cell",
  knowledge_read: "skill skills use_skill activate_skill load_skill",
  finish: "attempt_completion complete_task task_complete task_done submit done exit end_task " +
    "submit_and_exit final_answer ask_followup_question ask_user ask_user_question ask_question question " +
    "request_user_input",
  "": "todo todo_write todo_read write_todos update_todo_list manage_todo_list update_plan " +
    "task_tracker think web_fetch fetch fetch_web_content web_search google_web_search browser task " +
    "agent new_task spawn_agent enter_plan_mode exit_plan_mode switch_mode view_image " +
    "generate_image save_memory use_mcp_tool access_mcp_resource read_mcp_resource list_mcp_resources " +
    "write_stdin read_command_output run_slash_command",
};

const COUNTERPARTS: ReadonlyMap<string, string> = new Map(
  Object.entries(OTHER_AGENTS).flatMap(([ours, names]) =>
    names.split(" ").map((name) => [folded(name), ours] as const)
  ),
);

/** The tool of svc that is most like another agent's; "" where svc has none, undefined for a name of nobody's. */
export function counterpartOf(written: string): string | undefined {
  return COUNTERPARTS.get(folded(bareToolName(written)));
}

/** A name to call by: an offered one, or another agent's as it stands, which the toolbox answers; else undefined. */
export function callableToolName(written: string, offered: OfferedNames): string | undefined {
  const name = offeredToolName(written, offered);
  if (name !== undefined) return name;
  const counterpart = counterpartOf(written);
  if (counterpart === undefined) return undefined;
  return counterpart === "" || offered.has(counterpart) ? bareToolName(written) : undefined;
}
