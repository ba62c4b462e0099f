/** Carries out the calls of one reply: reads run in parallel, everything else alone, in call order. */
import { AGENT_PARALLEL_READS, AGENT_TOOL_CALLS, COMPACT_MASK_KEEPS } from "svc/core/bounds.ts";
import { shortened, shortenedStart } from "svc/core/shortened.ts";
import type { Message } from "svc/features/models/client/model.ts";
import { type CallResult, FINISH, finishIn, notRun, refusedFinish } from "./call_result.ts";
import type { AskedCall } from "./read_calls.ts";
import { roomChars, type RunState } from "./run_state.ts";
import { withoutMark } from "svc/features/models/client/note.ts";
import {
  CUT_OFF,
  NOT_RUN_AFTER_FINISH,
  NOT_RUN_AFTER_REFUSAL,
  NOT_RUN_CALL_LIMIT,
  NOT_RUN_ENDED,
} from "./says.ts";

/** Characters that each output keeps however full the turn is: its error or first lines. */
const AGENT_OUTPUT_CHARS = 800;

/** Returns a result for every call, in call order. Throws what the toolbox throws, unless the run was ended. */
export async function act(run: RunState, calls: readonly AskedCall[]): Promise<CallResult[]> {
  const results: CallResult[] = [];
  for (const group of groups(calls, (name) => run.plan.toolbox.readsOnly(name))) {
    const ends = group[0]!.name === FINISH;
    const left = ends ? 1 : AGENT_TOOL_CALLS - run.tally.toolCalls;
    const refusal = run.signal.aborted
      ? NOT_RUN_ENDED
      : finishIn(results)
      ? NOT_RUN_AFTER_FINISH
      : refusedFinish(results)
      ? NOT_RUN_AFTER_REFUSAL
      : undefined;
    const now = refusal === undefined ? group.slice(0, left) : [];
    run.tally.toolCalls += ends ? 0 : now.length;
    results.push(...await sideBySide(now, (call) => carryOut(run, call)));
    for (const call of group.slice(now.length)) {
      results.push(notRun(call, refusal ?? NOT_RUN_CALL_LIMIT));
    }
  }
  if (refusedFinish(results)) run.tally.refusals = (run.tally.refusals ?? 0) + 1;
  run.tally.denials += results.filter(({ outcome }) => outcome.status === "denied").length;
  return results;
}

function groups(
  calls: readonly AskedCall[],
  readsOnly: (name: string) => boolean,
): readonly (readonly AskedCall[])[] {
  const found: AskedCall[][] = [];
  let reading = false;
  for (const call of calls) {
    const reads = call.name !== FINISH && readsOnly(call.name);
    if (reads && reading) found.at(-1)!.push(call);
    else found.push([call]);
    reading = reads;
  }
  return found;
}

async function sideBySide<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]!);
    }
  };
  const workers = Array.from({ length: Math.min(AGENT_PARALLEL_READS, items.length) }, worker);
  // Awaits all before it throws, so that no call is still running then.
  const settled = await Promise.allSettled(workers);
  for (const one of settled) if (one.status === "rejected") throw one.reason;
  return results;
}

async function carryOut(run: RunState, call: AskedCall): Promise<CallResult> {
  if (run.signal.aborted) return notRun(call, NOT_RUN_ENDED);
  run.plan.onDoing?.({ kind: "calls", turn: run.tally.turns, tool: call.name });
  try {
    const outcome = call.name === FINISH && !run.last
      ? await run.time.paused(() => called(run, call, run.plan.signal))
      : await called(run, call, run.signal);
    return { call, outcome, ran: true };
  } catch (thrown) {
    if (!run.signal.aborted) throw thrown;
    return notRun(call, CUT_OFF);
  }
}

function called(
  { last, plan: { toolbox } }: RunState,
  { name, args, repairs, cut }: AskedCall,
  signal: AbortSignal,
) {
  return toolbox.call(name, args, { signal, last, repairs, cut });
}

/** Together the outputs take at most what masking keeps; the longest are cut to one length. */
export function resultMessages(run: RunState, results: readonly CallResult[]): Message[] {
  const texts = results.map(({ outcome }) => withoutMark(outcome.text));
  const level = cutLevel(
    texts.map(({ length }) => length),
    roomChars(run) * COMPACT_MASK_KEEPS,
  );
  return results.map(({ call, outcome }, index) => ({
    role: "tool",
    callId: call.id,
    text: cutLines(texts[index]!, Math.max(level, AGENT_OUTPUT_CHARS), outcome.artefact),
  }));
}

export function cutLevel(lengths: readonly number[], limit: number): number {
  const rising = [...lengths].sort((a, b) => a - b);
  let left = limit;
  for (const [index, length] of rising.entries()) {
    const share = Math.floor(left / (rising.length - index));
    if (length > share) return share;
    left -= length;
  }
  return Infinity;
}

function cutLines(text: string, limit: number, artefact: string | undefined): string {
  if (text.length <= limit) return text;
  const head = shortened(text, Math.floor(limit * 2 / 3), "");
  const tail = shortenedStart(text, Math.floor(limit / 3), "");
  const shownHead = head.slice(0, head.lastIndexOf("\n") + 1) || `${head}\n`;
  const shownTail = tail.slice(tail.indexOf("\n") + 1) || tail;
  const dropped = text.length - shownHead.length - shownTail.length;
  const whole = artefact === undefined ? "" : `; the whole: ${artefact}`;
  return `${shownHead}[${dropped} characters left out: this turn's outputs are too long for the model's window; ask for less at a time${whole}]\n${shownTail}`;
}
