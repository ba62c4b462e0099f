/** Assembles a reply from its chunks, whatever shape a server gives them. */

interface RawCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

export interface CollectedReply {
  readonly text: string;
  readonly calls: readonly RawCall[];
  readonly finish: string | undefined;
  readonly usage: unknown;
  readonly chars: number;
}

interface OpenCall {
  key: unknown;
  id: string;
  name: string;
  args: string;
}

interface Delta {
  readonly content?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly tool_calls?: unknown;
  readonly function_call?: unknown;
}

interface CallPart {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
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

/** The call that a part continues, or a new one: some servers omit the index or always say 0. */
function callFor(calls: OpenCall[], part: CallPart, id: string, name: string): OpenCall {
  const key = part.index;
  const last = key === undefined ? calls.at(-1) : calls.findLast((call) => call.key === key);
  const other = id !== "" && last?.id !== "" && last?.id !== id && name !== "";
  const next = key === undefined && name !== "" && (id === "" || id !== last?.id);
  if (last !== undefined && !other && !next) return last;
  const call = { key, id, name: "", args: "" };
  calls.push(call);
  return call;
}

function takeCall(calls: OpenCall[], part: CallPart): number {
  const inner = part.function ?? part;
  const [id, name, args] = [text(part.id), text(inner.name), argsOf(inner.arguments)];
  const call = callFor(calls, part, id, name);
  if (call.id === "") call.id = id;
  // Some servers send the name in pieces, others repeat it with every part.
  if (call.name !== name && call.args === "") call.name += name;
  call.args += args;
  return name.length + args.length;
}

interface ReplyParts {
  take(chunk: unknown): string;
  collected(): CollectedReply;
}

export function replyParts(): ReplyParts {
  const calls: OpenCall[] = [];
  let said = "";
  let finish: string | undefined;
  let usage: unknown;
  let chars = 0;
  return {
    take(chunk) {
      const { choices, usage: counted } = (chunk ?? {}) as {
        readonly choices?: unknown;
        readonly usage?: unknown;
      };
      usage = counted ?? usage;
      const choice = Array.isArray(choices) ? choices[0] : undefined;
      if (typeof choice !== "object" || choice === null) return "";
      if (typeof choice.finish_reason === "string") finish = choice.finish_reason;
      // Servers that do not stream use `message`.
      const delta: Delta = choice.delta ?? choice.message ?? {};
      const content = contentOf(delta.content);
      said += content;
      chars += content.length + text(delta.reasoning_content ?? delta.reasoning).length;
      const parts = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
      for (const part of parts) if (part) chars += takeCall(calls, part);
      // The form from before tools (deprecated since 2023), which some servers still use.
      const legacy = delta.function_call;
      if (typeof legacy === "object" && legacy !== null) {
        chars += takeCall(calls, { ...legacy, index: "function_call" });
      }
      return content;
    },
    collected() {
      const meant = calls.filter(({ name, args }) => name !== "" || args !== "");
      return {
        text: said,
        calls: meant.map(({ id, name, args }) => ({ id, name, args: args || "{}" })),
        finish,
        usage,
        chars,
      };
    },
  };
}

/** A made-up id is nine letters and digits, as the strictest servers demand. */
export function uniqueIds(calls: readonly RawCall[], taken: ReadonlySet<string>): RawCall[] {
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
