/** Rebuilds a run from its trace, so that it can continue where it was interrupted. */
import type { Message } from "svc/features/models/client/model.ts";
import { withoutReasoning } from "svc/features/models/client/reasoning.ts";
import { NOTHING_USED, type Resumed, type Tally } from "./agent.ts";
import { joined } from "./conversation.ts";
import { UNKNOWN_RESULT } from "./says.ts";
import type { Stop } from "./stop.ts";
import type { TraceRecord } from "./trace.ts";

export function endIn(
  records: readonly TraceRecord[],
): Omit<Stop, "fault"> | undefined {
  // The proof that svc takes once the run is over follows its end.
  const last = records.findLast(({ kind }) => kind !== "proof");
  if (last?.kind === "ended") return last as unknown as Stop;
  return last?.kind === "turn" ? last.stop as Stop | undefined : undefined;
}

/** Undefined without a start or once ended, unless cancelled. Calls without results are not repeated blindly. */
export function resumeFrom(records: readonly TraceRecord[]): Resumed | undefined {
  const end = endIn(records);
  if (end !== undefined && end.disposition !== "cancelled") return undefined;
  let messages: readonly Message[] = [];
  let tally = NOTHING_USED;
  let model: Resumed["model"];
  for (const record of records) {
    if (record.kind === "started" || record.kind === "resumed") {
      model = { provider: record["provider"], model: record["model"] };
    }
    const longer = next(messages, record);
    // A truncated line may have lost a part of something that only counts as a whole.
    messages = record["cut"] === true ? withoutReasoning(longer) : longer;
    tally = { ...tally, ...record.tally as Partial<Tally> | undefined };
  }
  if (messages.length === 0) return undefined;
  const told = records.filter(({ kind, person }) => kind === "note" && person !== undefined)
    .flatMap(({ append }) => (append as readonly Message[]).map(({ text }) => text));
  return { ...tally, model, told, messages: joined(messages, unanswered(messages)) };
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
