/** Calls as other agents' tools take them, and what svc makes of them: a call of its own, or a hint. */

export interface OtherAgent {
  readonly agent: string;
  /** Where the names stand. */
  readonly source: string;
  /** Name, arguments, svc's tool, and its arguments or a part of the answer. */
  readonly calls: readonly (readonly [string, object, string, object | RegExp])[];
}

/** The repo that they are made in. */
export const FILES = { "src/a.ts": "const a = 1;\nconst b = 2;\n", "web/b.ts": "x\n" };

export const OTHER_AGENTS_CALLS: readonly OtherAgent[] = [
  {
    agent: "Claude Code",
    source: "npm @anthropic-ai/claude-agent-sdk 0.3.330, sdk-tools.d.ts",
    calls: [
      ["Read", { file_path: "src/a.ts", offset: 1, limit: 20 }, "file_read", {
        path: "src/a.ts",
        offset: 1,
        limit: 20,
      }],
      ["Write", { file_path: "n.ts", content: "x" }, "file_write", { path: "n.ts", content: "x" }],
      [
        "Edit",
        { file_path: "src/a.ts", old_string: "1", new_string: "3", replace_all: false },
        "file_edit",
        {
          ...{ path: "src/a.ts", old: "1", new: "3" },
        },
      ],
      [
        "Edit",
        { file_path: "src/a.ts", old_string: "1", new_string: "3", replace_all: true },
        "",
        /"replace_all" is no argument/,
      ],
      ["Skill", { skill: "fix-a-bug" }, "knowledge_read", { skill: "fix-a-bug" }],
      ["Glob", { pattern: "*.ts", path: "src" }, "glob", { pattern: "src/**/*.ts" }],
      [
        "Grep",
        {
          pattern: "b",
          path: "src",
          glob: "*.ts",
          output_mode: "content",
          "-i": true,
          "-n": true,
          "-C": 2,
          head_limit: 5,
        },
        "grep",
        {
          ...{ pattern: "b", path: "src", glob: "*.ts", ignore_case: true, context: 2, max: 5 },
        },
      ],
      [
        "Bash",
        { command: "npm test", timeout: 120000, description: "Test", run_in_background: false },
        "command_run",
        {
          command: "npm test",
          timeout_seconds: 120,
        },
      ],
      ["TodoWrite", { todos: [] }, "", /no list or plan/],
      ["Agent", { description: "x", prompt: "y" }, "", /no other agents/],
      ["WebFetch", { url: "x", prompt: "y" }, "", /reaches the web/],
      ["WebSearch", { query: "x" }, "", /reaches the web/],
      ["NotebookEdit", { notebook_path: "a" }, "", /Call file_edit/],
      ["AskUserQuestion", { questions: [] }, "", /nobody answers/],
      ["ExitPlanMode", { plan: "x" }, "", /no list or plan/],
    ],
  },
  {
    agent: "Gemini CLI",
    source: "npm @google/gemini-cli-core 0.61.0, dist/src/tools/definitions",
    calls: [
      ["read_file", { file_path: "src/a.ts", start_line: 1, end_line: 2 }, "file_read", {
        path: "src/a.ts",
        offset: 1,
        limit: 2,
      }],
      ["read_file", { file_path: "src/a.ts", start_line: 2 }, "file_read", {
        path: "src/a.ts",
        offset: 2,
      }],
      ["write_file", { file_path: "n.ts", content: "x" }, "file_write", {
        path: "n.ts",
        content: "x",
      }],
      [
        "replace",
        {
          file_path: "src/a.ts",
          instruction: "why",
          old_string: "1",
          new_string: "3",
          allow_multiple: false,
        },
        "file_edit",
        {
          ...{ path: "src/a.ts", old: "1", new: "3" },
        },
      ],
      [
        "grep_search",
        { pattern: "b", dir_path: "src", include_pattern: "*.ts", total_max_matches: 9 },
        "grep",
        {
          ...{ pattern: "b", path: "src", glob: "*.ts", max: 9 },
        },
      ],
      [
        "grep_search",
        { pattern: "b", case_sensitive: false, fixed_strings: true, before: 1, after: 2 },
        "grep",
        {
          ...{ pattern: "b", ignore_case: true, fixed: true, context: 2 },
        },
      ],
      ["search_file_content", { pattern: "b", path: "src", include: "*.ts" }, "grep", {
        pattern: "b",
        path: "src",
        glob: "*.ts",
      }],
      ["glob", { pattern: "**/*.ts", dir_path: "web/" }, "glob", { pattern: "web/**/*.ts" }],
      ["list_directory", { dir_path: "src" }, "file_list", { path: "src" }],
      [
        "run_shell_command",
        { command: "npm test", description: "Test", dir_path: "web", is_background: false },
        "command_run",
        {
          ...{ command: "npm test", cwd: "web" },
        },
      ],
      ["read_many_files", { include: ["src/**"] }, "", /Call file_read .*one file a call/],
      ["google_web_search", { query: "x" }, "", /reaches the web/],
      ["write_todos", { todos: [] }, "", /no list or plan/],
      ["save_memory", { fact: "x" }, "", /Nothing here is like it/],
      ["complete_task", { result: "x" }, "", /"disposition" is missing.*finish takes/s],
      ["ask_user", { questions: [] }, "", /nobody answers/],
    ],
  },
  {
    agent: "Qwen Code",
    source: "npm @qwen-code/qwen-code 0.24.4, ToolNames",
    calls: [
      ["edit", { file_path: "src/a.ts", old_string: "1", new_string: "3" }, "file_edit", {
        path: "src/a.ts",
        old: "1",
        new: "3",
      }],
      ["list_directory", { path: "src" }, "file_list", { path: "src" }],
      ["todo_write", { todos: [] }, "", /no list or plan/],
    ],
  },
  {
    agent: "Codex",
    source: "openai/codex, codex-rs/core/src/tools/spec.rs",
    calls: [
      [
        "shell",
        {
          command: ["bash", "-lc", "npm test"],
          workdir: "web",
          timeout_ms: 9500,
          justification: "why",
        },
        "command_run",
        {
          ...{ argv: ["bash", "-lc", "npm test"], cwd: "web", timeout_seconds: 10 },
        },
      ],
      ["shell_command", { command: "npm test", login: true }, "command_run", {
        command: "npm test",
      }],
      [
        "exec_command",
        {
          cmd: "npm test",
          tty: false,
          shell: "/bin/bash",
          yield_time_ms: 1000,
          max_output_tokens: 5000,
        },
        "command_run",
        {
          command: "npm test",
        },
      ],
      ["container.exec", { cmd: ["npm", "test"], workdir: "web" }, "command_run", {
        argv: ["npm", "test"],
        cwd: "web",
      }],
      ["read_file", { file_path: "src/a.ts", offset: 1, limit: 9 }, "file_read", {
        path: "src/a.ts",
        offset: 1,
        limit: 9,
      }],
      ["grep_files", { pattern: "b", include: "*.ts", path: "src", limit: 9 }, "grep", {
        ...{ pattern: "b", path: "src", glob: "*.ts", max: 9 },
      }],
      ["list_dir", { dir_path: "src", depth: 2 }, "file_list", { path: "src", depth: 2 }],
      ["apply_patch", { input: "*** Begin Patch" }, "", /Call file_edit .*patches are not read/],
      ["update_plan", { plan: [] }, "", /no list or plan/],
      ["view_image", { path: "a.png" }, "", /Nothing here is like it/],
      ["write_stdin", { session_id: 1, chars: "x" }, "", /Nothing here is like it/],
    ],
  },
  {
    agent: "OpenHands and SWE-agent, whose editor is Anthropic's",
    source:
      "All-Hands-AI/OpenHands, openhands/llm/tool_names.py; npm @anthropic-ai/sdk, messages.d.ts",
    calls: [
      [
        "execute_bash",
        { command: "npm test", is_input: "false", security_risk: "LOW" },
        "command_run",
        { command: "npm test" },
      ],
      ["execute_bash", { command: "C-c", is_input: "true" }, "", /"is_input" is no argument/],
      [
        "str_replace_editor",
        { command: "view", path: "src/a.ts", view_range: [1, 2] },
        "file_read",
        { path: "src/a.ts", offset: 1, limit: 2 },
      ],
      [
        "str_replace_editor",
        {
          command: "str_replace",
          path: "src/a.ts",
          old_str: "1",
          new_str: "3",
          security_risk: "LOW",
        },
        "file_edit",
        {
          ...{ path: "src/a.ts", old: "1", new: "3" },
        },
      ],
      [
        "str_replace_based_edit_tool",
        { command: "create", path: "n.ts", file_text: "x" },
        "file_write",
        { path: "n.ts", content: "x" },
      ],
      [
        "str_replace_editor",
        { command: "create", path: "src/a.ts", file_text: "x" },
        "",
        /exists, and would be replaced/,
      ],
      [
        "str_replace_editor",
        { command: "insert", path: "src/a.ts", insert_line: 1, new_str: "x" },
        "",
        /Call file_edit .*a line of the file/,
      ],
      ["str_replace_editor", { command: "undo_edit", path: "src/a.ts" }, "", /nothing is undone/],
      ["think", { thought: "x" }, "", /Think without a tool/],
      ["task_tracker", { command: "view" }, "", /no list or plan/],
      ["execute_ipython_cell", { code: "1" }, "", /Call command_run .*interpreter/],
      ["submit", {}, "", /"disposition" is missing/],
      ["submit", { disposition: "submitted", evidence: "done" }, "finish", {
        disposition: "submitted",
        evidence: "done",
      }],
    ],
  },
  {
    agent: "Cline",
    source:
      "docs.cline.bot/tools-reference/all-cline-tools; npm @cline/core 0.0.86, DefaultToolNames",
    calls: [
      ["read_file", { path: "src/a.ts" }, "file_read", { path: "src/a.ts" }],
      ["write_to_file", { path: "n.ts", content: "x" }, "file_write", {
        path: "n.ts",
        content: "x",
      }],
      ["search_files", { path: "src", regex: "b", file_pattern: "*.ts" }, "grep", {
        pattern: "b",
        path: "src",
        glob: "*.ts",
      }],
      ["list_files", { path: "src", recursive: "true" }, "file_list", { path: "src", depth: 20 }],
      ["execute_command", { command: "npm test", requires_approval: "false" }, "command_run", {
        command: "npm test",
      }],
      [
        "replace_in_file",
        { path: "src/a.ts", diff: "<<<<<<< SEARCH" },
        "",
        /"old" is missing.*"diff" is no argument/s,
      ],
      ["attempt_completion", { result: "x" }, "", /"disposition" is missing/],
      ["ask_followup_question", { question: "x" }, "", /nobody answers/],
      ["editor", { path: "src/a.ts", old_text: "1", new_text: "3" }, "file_edit", {
        path: "src/a.ts",
        old: "1",
        new: "3",
      }],
      ["run_commands", { commands: ["a", "b"] }, "", /one call for each command/],
      ["fetch_web_content", { requests: [] }, "", /reaches the web/],
      ["submit_and_exit", { summary: "x" }, "", /"disposition" is missing/],
    ],
  },
  {
    agent: "Copilot",
    source: "microsoft/vscode-copilot-chat, src/extension/tools/common/toolNames.ts",
    calls: [
      ["read_file", { filePath: "src/a.ts", startLine: 1, endLine: 2 }, "file_read", {
        path: "src/a.ts",
        offset: 1,
        limit: 2,
      }],
      [
        "replace_string_in_file",
        { filePath: "src/a.ts", oldString: "1", newString: "3" },
        "file_edit",
        {
          ...{ path: "src/a.ts", old: "1", new: "3" },
        },
      ],
      ["create_file", { filePath: "n.ts", content: "x" }, "file_write", {
        path: "n.ts",
        content: "x",
      }],
      [
        "run_in_terminal",
        { command: "npm test", explanation: "why", isBackground: false },
        "command_run",
        { command: "npm test" },
      ],
      ["grep_search", { query: "b", isRegexp: false, includePattern: "src/**" }, "grep", {
        pattern: "b",
        glob: "src/**",
        fixed: true,
      }],
      ["insert_edit_into_file", { filePath: "src/a.ts", code: "x" }, "", /Call file_edit/],
      ["semantic_search", { query: "b" }, "", /nothing searches by meaning/],
    ],
  },
  {
    agent: "OpenCode",
    source: "sst/opencode, packages/opencode/src/tool",
    calls: [
      ["skill", { name: "fix-a-bug" }, "knowledge_read", { skill: "fix-a-bug" }],
      ["read", { filePath: "src/a.ts", offset: 0, limit: 9 }, "file_read", {
        path: "src/a.ts",
        limit: 9,
      }],
      [
        "edit",
        { filePath: "src/a.ts", oldString: "1", newString: "3", replaceAll: false },
        "file_edit",
        {
          ...{ path: "src/a.ts", old: "1", new: "3" },
        },
      ],
      ["list", { path: "src" }, "file_list", { path: "src" }],
      ["grep", { pattern: "b", include: "*.ts" }, "grep", { pattern: "b", glob: "*.ts" }],
      ["todowrite", { todos: [] }, "", /no list or plan/],
    ],
  },
];
