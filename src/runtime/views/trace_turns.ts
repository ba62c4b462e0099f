/** The turns of a run from its trace (docs/agent.md), shortened for a page. Pure. */
import { VIEW_CALL_CHARS, VIEW_TEXT_CHARS } from "svc/core/bounds.ts";
import { shortened } from "svc/core/shortened.ts";
import { shownStatus } from "svc/features/agent/call_result.ts";
import { readTrace, type TraceRecord } from "svc/features/agent/trace.ts";
import type { Message, Usage } from "svc/features/models/client/model.ts";
import type { ToolOutcome } from "svc/features/tools/tool.ts";
import { count, type ShapeOf, time, type Z } from "./shape.ts";

export const turnShape = (z: Z) =>
  z.strictObject({
    turn: count(z),
    at: time(z),
    text: z.string(),
    tokens: count(z),
    calls: z.array(z.strictObject({
      tool: z.string(),
      args: z.string(),
      status: z.string(),
      result: z.string(),
    })),
  });
export type TurnItem = ShapeOf<typeof turnShape>;

export interface TracedRun {
  readonly turns: readonly TurnItem[];
  /** Branch of the newest attempt; undefined for work on the checkout. */
  readonly branch: string | undefined;
}

interface ReplyRecord extends TraceRecord {
  readonly turn: number;
  readonly message: Extract<Message, { role: "assistant" }>;
  readonly usage: Usage;
}

interface TurnRecord extends TraceRecord {
  readonly turn: number;
  readonly append: readonly Message[];
  readonly outcomes: readonly Pick<ToolOutcome, "status" | "facts">[];
}

/** Lines of other kinds hold whole conversations and are not parsed. */
const SHOWN = /^\{"at":"[^"]*","kind":"(?:job|reply|turn)"/;

const cut = (text: string, chars: number) =>
  shortened(text, chars, `… (${text.length - chars} more characters)`);

function turnOf({ at, turn, message, usage }: ReplyRecord): TurnItem {
  return {
    turn,
    at,
    text: cut(message.text, VIEW_TEXT_CHARS),
    tokens: usage.tokensIn + usage.tokensOut,
    calls: message.calls.map(({ name, args }) => ({
      tool: name,
      args: cut(args, VIEW_CALL_CHARS),
      status: "not answered",
      result: "",
    })),
  };
}

function withResults(
  item: TurnItem,
  reply: ReplyRecord,
  { append, outcomes }: TurnRecord,
): TurnItem {
  const results = append.filter((message) => message.role === "tool");
  const calls = item.calls.map((call, at) => {
    const place = results.findIndex(({ callId }) => callId === reply.message.calls[at]!.id);
    if (place === -1) return call;
    const outcome = outcomes[place];
    const status = outcome === undefined ? call.status : shownStatus(outcome);
    return { ...call, status, result: cut(results[place]!.text, VIEW_CALL_CHARS) };
  });
  return { ...item, calls };
}

export function tracedRun(text: string): TracedRun {
  const lines = text.split("\n").filter((line) => SHOWN.test(line));
  const turns: TurnItem[] = [];
  let reply: ReplyRecord | undefined;
  let branch: string | undefined;
  for (const record of readTrace(lines.join("\n"))) {
    if (record.kind === "job") {
      branch = typeof record.branch === "string" ? record.branch : undefined;
    } else if (record.kind === "reply") {
      reply = record as ReplyRecord;
      turns.push(turnOf(reply));
    } else {
      const acted = record as TurnRecord;
      // A resumed run answers the calls of the run that was killed.
      if (reply?.turn === acted.turn) turns.push(withResults(turns.pop()!, reply, acted));
    }
  }
  return { turns, branch };
}
