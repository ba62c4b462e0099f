/** Assembles a reply from its chunks, whatever shape a server gives them. */
import type { Reasoning, Repeated, ToolCall } from "./model.ts";
import { type ReasoningFields, reasoningParts } from "./reasoning.ts";
import { repetitionWatch } from "./repetition.ts";

/** Calls of one reply; a run carries out 200. A server may send a hundred thousand in 8 MiB, and each part is
 * looked for among them. */
const REPLY_CALLS = 2_000;

/** Proxies of Anthropic and Bedrock begin with an empty object, before the pieces of the true one (BerriAI/litellm#4537,
 * openai/openai-agents-js#712). */
const PLACEHOLDER = /^\s*\{\s*\}(?=\s*\{)/;

/** Times that a call's arguments are tried to be read, which may be long and come in as many pieces. */
const WHOLE_LOOKS = 64;

export interface CollectedReply {
  readonly text: string;
  readonly reasoning: Reasoning | undefined;
  readonly calls: readonly ToolCall[];
  readonly repeated: Repeated | undefined;
  readonly finish: string | undefined;
  readonly usage: unknown;
  readonly chars: number;
}

interface OpenCall {
  key: unknown;
  id: string;
  name: string;
  args: string;
  extra: unknown;
  /** Characters of all calls until its last part. */
  end: number;
  /** The last piece of its arguments: to look at the end of all of them would copy them. */
  piece: string;
  looks: number;
}

interface Delta extends ReasoningFields {
  /** OpenAI's words in place of an answer (platform.openai.com/docs/guides/structured-outputs#refusals). */
  readonly refusal?: unknown;
  readonly tool_calls?: unknown;
  readonly function_call?: unknown;
}

interface CallPart {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
  /** Gemini's signature; it may come on any part of its call. */
  readonly extra_content?: unknown;
}

const text = (value: unknown) => typeof value === "string" ? value : "";

function contentOf(value: unknown): string {
  if (!Array.isArray(value)) return text(value);
  return value.map((part) => text(part?.text)).join("");
}

/** Arguments come as text in pieces (OpenAI) or as one object (Ollama's own form). */
function argsOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : "";
}

function isWhole(call: OpenCall): boolean {
  if (!call.piece.endsWith("}") || ++call.looks > WHOLE_LOOKS) return false;
  try {
    return JSON.parse(call.args) !== null;
  } catch {
    return false; // more of it is to come
  }
}

/** The call that a part continues, or a new one: some servers omit the index or always say 0.
 * Undefined where there are too many. */
function callFor(
  calls: OpenCall[],
  part: CallPart,
  { id, name, args }: Pick<OpenCall, "id" | "name" | "args">,
): OpenCall | undefined {
  const key = part.index ?? undefined;
  const last = key === undefined ? calls.at(-1) : calls.findLast((call) => call.key === key);
  const other = id !== "" && last?.id !== "" && last?.id !== id && name !== "";
  const next = key === undefined && name !== "" && (id === "" || id !== last?.id);
  // Where neither index nor id tells them apart: nothing can follow whole arguments but another call.
  const after = name !== "" && args.trim() !== "" && last !== undefined && isWhole(last);
  if (last !== undefined && !other && !next && !after) return last;
  if (calls.length === REPLY_CALLS) return undefined;
  const call = { key, id, name: "", args: "", extra: undefined, end: 0, piece: "", looks: 0 };
  calls.push(call);
  return call;
}

function takeCall(
  calls: OpenCall[],
  part: CallPart,
): { call: OpenCall; piece: string } | undefined {
  const inner = part.function ?? part;
  const [id, name, args] = [text(part.id), text(inner.name), argsOf(inner.arguments)];
  const call = callFor(calls, part, { id, name, args });
  if (call === undefined) return undefined;
  if (call.id === "") call.id = id;
  // Some servers send the name in pieces, others repeat it with every part.
  if (call.name !== name && call.args === "") call.name += name;
  call.args += args;
  call.piece = args || call.piece;
  call.extra = part.extra_content ?? call.extra;
  return { call, piece: name + args };
}

/** Without those that came again, whole or begun, under one id (LocalAI#9722, new-api#6278): once is what the model meant. */
function once(calls: readonly OpenCall[]): readonly OpenCall[] {
  const kept: OpenCall[] = [];
  const places = new Map<string, number>();
  for (const call of calls) {
    const key = `${call.id} ${call.name}`;
    const place = call.id === "" ? undefined : places.get(key);
    const known = place === undefined ? undefined : kept[place]!;
    if (known?.args.startsWith(call.args)) continue;
    if (place !== undefined && call.args.startsWith(known!.args)) kept[place] = call;
    else places.set(key, kept.push(call) - 1);
  }
  return kept;
}

