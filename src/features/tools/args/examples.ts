/** One right call for each tool, shown beside an error. */
import { definitionOf } from "svc/features/tools/definitions.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import type { FieldSchema } from "./asked.ts";

const EXAMPLES: Readonly<Record<string, object>> = {
  file_read: { path: "src/main.ts" },
  file_list: { path: "src", depth: 2 },
  glob: { pattern: "src/**/*.ts" },
  grep: { pattern: "parseArgs", path: "src" },
  file_write: { path: "src/greet.ts", content: 'export const greeting = "hello";\n' },
  file_edit: { path: "src/main.ts", old: "const port = 80;", new: "const port = 8080;" },
  git_diff: { since: "main" },
  git_log: { max: 10 },
  git_commit: { message: "fix(users): refuse no name" },
  ticket_read: { id: "T-0007" },
  ticket_list: { state: "backlog" },
  ticket_create: {
    ...{ title: "Refuse users without a name", type: "bug" },
    context: "src/users.ts line 20 takes an empty name",
    acceptance: ["A test shows that an empty name is refused"],
  },
  record_decision: {
    title: "Keep users in SQLite",
    context: "What made it necessary",
    decision: "What is done, and why not otherwise",
    consequences: "What gets easier, and what harder",
  },
  tool_create: { name: "repo_format", about: "Formats the code", argv: ["deno", "fmt"] },
  knowledge_read: { topic: "releases" },
  code_symbols: { path: "src/main.ts" },
  code_references: { name: "parseArgs" },
  code_related: { path: "src/main.ts" },
  command_run: { command: "npm test" },
  check_run: { name: "test" },
  finish: { disposition: "submitted", evidence: "What was done, and what proves it" },
};

function placeholder({ type, enum: choices, items }: FieldSchema): unknown {
  if (choices !== undefined) return choices[0];
  if (type === "array") return [placeholder(items ?? {})];
  return type === "integer" || type === "number" ? 1 : type === "boolean" ? true : "text";
}

/** Arguments as JSON; undefined for a tool that needs none. */
export function exampleOf(tool: AnyTool): string | undefined {
  const { properties = {}, required = [] } = definitionOf(tool).function.parameters;
  const fields = properties as Record<string, FieldSchema>;
  const known = Object.hasOwn(EXAMPLES, tool.name) ? EXAMPLES[tool.name] : undefined;
  // A role may report other dispositions than the example's.
  const choices = fields["disposition"]?.enum;
  if (known !== undefined) {
    return JSON.stringify({ ...known, ...(choices && { disposition: choices[0] }) });
  }
  if ((required as readonly string[]).length === 0) return undefined;
  return JSON.stringify(
    Object.fromEntries(
      (required as readonly string[]).map((key) => [key, placeholder(fields[key]!)]),
    ),
  );
}
