/** Says in a few lines what a run tried, what failed, and what it saw and said last; from its trace. Pure. */
import { shortened, shortenedStart } from "svc/core/shortened.ts";
import type { Message, ToolCall } from "svc/features/models/client/model.ts";
import type { ToolOutcome } from "svc/features/tools/tool.ts";
import type { Stop } from "./stop.ts";
import type { TraceRecord } from "./trace.ts";

const CALLS_SHOWN = 20;
const CALL_CHARS = 120;
const OUTPUT_CHARS = 1_500;
const WORDS_CHARS = 500;

interface MadeCall {
  readonly call: ToolCall;
  readonly status: string;
  /** What the tool answered; undefined where the run ended before. */
  readonly output: string | undefined;
}

/** A job that is tried again writes on in the same trace. */
function newest(records: readonly TraceRecord[]): readonly TraceRecord[] {
  const from = records.findLastIndex(({ kind }) => kind === "started" || kind === "resumed");
  return from === -1 ? [] : records.slice(from);
}

function callsOf(records: readonly TraceRecord[]): MadeCall[] {
  const made: MadeCall[] = [];
  let asked: readonly ToolCall[] = [];
  const unanswered = () => asked.map((call) => ({ call, status: "cut off", output: undefined }));
  for (const record of records) {
    if (record.kind === "reply") {
      made.push(...unanswered());
      asked = (record["message"] as Extract<Message, { role: "assistant" }>).calls;
    }
    if (record.kind !== "turn") continue;
    const outcomes = record["outcomes"] as readonly Pick<ToolOutcome, "status">[];
    const answers = record["append"] as readonly Message[];
    made.push(...asked.map((call, at) => ({
      call,
      status: outcomes[at]?.status ?? "not run",
      output: answers.find((one) => one.role === "tool" && one.callId === call.id)?.text,
    })));
    asked = [];
  }
  return [...made, ...unanswered()];
}

/** Such as `file_edit src/a.ts`: what it was about, never its content. */
function named({ name, args }: ToolCall): string {
  const about = /"(?:path|name|pattern|argv)":\s*("(?:[^"\\]|\\.)*"|\[[^\]]*\])/.exec(args)?.[1];
  return shortened(about === undefined ? name : `${name} ${about}`, CALL_CHARS);
}

function callLines(made: readonly MadeCall[]): string[] {
  const lines: string[] = [];
  let [before, times] = ["", 0];
  for (const { call, status } of made) {
    const line = `- ${named(call)}${status === "ok" ? "" : `: ${status}`}`;
    times = line === before ? times + 1 : 1;
    if (times > 1) lines.pop();
    lines.push(times > 1 ? `${line} (${times} times)` : line);
    before = line;
  }
  return lines;
}

function endOf(records: readonly TraceRecord[]): string {
  const stop = records.findLast(({ kind }) => kind === "ended") as Stop | undefined;
  const cutOff = stop === undefined || stop.disposition === "cancelled";
  return cutOff ? "It was cut off." : `It ended ${stop.disposition}: ${stop.evidence}`;
}

/** Empty for a run that left nothing to tell. */
export function attemptSummary(all: readonly TraceRecord[]): string {
  const records = newest(all);
  if (records.length === 0) return "";
  const made = callsOf(records);
  const lines = callLines(made);
  const failed = made.findLast(({ status }) => status !== "ok");
  const last = made.at(-1);
  const output = ({ call, output }: MadeCall) =>
    `${named(call)} answered:\n${shortenedStart(output?.trim() ?? "", OUTPUT_CHARS)}`;
  const words = records.filter(({ kind }) => kind === "reply")
    .map((record) => (record["message"] as Message & { text: string }).text.trim())
    .findLast((text) => text !== "");
  return [
    endOf(records),
    ...(lines.length === 0 ? [] : [
      [
        `What it tried (${made.length} calls, newest last):`,
        ...(lines.length > CALLS_SHOWN ? [`- ${lines.length - CALLS_SHOWN} earlier ones`] : []),
        ...lines.slice(-CALLS_SHOWN),
      ].join("\n"),
    ]),
    ...(failed?.output === undefined ? [] : [`What failed last: ${output(failed)}`]),
    ...(last?.output === undefined || last === failed ? [] : [`Last output: ${output(last)}`]),
    ...(words === undefined ? [] : [`Its last words: ${shortened(words, WORDS_CHARS)}`]),
  ].join("\n\n");
}
