/** What Anthropic's Messages refuse in a request, in the service's own words; each with where they were seen. */
import { unknownField } from "./chat_rules.ts";
import { invalid, readBlocks, type WireBlock } from "./anthropic_wire.ts";
import type { Asked, Rule } from "./zoo.ts";

/** Fields of `MessageCreateParamsBase` in npm `@anthropic-ai/sdk` 1.12.0; any other is "Extra inputs". */
const FIELDS = [
  ...["model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream", "metadata"],
  ...["temperature", "top_p", "top_k", "stop_sequences", "thinking", "output_config"],
  ...["cache_control", "container", "diagnostics", "inference_geo", "service_tier", "speed"],
];

/** Fields of content blocks, by type. */
const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text", "cache_control", "citations"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  tool_use: ["type", "id", "name", "input", "cache_control", "caller"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control"],
};

/** BerriAI/litellm#15097, openai/codex#14355 and others show the form of these sentences. */
const shape: Rule = ({ body }) => {
  if (body === undefined) {
    return invalid("The request body is not valid JSON: unexpected character");
  }
  for (const field of ["model", "max_tokens", "messages"]) {
    if (!(field in body)) return invalid(`${field}: Field required`);
  }
  const extra = unknownField(body, FIELDS);
  if (extra !== undefined) return invalid(`${extra}: Extra inputs are not permitted`);
  if (!Number.isInteger(body.max_tokens) || body.max_tokens < 1) {
    return invalid("max_tokens: Input should be greater than or equal to 1");
  }
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    return invalid("messages: at least one message is required");
  }
};

const blocks: Rule = ({ body }) => {
  for (const [at, message] of body.messages.entries()) {
    const where = `messages.${at}`;
    const extra = unknownField(message, ["role", "content"]);
    if (extra !== undefined) return invalid(`${where}.${extra}: Extra inputs are not permitted`);
    if (!["user", "assistant"].includes(message.role)) {
      return invalid(`${where}: Unexpected role "${message.role}"`);
    }
    const content = readBlocks(message);
    if (content.length === 0) return invalid(`${where}: all messages must have non-empty content`);
    for (const [index, block] of content.entries()) {
      const fields = BLOCK_FIELDS[block.type];
      if (fields === undefined) {
        return invalid(`${where}.content.${index}: Input tag '${block.type}'`);
      }
      const other = unknownField(block, fields);
      if (other !== undefined) {
        return invalid(
          `${where}.content.${index}.${block.type}.${other}: Extra inputs are not permitted`,
        );
      }
      if (block.type === "text" && block.text!.trim() === "") {
        return invalid(`${where}: text content blocks must contain non-whitespace text`);
      }
      const { cache_control: mark } = block;
      if (mark !== undefined && mark.type !== "ephemeral") {
        return invalid(`${where}.content.${index}.cache_control.type: Input should be 'ephemeral'`);
      }
    }
  }
};

/** platform.claude.com/docs/en/build-with-claude/prompt-caching: four breakpoints, none on thinking. */
const cacheMarks: Rule = ({ body }) => {
  const marks = JSON.stringify(body).split('"cache_control"').length - 1;
  if (marks <= 4) return;
  return invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
};

const roles: Rule = ({ body }) => {
  const { messages } = body;
  if (messages[0].role !== "user") {
    return invalid('messages: first message must use the "user" role');
  }
  // Prefill is refused by models from 4.6 on (dify-official-plugins#2898).
  if (messages.at(-1).role === "assistant") {
    return invalid(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  }
  // The service joins messages of one role; svc is to send none, since results and notes belong together.
  const twice = messages.findIndex((one: { role: string }, at: number) =>
    one.role === messages[at - 1]?.role
  );
  if (twice !== -1) return invalid(`messages: roles must alternate between "user" and "assistant"`);
};

/** anthropics/claude-code#8210 and #18947; OpenHands#7512. */
const toolResults: Rule = ({ body }) => {
  const seen = new Set<string>();
  let open: string[] = [];
  for (const [at, message] of body.messages.entries()) {
    const content = readBlocks(message);
    const uses = content.filter(({ type }) => type === "tool_use").map(({ id }) => String(id));
    const results = content.filter(({ type }) => type === "tool_result");
    for (const [index, { tool_use_id: id }] of results.entries()) {
      if (!open.includes(id!)) {
        return invalid(
          `messages.${at}.content.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        );
      }
    }
    const answered = new Set(results.map(({ tool_use_id: id }) => id));
    const missing = open.filter((id) => !answered.has(id));
    if (missing.length > 0) {
      return invalid(
        `messages.${
          at - 1
        }: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${
          missing.join(", ")
        }. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    }
    // platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use: results first, then text.
    if (
      results.length > 0 &&
      content.findLastIndex(({ type }) => type === "tool_result") >= results.length
    ) {
      return invalid(`messages.${at}: \`tool_result\` blocks must come before any \`text\` block`);
    }
    for (const id of uses) {
      if (!/^[a-zA-Z0-9_-]+$/.test(id)) {
        return invalid(
          `messages.${at}.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`,
        );
      }
      if (seen.has(id)) return invalid(`messages.${at}: \`tool_use\` ids must be unique`);
      seen.add(id);
    }
    open = uses;
  }
};

const toolUses: Rule = ({ body }) => {
  for (const [at, message] of body.messages.entries()) {
    for (const [index, { type, input, name }] of readBlocks(message).entries()) {
      if (type !== "tool_use") continue;
      if (typeof input !== "object" || input === null || Array.isArray(input)) {
        return invalid(
          `messages.${at}.content.${index}.tool_use.input: Input should be a valid dictionary`,
        );
      }
      if (!/^[a-zA-Z0-9_-]{1,200}$/.test(String(name))) {
        return invalid(
          `messages.${at}.content.${index}.tool_use.name: String should match pattern`,
        );
      }
    }
  }
};

/** The schema of a tool: an object without a choice at its top (vercel/ai and others met the second). */
const tools: Rule = ({ body }) => {
  for (const [at, tool] of (body.tools ?? []).entries()) {
    const extra = unknownField(tool, [
      "name",
      "description",
      "input_schema",
      "cache_control",
      "type",
    ]);
    if (extra !== undefined) {
      return invalid(`tools.${at}.custom.${extra}: Extra inputs are not permitted`);
    }
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(tool.name)) {
      return invalid(
        `tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
      );
    }
    if (tool.input_schema?.type !== "object") {
      return invalid(`tools.${at}.custom.input_schema.type: Field required`);
    }
    // Met with MCP servers of OneDrive and App Store Connect (ComposioHQ/composio#3500, anthropics/claude-code#79418).
    const names = Object.keys(tool.input_schema.properties ?? {});
    if (!names.every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name))) {
      return invalid(
        `tools.${at}.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`,
      );
    }
    if (["oneOf", "allOf", "anyOf"].some((key) => key in tool.input_schema)) {
      return invalid(
        `tools.${at}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
      );
    }
  }
};

export const COMMON_RULES: readonly Rule[] = [
  shape,
  blocks,
  cacheMarks,
  roles,
  toolResults,
  toolUses,
  tools,
];

/** The last reply, where it made calls whose results the request ends with. */
export function loopReply({ body }: Asked): readonly WireBlock[] | undefined {
  const [before, last] = body.messages.slice(-2);
  if (last === undefined || readBlocks(last)[0]?.type !== "tool_result") return undefined;
  return readBlocks(before);
}
