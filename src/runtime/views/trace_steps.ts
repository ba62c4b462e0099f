/** A step of a run as its page shows it: what was said, called and answered, each text with a name of its own. Pure. */
import { counted } from "svc/core/counted.ts";
import { shownStatus } from "svc/features/agent/call_result.ts";
import type { Tally } from "svc/features/agent/agent.ts";
import type { StepKind } from "svc/features/agent/trace_index.ts";
import type { Message, Usage } from "svc/features/models/client/model.ts";
import type { ToolOutcome } from "svc/features/tools/tool.ts";

/** Messages of one prompt, and calls of one reply, that a step shows. */
export const STEP_PARTS = 100;

/** A whole text of a step. */
export interface StepText {
  /** Names it within its step, such as `text`, `message.0` or `result.2`. */
  readonly part: string;
  /** Who says it, or what it is. */
  readonly name: string;
  readonly text: string;
}

interface StepCall {
  readonly tool: string;
  /** Its arguments on one line, whole. */
  readonly brief: string;
  readonly status: string;
  readonly duration_ms: number | null;
  readonly args: StepText;
  /** Undefined until it is answered. */
  readonly result: StepText | undefined;
}

export interface TraceStep {
  readonly at: string;
  readonly title: string;
  readonly texts: readonly StepText[];
  readonly calls: readonly StepCall[];
  readonly tokens: { readonly in: number; readonly out: number; readonly cached: number } | null;
  readonly duration_ms: number | null;
  /** What is odd about it. */
  readonly notes: string[];
}

type Line = Readonly<Record<string, unknown>>;
type Lines = { readonly line: Line; readonly results: Line | undefined };
type Said = Pick<TraceStep, "title"> & Partial<Omit<TraceStep, "at" | "title">>;

const SPEAKERS: Readonly<Record<Message["role"], string>> = {
  ...{ system: "system", user: "user", assistant: "model", tool: "tool result" },
};

/** A value of a call in readable form: texts of several lines are shown on their own. */
function argument([name, value]: [string, unknown]): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.includes("\n") ? `${name}:\n${text}` : `${name}: ${text}`;
}

/** As the model wrote it, if it is not a JSON object. */
export function shownArgs(args: string): { readonly brief: string; readonly whole: string } {
  const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");
  let read: unknown;
  try {
    read = JSON.parse(args);
  } catch {
    return { brief: oneLine(args), whole: args }; // said above
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) {
    return { brief: oneLine(args), whole: args };
  }
  const entries = Object.entries(read);
  const values = entries.map(([, value]) =>
    typeof value === "string" ? value : JSON.stringify(value)
  );
  return { brief: oneLine(values.join("  ")), whole: entries.map(argument).join("\n") };
}

const left = (count: number, what: string) =>
  count > 0 ? [`only its trace has ${counted(count, `more ${what}`)}`] : [];

function callsOf(message: Extract<Message, { role: "assistant" }>, results: Line | undefined) {
  const answers = ((results?.append ?? []) as readonly Message[])
    .filter((one) => one.role === "tool");
  const outcomes = (results?.outcomes ?? []) as readonly Partial<ToolOutcome>[];
  return message.calls.slice(0, STEP_PARTS).map(({ id, name, args }, nth): StepCall => {
    const place = answers.findIndex(({ callId }) => callId === id);
    const { status, facts, durationMs } = outcomes[place] ?? {};
    const { brief, whole } = shownArgs(args);
    return {
      ...{
        tool: name,
        brief,
        duration_ms: durationMs === undefined ? null : Math.round(durationMs),
      },
      status: status === undefined ? "not answered" : shownStatus({ status, facts }),
      args: { part: `args.${nth}`, name: "arguments", text: whole },
      result: place === -1
        ? undefined
        : { part: `result.${nth}`, name: "output", text: answers[place]!.text },
    };
  });
}

function turn({ line, results }: Lines): Said {
  const message = line.message as Extract<Message, { role: "assistant" }>;
  const usage = line.usage as Usage;
  const written = (line.written ?? []) as readonly unknown[];
  const said = ((results?.append ?? []) as readonly Message[])
    .filter((one) => one.role === "user");
  const reasoning = message.reasoning?.text ?? "";
  return {
    title: `Turn ${line.turn}`,
    texts: [
      ...reasoning === "" ? [] : [{ part: "reasoning", name: "reasoning", text: reasoning }],
      ...message.text === "" ? [] : [{ part: "text", name: "model", text: message.text }],
      ...said.map(({ text }, nth) => ({ part: `said.${nth}`, name: "svc", text })),
    ],
    calls: callsOf(message, results),
    tokens: { in: usage.tokensIn, out: usage.tokensOut, cached: usage.cachedIn ?? 0 },
    duration_ms: typeof results?.elapsedMs === "number" ? results.elapsedMs : null,
    notes: [
      ...line.end === "length" ? ["The reply was cut off at its limit"] : [],
      ...line.repeated === undefined
        ? []
        : [`svc stopped the reply: its ${line.repeated} repeated without end`],
      ...written.length === 0 ? [] : [`svc mended how ${written.length} of its calls were written`],
      ...left(message.calls.length - STEP_PARTS, "call"),
    ],
  };
}

