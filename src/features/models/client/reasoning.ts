/** A reply's reasoning in a chat message: gathered in the field in which it comes, and given back in it. */
import { type Redact, redactedJson } from "svc/core/redact.ts";
import type { Message, Reasoning } from "./model.ts";

type Item = Readonly<Record<string, unknown>>;

/** Fields of a streamed or whole chat message that hold reasoning. */
export interface ReasoningFields {
  readonly content?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly reasoning_details?: unknown;
  readonly extra_content?: unknown;
}

const text = (value: unknown) => typeof value === "string" ? value : "";
const isItem = (value: unknown): value is Item => typeof value === "object" && value !== null;
const itemsIn = (value: unknown) => Array.isArray(value) ? value.filter(isItem) : [];

/** The plain words of Mistral's chunks (docs.mistral.ai, "Reasoning": `thinking` is a list of text chunks). */
const wordsOf = (chunk: Item) => itemsIn(chunk.thinking).map((part) => text(part.text)).join("");

/** A piece continues the item before it of the same kind and index; encrypted items come whole. */
function join(items: Item[], piece: Item, joined: readonly string[]): void {
  const last = items.at(-1);
  const continues = last?.type === piece.type && last?.index === piece.index;
  if (last === undefined || !continues || "data" in piece) {
    items.push(piece);
    return;
  }
  const known = Object.fromEntries(Object.entries(piece).filter(([, value]) => value != null));
  const longer = joined.filter((key) => key in known)
    .map((key) => [key, text(last[key]) + text(known[key])]);
  items[items.length - 1] = { ...last, ...known, ...Object.fromEntries(longer) };
}

export interface ReasoningParts {
  /** Returns what of the reasoning is in plain words. */
  take(delta: ReasoningFields): string;
  collected(): Reasoning | undefined;
}

/**
 * The fields: `reasoning_content` of DeepSeek, llama.cpp, GLM, Kimi and older vLLM; `reasoning` of vLLM
 * since 0.11 ("reasoning used to be called reasoning_content"), Ollama and Groq; `reasoning_details` of
 * OpenRouter, whose pieces are joined by index (openrouter.ai/docs/use-cases/reasoning-tokens); chunks of
 * type `thinking` in Mistral's content; `extra_content` of Gemini's OpenAI endpoint.
 */
export function reasoningParts(): ReasoningParts {
  let written = "";
  let field: Reasoning["field"];
  const items: Item[] = [];
  return {
    take(delta) {
      const details = itemsIn(delta.reasoning_details);
      const chunks = itemsIn(delta.content).filter(({ type }) => type === "thinking");
      const plain = text(delta.reasoning_content) || text(delta.reasoning);
      let words = plain;
      if (details.length > 0) {
        field = "reasoning_details";
        for (const detail of details) join(items, detail, ["text", "summary"]);
        words ||= details.map((detail) => text(detail.text) || text(detail.summary)).join("");
      } else if (chunks.length > 0) {
        field = "content";
        words ||= chunks.map(wordsOf).join("");
        for (const { thinking: _, ...rest } of chunks) join(items, rest, []);
      } else if (isItem(delta.extra_content)) {
        field ??= "extra_content";
        if (field === "extra_content") items.push(delta.extra_content as Item);
      } else if (plain !== "") {
        field ??= text(delta.reasoning_content) !== "" ? "reasoning_content" : "reasoning";
      }
      written += words;
      return words;
    },
    collected() {
      if (written === "" && items.length === 0) return undefined;
      const whole = field !== "content"
        ? items
        : items.map((item) => ({ ...item, thinking: [{ type: "text", text: written }] }));
      return {
        text: written,
        ...(field !== undefined && { field }),
        ...(whole.length > 0 && { items: whole }),
      };
    },
  };
}

/** Whether an opaque value may leave as it is; one that redaction would change breaks its signature, so it stays. */
export function isClean(value: unknown, redact: Redact): boolean {
  return redactedJson(value, redact) === JSON.stringify(value);
}

/** Without the opaque items that hold a secret; their plain words stay, redacted wherever they go. */
export function cleanReasoning(
  reasoning: Reasoning | undefined,
  redact: Redact,
): Reasoning | undefined {
  if (reasoning?.items === undefined || isClean(reasoning.items, redact)) return reasoning;
  const { items: _, field, ...rest } = reasoning;
  // OpenRouter takes the plain words in place of its items.
  return field === "reasoning_details" ? { ...rest, field: "reasoning" } : rest;
}

/** What goes back beside the text; the thinking of a text-only server, which has no field, does not. */
export function reasoningFields(reasoning: Reasoning | undefined, redact: Redact): Item {
  const { field, text: words = "", items } = cleanReasoning(reasoning, redact) ?? {};
  if (field === "reasoning_content" || field === "reasoning") {
    return words === "" ? {} : { [field]: redact(words) };
  }
  if (field === "reasoning_details" && items !== undefined) return { reasoning_details: items };
  if (field === "extra_content" && items !== undefined) return { extra_content: items.at(-1) };
  return {};
}

/** Chunks that go back before the text, in Mistral's form. */
export function thinkingChunks(
  reasoning: Reasoning | undefined,
  redact: Redact,
): readonly unknown[] {
  const { field, items = [] } = cleanReasoning(reasoning, redact) ?? {};
  return field === "content" ? items : [];
}

/** Characters that the reasoning of a message adds to the prompt. */
export function reasoningChars({ field, text: words, items }: Reasoning): number {
  if (items !== undefined) return JSON.stringify(items).length;
  return field === undefined ? 0 : words.length;
}

/** Messages without what only the model that wrote them understands: another vendor refuses it. */
export function withoutReasoning(messages: readonly Message[]): Message[] {
  return messages.map((message) => {
    if (message.role !== "assistant") return message;
    const { reasoning: _, ...rest } = message;
    return { ...rest, calls: message.calls.map(({ extra: _, ...call }) => call) };
  });
}
