/** Rebuilds a run from its trace, so that it can go on where it was cut off. */
import type { Message } from "svc/features/models/client/model.ts";
import type { AgentEnd, Resumed, Tally } from "./agent.ts";
import { joined } from "./conversation.ts";
import type { Stop } from "./run_state.ts";
import { UNKNOWN_RESULT } from "./says.ts";
import type { TraceRecord } from "./trace.ts";

const NOTHING_YET: Tally = {
  turns: 0,
  tokensIn: 0,
  tokensOut: 0,
  estimated: false,
  toolCalls: 0,
  denials: 0,
};

/** How the run ended, when its trace says so: in its last line, or in the turn before it. */
export function endIn(
  records: readonly TraceRecord[],
): Pick<AgentEnd, "disposition" | "evidence" | "ticket" | "category"> | undefined {
  // What svc saw of the work once the run was over follows its end.
  const last = records.findLast(({ kind }) => kind !== "proof");
  if (last?.kind === "ended") return last as unknown as AgentEnd;
  return last?.kind === "turn" ? last.stop as Stop | undefined : undefined;
}

/**
 * Undefined when the trace holds no start, or an end of the run's own: one that was cancelled was cut
 * off. A reply whose results are not on record is
 * kept; each of its calls is answered with the advice to look before repeating it.
 */
export function resumeFrom(records: readonly TraceRecord[]): Resumed | undefined {
  const end = endIn(records);
  if (end !== undefined && end.disposition !== "cancelled") return undefined;
  let messages: readonly Message[] = [];
  let tally = NOTHING_YET;
  for (const record of records) {
    messages = next(messages, record);
    tally = { ...tally, ...record.tally as Partial<Tally> | undefined };
  }
  if (messages.length === 0) return undefined;
  return { ...tally, messages: joined(messages, unanswered(messages)) };
}

function next(messages: readonly Message[], record: TraceRecord): readonly Message[] {
  switch (record.kind) {
    case "started":
    case "resumed":
    case "compacted":
      return record.messages as readonly Message[];
    case "reply":
      return joined(messages, [record.message as Message]);
    case "turn":
    case "note":
      return joined(messages, record.append as readonly Message[]);
    default:
      return messages;
  }
}

function unanswered(messages: readonly Message[]): Message[] {
  const last = messages.at(-1)!;
  if (last.role !== "assistant") return [];
  // A run that died after a reply without calls had not told the model to go on.
  if (last.calls.length === 0) return [{ role: "user", text: "Go on." }];
  return last.calls.map(({ id }) => ({ role: "tool", callId: id, text: UNKNOWN_RESULT }));
}
