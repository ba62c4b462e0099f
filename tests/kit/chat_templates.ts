/**
 * Chat templates as models ship them: those of npm's `@huggingface/ollama-utils` that mention tools, rendered
 * with `@huggingface/jinja`, the engine of Hugging Face's own JavaScript.
 */
import { Template } from "@huggingface/jinja";
import type { ChatMessage, ChatRequest } from "./model_scenario.ts";

/** The package exports a converter alone; its table is read from its source. */
const TABLE = new URL(
  "../../node_modules/@huggingface/ollama-utils/src/chat-template-automap.ts",
  import.meta.url,
);

export interface ChatTemplate {
  /** Such as "library/qwen3:0.6b". */
  readonly model: string;
  /** Jinja. */
  readonly template: string;
  /** Throws what the template raises. */
  render(request: ChatRequest): string;
}

/**
 * Templates that no server renders like this: Llama-3.2-Vision takes content as a list of parts, which svc
 * never sends (it sends no images).
 */
const OTHER_INPUT = /llama3\.2-vision/;

/** Jinja's `reject("in", …)` is missing in the engine: Qwen3-Coder's loop says the same with an `if`. */
function withoutReject(template: string): string {
  return template.replaceAll(
    / in ([\w.()]+) \| reject\("in", (\w+)\) %\}/g,
    " in $1 if $$KEY not in $2 %}",
  )
    .replaceAll(/for (\w+) in ([\w.()]+) if \$KEY/g, "for $1 in $2 if $1");
}

/** Servers parse the arguments before they render. */
function parsed(message: ChatMessage) {
  return message.tool_calls === undefined ? message : {
    ...message,
    tool_calls: message.tool_calls.map((call) => ({
      ...call,
      function: { ...call.function, arguments: JSON.parse(call.function.arguments) },
    })),
  };
}

/** A row of the package's table: a model of Ollama's library, its template, and how Ollama samples it. */
interface OllamaModel {
  readonly model: string;
  /** The template in Jinja, as the model's own files have it. */
  readonly gguf: string;
  /** The same in Go, as Ollama has it. */
  readonly ollama: {
    readonly template: string;
    readonly params?: Readonly<Record<string, unknown>>;
  };
}

export async function ollamaModels(): Promise<readonly OllamaModel[]> {
  const source = await Deno.readTextFile(TABLE);
  const script = source.replace(/^import type.*$/m, "").replace(
    /: OllamaChatTemplateMapEntry\[\]/,
    "",
  );
  const { OLLAMA_CHAT_TEMPLATE_MAPPING: table } = await import(
    `data:text/javascript,${encodeURIComponent(script)}`
  ) as { OLLAMA_CHAT_TEMPLATE_MAPPING: readonly OllamaModel[] };
  return table;
}

export const jinja = (template: string) => new Template(withoutReject(template));

export async function chatTemplates(): Promise<readonly ChatTemplate[]> {
  const seen = new Set<string>();
  return (await ollamaModels()).flatMap(({ model, gguf }) => {
    if (!/\btools\b/.test(gguf) || OTHER_INPUT.test(model) || seen.has(gguf)) return [];
    seen.add(gguf);
    const template = jinja(gguf);
    const render = ({ messages, tools = [] }: ChatRequest) =>
      template.render({
        messages: messages.map(parsed),
        ...(tools.length > 0 && { tools }),
        add_generation_prompt: true,
        bos_token: "<s>",
        eos_token: "</s>",
      });
    return [{ model, template: gguf, render }];
  });
}