function messages(all: readonly Message[]): Pick<TraceStep, "notes" | "texts"> {
  const texts = all.slice(0, STEP_PARTS).map((message, nth) => ({
    part: `message.${nth}`,
    name: SPEAKERS[message.role] ?? message.role,
    text: message.role === "assistant" && message.calls.length > 0
      ? [message.text, ...message.calls.map(({ name, args }) => `${name} ${args}`)]
        .filter((text) => text !== "").join("\n")
      : message.text,
  }));
  return { texts, notes: left(all.length - STEP_PARTS, "message") };
}

function prompt(title: string): (lines: Lines) => Said {
  return ({ line }) => {
    const { texts, notes } = messages(line.messages as readonly Message[]);
    const tools = (line.tools ?? []) as readonly string[];
    const offered = { part: "tools", name: "tools offered", text: tools.join(", ") };
    return { title, notes, texts: [...texts, ...tools.length === 0 ? [] : [offered]] };
  };
}

function note({ line }: Lines): Said {
  const person = Array.isArray(line.person) && line.person.length > 0;
  const texts = (line.append as readonly Message[]).map(({ text }, nth) => ({
    ...{ part: `said.${nth}`, name: person ? "a person" : "svc", text },
  }));
  return { title: person ? "A person told it something" : "svc told it something", texts };
}

function compacted({ line }: Lines): Said {
  const { texts, notes } = messages(line.messages as readonly Message[]);
  const title = `The conversation was made shorter: ${line.before} to ${line.after} tokens`;
  return { title, texts, notes };
}

function summary({ line }: Lines): Said {
  return typeof line.text === "string"
    ? {
      title: "The model summed up what was done",
      texts: [{ part: "text", name: "model", text: line.text }],
    }
    : { title: `No summary of what was done: ${line.fault}` };
}

function proof({ line }: Lines): Said {
  const { at: _, kind: __, refused, tails: ___, ...seen } = line;
  const facts = Object.entries(seen)
    .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
    .map(argument).join("\n");
  return {
    title: refused === undefined
      ? "svc looked at the work"
      : "svc looked at the work, and did not take its end",
    texts: [
      ...typeof refused === "string" ? [{ part: "refused", name: "svc", text: refused }] : [],
      { part: "seen", name: "seen", text: facts },
    ],
  };
}

function ended({ line }: Lines): Said {
  const { turns } = line as unknown as Tally;
  const texts = ["evidence", "cause"].flatMap((part) => {
    const text = line[part];
    return typeof text === "string" ? [{ part, name: part, text }] : [];
  });
  const how = String(line.disposition).replaceAll("_", " ");
  const title = `Ended as ${how} after ${counted(turns, "turn")}`;
  return { title, texts };
}

const READERS: Readonly<Record<StepKind, (lines: Lines) => Said>> = {
  started: prompt("The prompt"),
  resumed: prompt("It went on where a run was cut off"),
  reply: turn,
  note,
  overflow: ({ line }) => ({ title: `The prompt did not fit the model: ${line.how}` }),
  summary,
  compacted,
  grace_fault: ({ line }) => ({ title: `The model did not end the run: ${line.fault}` }),
  proof,
  ended,
};

const UNREAD: Omit<TraceStep, "at"> = {
  ...{ title: "A step that cannot be read", texts: [], calls: [], tokens: null, duration_ms: null },
  notes: ["Its line in the trace is broken, or of another version of svc"],
};

/** Never throws: a line that cannot be read becomes a step that says so. */
export function traceStep(kind: StepKind, line: string, results?: string): TraceStep {
  try {
    const read = JSON.parse(line) as Line;
    const lines = { line: read, results: results === undefined ? undefined : JSON.parse(results) };
    const nothing = { texts: [], calls: [], tokens: null, duration_ms: null, notes: [] };
    return { ...nothing, at: String(read.at), ...READERS[kind](lines) };
  } catch {
    return { ...UNREAD, at: /"at":"([^"]*)"/.exec(line)?.[1] ?? "" }; // said above
  }
}