interface ReplyParts {
  /** Returns what of the chunk is text. */
  take(chunk: unknown): string;
  /** The finish reason has come, so only token counts can follow. */
  finished(): boolean;
  /** What repeats itself without end, so that no more should be read. */
  repeated(): Repeated | undefined;
  collected(): CollectedReply;
}

/** @param tools whether calls come apart from the text, or in it */
export function replyParts(tools: "native" | "text" = "native"): ReplyParts {
  const calls: OpenCall[] = [];
  const thoughts = reasoningParts();
  const watches = {
    text: repetitionWatch(tools === "text"),
    reasoning: repetitionWatch(false),
    arguments: repetitionWatch(true),
  };
  const chars = { text: 0, reasoning: 0, arguments: 0 };
  let repeated: Repeated | undefined;
  let said = "";
  let finish: string | undefined;
  let usage: unknown;
  const count = (kind: Repeated, piece: string) => {
    chars[kind] += piece.length;
    if (piece !== "" && watches[kind].add(piece)) repeated ??= kind;
  };
  const takePart = (part: CallPart) => {
    const taken = takeCall(calls, part);
    if (taken === undefined) {
      repeated ??= "arguments";
      return;
    }
    count("arguments", taken.piece);
    taken.call.end = chars.arguments;
  };
  /** Before the repetition; arguments that break off there are worth nothing. */
  const before = (reasoning: Reasoning | undefined) => {
    const kept = repeated === undefined ? Infinity : watches[repeated].kept();
    return {
      text: repeated === "text" ? said.slice(0, kept) : said,
      calls: repeated === "arguments" ? calls.filter(({ end }) => end <= kept) : calls,
      // A signature comes last, and items without theirs are refused.
      reasoning: repeated === "reasoning" && reasoning !== undefined
        ? { text: reasoning.text.slice(0, kept) }
        : reasoning,
    };
  };
  return {
    take(chunk) {
      const { choices, usage: counted, timings } = (chunk ?? {}) as {
        readonly choices?: unknown;
        readonly usage?: unknown;
        readonly timings?: unknown;
      };
      // llama.cpp tells its cache beside the usage, or instead of it where none was asked for.
      if (counted || timings) usage = { ...counted ?? {}, ...(timings ? { timings } : {}) };
      const choice = Array.isArray(choices) ? choices[0] : undefined;
      if (typeof choice !== "object" || choice === null) return "";
      // Some servers say "" until the end.
      finish = text(choice.finish_reason) || finish;
      // Servers that do not stream use `message`.
      const delta: Delta = choice.delta ?? choice.message ?? {};
      const content = contentOf(delta.content) + text(delta.refusal);
      said += content;
      count("text", content);
      count("reasoning", thoughts.take(delta));
      for (const part of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) {
        if (repeated !== undefined) break;
        if (part) takePart(part);
      }
      // The form from before tools (deprecated since 2023), which some servers still use.
      const legacy = delta.function_call;
      if (typeof legacy === "object" && legacy !== null) {
        takePart({ ...legacy, index: "function_call" });
      }
      return content;
    },
    finished: () => finish !== undefined,
    repeated: () => repeated,
    collected() {
      const { calls, ...rest } = before(thoughts.collected());
      const meant = once(calls).filter(({ name, args }) => name !== "" || args !== "");
      return {
        ...rest,
        calls: meant.map(({ id, name, args, extra }) => ({
          id,
          name,
          args: args.replace(PLACEHOLDER, "") || "{}",
          ...(extra !== undefined && { extra }),
        })),
        repeated,
        finish: repeated === undefined ? finish : "length",
        usage,
        chars: chars.text + chars.reasoning + chars.arguments,
      };
    },
  };
}

/** A made-up id is nine letters and digits, as the strictest servers demand. */
export function uniqueIds(calls: readonly ToolCall[], taken: ReadonlySet<string>): ToolCall[] {
  const used = new Set(taken);
  return calls.map((call) => {
    let id = call.id;
    for (let n = used.size + 1; id === "" || used.has(id); n++) {
      id = `call${String(n).padStart(5, "0")}`;
    }
    used.add(id);
    return { ...call, id };
  });
}
