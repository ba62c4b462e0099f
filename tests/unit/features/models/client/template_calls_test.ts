/**
 * What published templates write for an assistant's tool calls is what their models were taught to write, and
 * is read back here. Not ours: the templates of npm's `@huggingface/ollama-utils`, in Jinja as models ship them
 * and in Go as Ollama does, and the engine `@huggingface/jinja`.
 */
import assert from "node:assert/strict";
import { readTextCalls } from "svc/features/models/client/text_calls.ts";
import { splitThinking } from "svc/features/models/client/thinking.ts";
import { jinja, ollamaModels } from "tests/kit/chat_templates.ts";

const TOOLS = [{
  type: "function",
  function: {
    name: "file_edit",
    description: "Edits",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "A path" },
        text: { type: "string", description: "A text" },
        line: { type: "integer", description: "A line" },
        all: { type: "boolean", description: "All of them" },
        tags: { type: "array", items: { type: "string" }, description: "Tags" },
      },
    },
  },
}, {
  type: "function",
  function: {
    name: "git_status",
    description: "Shows",
    parameters: { type: "object", properties: {} },
  },
}];

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const EDIT: Call = {
  name: "file_edit",
  args: {
    path: "src/ü.ts",
    text: 'if (a < b && "c") {\n\tlog(`}</div>`);\n}',
    line: 12,
    all: false,
    tags: ["a b", "{"],
  },
};
const SECOND: Call = { name: "file_edit", args: { path: "b", text: "'" } };

/** How a server gives the turn to the template: content and arguments in one of two forms each. */
interface Shape {
  readonly content: "" | null;
  readonly argsAsText: boolean;
  /** Command-R shows calls only beside documents. */
  readonly documents?: readonly unknown[];
}

const SHAPES: readonly Shape[] = [
  { content: "", argsAsText: false },
  { content: "", argsAsText: true },
  { content: null, argsAsText: false },
  { content: null, argsAsText: true },
  { content: "", argsAsText: false, documents: [{ title: "A" }] },
];

/** A turn of the assistant alone: what comes behind the prompt that a server would have sent. */
function written(template: string, calls: readonly Call[], shape: Shape): string {
  const made = jinja(template);
  const { content, argsAsText, documents } = shape;
  // Firefunction takes its tools and the date under other names.
  const fire = { functions: "[]", datetime: "now" };
  const given = { tools: TOOLS, ...fire, documents, bos_token: "<s>", eos_token: "</s>" };
  const user = [{ role: "user", content: "Go." }];
  const assistant = {
    role: "assistant",
    content,
    tool_plan: "I edit.",
    tool_calls: calls.map(({ name, args }, at) => ({
      id: `call0000${at}`,
      type: "function",
      function: { name, arguments: argsAsText ? JSON.stringify(args) : args },
    })),
  };
  const prompt = made.render({ ...given, messages: user, add_generation_prompt: true });
  const whole = made.render({ ...given, messages: [...user, assistant] });
  // Some templates open the reply with a block of thinking that an old turn does not have.
  let same = 0;
  while (same < prompt.length && prompt[same] === whole[same]) same++;
  return whole.slice(same < prompt.length ? prompt.lastIndexOf("<", same) : same)
    .replace(OPENED_AGAIN, "");
}

/** Firefunction's template opens the next turn in any case. */
const OPENED_AGAIN = /<\|start_header_id\|>assistant<\|end_header_id\|>\s*$/;

/** Undefined where the template refuses the shape, or shows no call in it. */
function shown(template: string, calls: readonly Call[], shape: Shape): string | undefined {
  try {
    const text = written(template, calls, shape);
    return text.includes(calls[0]!.name) && !text.includes("[object Map]") ? text : undefined;
  } catch {
    return undefined; // it raises, or meets a filter that does not take the shape
  }
}

function readBack(text: string): readonly Call[] {
  const { calls, text: left } = readTextCalls(splitThinking(text).said, TOOLS);
  assert.equal(left.replace(/^I edit\.$/, ""), "", "nothing of the call is left in the text");
  return calls.map(({ name, args }) => ({ name, args: JSON.parse(args) }));
}

/** Takes content as a list of parts, which svc never sends. */
const NO_CALLS = /llama3\.2-vision/;

const seen = new Set<string>();
for (const { model, gguf } of await ollamaModels()) {
  if (!/tool_calls/.test(gguf) || seen.has(gguf) || NO_CALLS.test(model)) continue;
  seen.add(gguf);
  Deno.test(`a call as the template of ${model} writes it is read back`, () => {
    const tried = [[EDIT], [EDIT, SECOND], [{ name: "git_status", args: {} }]].flatMap((calls) =>
      SHAPES.map((shape) => ({ calls, text: shown(gguf, calls, shape) }))
    );
    const texts = tried.filter(({ text }) => text !== undefined);
    assert.notEqual(texts.length, 0, "the template shows a call");
    for (const { calls, text } of texts) assert.deepEqual(readBack(text!), calls, text);
  });
}

const GO_CALLS =
  /\.ToolCalls[^}]*\}\}((?:(?!\{\{)[\s\S])*)\{\{ *range [^}]*\.ToolCalls *\}\}([\s\S]*?)\{\{ *end *\}\}((?:(?!\{\{)[\s\S])*)/;

/** The part of a Go template that ranges over an assistant's calls; undefined where it holds more than their fields. */
function goWriter(template: string): ((calls: readonly Call[]) => string) | undefined {
  // A hyphen in a bracket trims the blanks beside it (pkg.go.dev/text/template).
  const trimmed = template.replaceAll(/\s*\{\{-/g, "{{").replaceAll(/-\}\}\s*/g, "}}");
  const [, before, body, after] = GO_CALLS.exec(trimmed) ?? [];
  if (body === undefined) return undefined;
  const one = ({ name, args }: Call, at: number) =>
    body.replaceAll(/\{\{ *\.Function\.Name *\}\}/g, name)
      .replaceAll(/\{\{ *\.Function\.Arguments *\}\}/g, () => JSON.stringify(args))
      .replaceAll(/\{\{ *\$i *\}\}/g, String(at))
      .replaceAll(/\{\{ *"(.)" *\}\}/g, "$1");
  if (one({ name: "x", args: {} }, 0).includes("{{")) return undefined;
  return (calls) => before + calls.map(one).join("") + after;
}

const goForms = new Map<string, string>();
for (const { model, ollama } of await ollamaModels()) {
  const write = goWriter(ollama.template);
  if (write === undefined || goForms.has(write([EDIT]))) continue;
  goForms.set(write([EDIT]), model);
  Deno.test(`a call as Ollama's template of ${model} writes it is read back`, () => {
    // Phi-4-mini's leaves out a bracket behind each call: two of them run into each other.
    const lists = model.includes("phi4-mini") ? [[EDIT]] : [[EDIT], [EDIT, SECOND]];
    for (const calls of lists) {
      const text = write(calls);
      assert.deepEqual(readBack(text), calls, text);
    }
  });
}
