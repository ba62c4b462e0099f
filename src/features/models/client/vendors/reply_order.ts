/** A reply's parts in their order: what a vendor signed goes back unchanged, and where it stood. */
import type { Message, Reasoning, ToolCall } from "svc/features/models/client/model.ts";

export type AssistantMessage = Extract<Message, { readonly role: "assistant" }>;

export type ReplyPart =
  | { readonly kind: "text"; readonly text: string; readonly phase?: string }
  | { readonly kind: "call"; readonly call: ToolCall }
  /** `text` is what a person can read of it. */
  | { readonly kind: "sealed"; readonly item: unknown; readonly text: string };

/** An entry of `Reasoning.items` that is no sealed item: what stood there is in the message itself. */
type Place =
  | { readonly place: "call" }
  | {
    readonly place: "text";
    /** Only where the message has several texts. */
    readonly text?: string;
    /** Codex models want it back with each text (`ResponseOutputMessage.phase` of the `openai` package). */
    readonly phase?: string;
  };

const isPlace = (item: unknown): item is Place =>
  typeof (item as { readonly place?: unknown } | null)?.place === "string";

const BETWEEN_TEXTS = "\n\n";

export function textOf(parts: readonly ReplyPart[]): string {
  const texts = parts.filter((part) => part.kind === "text").map(({ text }) => text);
  return texts.join(BETWEEN_TEXTS);
}

/** Undefined for a reply that text and calls describe in full. */
export function reasoningOf(parts: readonly ReplyPart[], madeBy: string): Reasoning | undefined {
  const sealed = parts.filter((part) => part.kind === "sealed");
  const texts = parts.filter((part) => part.kind === "text");
  if (sealed.length === 0 && texts.every(({ phase }) => phase === undefined)) return undefined;
  const items = parts.map((part): unknown => {
    if (part.kind === "sealed") return part.item;
    if (part.kind === "call") return { place: "call" } satisfies Place;
    const { text, phase } = part;
    return {
      place: "text",
      ...(texts.length > 1 && { text }),
      ...(phase !== undefined && { phase }),
    } satisfies Place;
  });
  return { text: sealed.map(({ text }) => text).join(""), items, madeBy };
}

/** Without `items`, and after them, come the text and the calls that have no place of their own. */
export function partsOf({ text, calls, reasoning }: AssistantMessage): ReplyPart[] {
  const items = reasoning?.items ?? [];
  const places = items.filter(isPlace).filter(({ place }) => place === "text");
  const several = places.length > 1;
  // A run may have replaced an empty text by one of its own.
  const own = several &&
    text === places.map((one) => "text" in one && one.text).join(BETWEEN_TEXTS);
  const rest = [...calls];
  let said = false;
  const parts = items.flatMap((item): ReplyPart[] => {
    if (!isPlace(item)) return [{ kind: "sealed", item, text: "" }];
    if (item.place === "call") {
      const call = rest.shift();
      return call === undefined ? [] : [{ kind: "call", call }];
    }
    const here = own ? item.text! : said ? "" : text;
    said = true;
    const { phase } = item;
    return here === "" ? [] : [{ kind: "text", text: here, ...(phase !== undefined && { phase }) }];
  });
  if (!said && text !== "") parts.push({ kind: "text", text });
  return [...parts, ...rest.map((call): ReplyPart => ({ kind: "call", call }))];
}
