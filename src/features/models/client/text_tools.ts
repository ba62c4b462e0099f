/** Tools as text where a model has no native calls: `# Tools`, `<tool_call>` with JSON, `<tool_result>`. */

export interface TextToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: unknown;
}

interface LooseDefinition {
  readonly function?: LooseDefinition;
  readonly name?: unknown;
  readonly description?: unknown;
  readonly parameters?: unknown;
}

export function definitionsOf(tools: readonly unknown[]): TextToolDefinition[] {
  return tools.flatMap((tool) => {
    const { name, description, parameters } = (tool as LooseDefinition)?.function ??
      (tool as LooseDefinition) ?? {};
    if (typeof name !== "string") return [];
    return [{ name, description: typeof description === "string" ? description : "", parameters }];
  });
}

/** The same bytes for the same definitions. */
export function toolAddendum(tools: readonly unknown[]): string {
  const lines = definitionsOf(tools).map((tool) => JSON.stringify(tool));
  return [
    "# Tools",
    "",
    "You work by calling tools. To call one, write exactly this, on a line of its own:",
    "",
    '<tool_call>{"name": "<name of the tool>", "arguments": {<its arguments>}}</tool_call>',
    "",
    "The arguments are one JSON object. Write nothing after your calls: the results come in the next",
    "message, in <tool_result> blocks. These are the tools, with the JSON Schema of their arguments:",
    "",
    ...lines,
  ].join("\n");
}

export function callAsText(name: string, args: string): string {
  return `<tool_call>{"name": ${JSON.stringify(name)}, "arguments": ${args || "{}"}}</tool_call>`;
}

/** Escapes closing tags, so that a result cannot close its own block. */
export function resultAsText(id: string, name: string, text: string): string {
  const inner = text.replaceAll("</tool_result", "<\\/tool_result");
  return `<tool_result id=${JSON.stringify(id)} name=${
    JSON.stringify(name)
  }>\n${inner}\n</tool_result>`;
}
