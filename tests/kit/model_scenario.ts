/** What a scripted model says, as data: whose turn it is, when a step fits, and what it answers. */

/** A request in OpenAI's form, as far as scenarios look at it. */
export interface ChatRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly max_tokens?: number;
}

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

export interface ScriptedCall {
  readonly name: string;
  /** An object, or text that is sent as it is. */
  readonly args: unknown;
  readonly id?: string;
}

export interface ScriptedReply {
  readonly text?: string;
  /** What the model thinks before it speaks; only the servers of `tests/kit/servers` show it. */
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
  readonly finish?: string;
  /** It breaks off after its first words and stays silent; only in `tests/kit/servers`. */
  readonly stalls?: true;
}

/** One answer. Texts may hold `{{regex}}`: the first match in the conversation, newest message first. */
export interface Step {
  /** Served only when this fits; steps with one are looked at before the others. */
  readonly when?: {
    /** Assistant messages in the request. */
    readonly turn?: number;
    /** Regular expression on the last message. */
    readonly last?: string;
    /** Regular expression on any message. */
    readonly any?: string;
  };
  /** Served as often as it fits; otherwise once. */
  readonly always?: boolean;
  /** For tests in TypeScript: throws when the request is not as it should be. */
  readonly expect?: (request: ChatRequest) => void;
  readonly reply?: ScriptedReply | ((request: ChatRequest) => ScriptedReply);
  /** A bad mode of `model_endpoint_faults.ts` in place of a reply. */
  readonly bad?: string;
}

export type Conversation = readonly Step[];

export interface Scenario {
  /** "fixture-model" unless given. */
  readonly models?: readonly Readonly<Record<string, unknown>>[];
  /**
   * What `svc`'s question whether tools are called natively gets: a native call, a call in text, no
   * call, or a refusal of tools. "native" unless given.
   */
  readonly probe?: "native" | "text" | "none" | "refuse";
  /** False: usage is never counted. */
  readonly usage?: boolean;
  /**
   * By the role that the system prompt names (`# Role: engineer`). A list of lists has one
   * conversation for each run of the role; the last one is used again for further runs.
   */
  readonly roles?: Readonly<Record<string, Conversation | readonly Conversation[]>>;
  /** For every role that is not named. */
  readonly steps?: Conversation | readonly Conversation[];
}

function isMany(steps: Conversation | readonly Conversation[]): steps is readonly Conversation[] {
  return steps.length > 0 && steps.every((step) => Array.isArray(step));
}

/** Role that the first system message names; its earliest mention of a known role otherwise. */
export function roleOf(request: ChatRequest, known: readonly string[]): string {
  const system = request.messages.find(({ role }) => role === "system")?.content ?? "";
  const named = /^#*\s*role:\s*"?([\w-]+)/im.exec(system)?.[1];
  if (named !== undefined) return named;
  const places = known.map((role) => ({ role, at: system.search(new RegExp(`\\b${role}\\b`)) }))
    .filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at);
  return places[0]?.role ?? "";
}

const turnOf = ({ messages }: ChatRequest) =>
  messages.filter(({ role }) => role === "assistant").length;

function fits({ when }: Step, request: ChatRequest): boolean {
  if (when === undefined) return true;
  const { messages } = request;
  return (when.turn === undefined || when.turn === turnOf(request)) &&
    (when.last === undefined || new RegExp(when.last).test(messages.at(-1)?.content ?? "")) &&
    (when.any === undefined || messages.some(({ content }) => new RegExp(when.any!).test(content)));
}

/** `{{T-\d+}}` → the newest match; group 1 when there is one. */
export function filled(value: unknown, { messages }: ChatRequest): unknown {
  if (typeof value === "string") {
    return value.replaceAll(/\{\{(.+?)\}\}/g, (whole, pattern) => {
      const regex = new RegExp(pattern, "m");
      const found = messages.toReversed().map(({ content }) => regex.exec(content ?? ""))
        .find((match) => match !== null);
      return found?.[1] ?? found?.[0] ?? whole;
    });
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, { messages } as ChatRequest));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map((
    [key, item],
  ) => [key, filled(item, { messages } as ChatRequest)]);
  return Object.fromEntries(entries);
}

interface Cursor {
  readonly steps: Conversation;
  readonly used: Set<Step>;
  /** Its first reply was given, so that a request without one begins another run. */
  begun: boolean;
}

/** Follows every conversation of a scenario by what its requests hold. */
export class Director {
  readonly #scenario: Scenario;
  readonly #cursors = new Map<string, Cursor>();
  readonly #runs = new Map<string, number>();

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  /** The step that answers, or undefined when the scenario has none left. */
  next(request: ChatRequest): Step | undefined {
    const role = roleOf(request, Object.keys(this.#scenario.roles ?? {}));
    const first = request.messages.find((message) => message.role === "user")?.content ?? "";
    const key = JSON.stringify([role, first]);
    let cursor = this.#cursors.get(key);
    if (cursor === undefined || (turnOf(request) === 0 && cursor.begun)) {
      cursor = { steps: this.#conversation(role), used: new Set(), begun: false };
      this.#cursors.set(key, cursor);
    }
    const { steps, used } = cursor;
    const open = steps.filter((step) => !used.has(step) && fits(step, request));
    const step = open.find(({ when }) => when !== undefined) ?? open[0];
    if (step === undefined) return undefined;
    if (!step.always) used.add(step);
    if (step.reply !== undefined) cursor.begun = true;
    return step;
  }

  #conversation(role: string): Conversation {
    const { roles = {}, steps = [] } = this.#scenario;
    const own = Object.hasOwn(roles, role) ? roles[role]! : steps;
    if (!isMany(own)) return own as Conversation;
    const run = this.#runs.get(role) ?? 0;
    this.#runs.set(role, run + 1);
    return own[Math.min(run, own.length - 1)]!;
  }
}
