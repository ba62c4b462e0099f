/** The turns of a run from its trace (docs/agent.md), shortened for a page. Pure. */
import { VIEW_CALL_CHARS, VIEW_TEXT_CHARS } from "svc/core/bounds.ts";
import type { Tally } from "svc/features/agent/agent.ts";
import { readTrace, type TraceRecord } from "svc/features/agent/trace.ts";
import type { Message, Usage } from "svc/features/models/client/model.ts";
import type { JobPage } from "./shapes.ts";

export type TurnItem = JobPage["turns"][number];

export interface TracedRun {
  readonly turns: readonly TurnItem[];
  /** Of the newest attempt; undefined for work on the checkout. */
  readonly branch: string | undefined;
  /** What it has used so far; undefined before its first turn is over. */
  readonly tally: Tally | undefined;
}

/** A reply, with the calls that are not answered yet. */
interface Reply extends TraceRecord {
  readonly turn: number;
  readonly message: Extract<Message, { role: "assistant" }>;
  readonly usage: Usage;
}

interface Acted extends TraceRecord {
  readonly turn: number;
  readonly append: readonly Message[];
  readonly outcomes: readonly { readonly status: string }[];
  readonly tally: Tally;
}

/** Lines of other kinds hold whole conversations, and are not even parsed. */
const SHOWN = /^\{"at":"[^"]*","kind":"(?:job|reply|turn)"/;

const cut = (text: string, chars: number) =>
  text.length <= chars ? text : `${text.slice(0, chars)}… (${text.length - chars} more characters)`;

function turnOf({ at, turn, message, usage }: Reply): TurnItem {
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

/** Results follow the order of the outcomes; each names the call it answers. */
function answered(item: TurnItem, reply: Reply, { append, outcomes }: Acted): TurnItem {
  const results = append.filter((message) => message.role === "tool");
  const calls = item.calls.map((call, at) => {
    const place = results.findIndex(({ callId }) => callId === reply.message.calls[at]!.id);
    if (place === -1) return call;
    const status = outcomes[place]?.status ?? call.status;
    return { ...call, status, result: cut(results[place]!.text, VIEW_CALL_CHARS) };
  });
  return { ...item, calls };
}

export function tracedRun(text: string): TracedRun {
  const lines = text.split("\n").filter((line) => SHOWN.test(line));
  const turns: TurnItem[] = [];
  let reply: Reply | undefined;
  let branch: string | undefined;
  let tally: Tally | undefined;
  for (const record of readTrace(lines.join("\n"))) {
    if (record.kind === "job") {
      branch = typeof record.branch === "string" ? record.branch : undefined;
    } else if (record.kind === "reply") {
      reply = record as Reply;
      turns.push(turnOf(reply));
    } else {
      const acted = record as Acted;
      tally = acted.tally;
      // A run that goes on after a kill answers what the killed one had asked.
      if (reply?.turn === acted.turn) turns.push(answered(turns.pop()!, reply, acted));
    }
  }
  return { turns, branch, tally };
}
