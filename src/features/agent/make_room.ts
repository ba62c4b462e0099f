/** Keeps the conversation within the model's window: leaves out old outputs, then summarises. */
import { COMPACT_MASK_KEEPS, COMPACT_SUMMARY_KEEPS } from "svc/core/bounds.ts";
import { shortened } from "svc/core/shortened.ts";
import { type Message, ModelFault } from "svc/features/models/client/model.ts";
import { masked, stubbed, summarised } from "./compact.ts";
import { FIXED_MESSAGES, lastTurn, newestFrom, totalChars } from "./conversation.ts";
import { fittingRequest, tokensLeft } from "./fit_request.ts";
import { countReply, promptChars, roomChars, type RunState } from "./run_state.ts";
import { SUMMARY_REQUEST } from "./says.ts";
import { faultStop, type Stop } from "./stop.ts";

/** Share of the window at which old tool outputs are left out or, where that is not enough, a summary is made. */
const COMPACT_AT = 0.8;

/**
 * Share of the room. Changing old messages costs the prompt cache, so a change that leaves more than this is
 * not worth it.
 */
const COMPACT_MASK_LEAVES = 0.5;

const COMPACT_LAST_TURN = 0.4;

/** Share of the conversation that a compaction must free; less is no progress. */
const COMPACT_FREES = 0.2;

/** Summaries within `COMPACT_TURNS` turns; more mean that the task does not fit the window. */
const COMPACT_SUMMARIES = 3;
const COMPACT_TURNS = 10;

const COMPACT_SUMMARY_TOKENS = 4096;

export async function makeRoom(run: RunState): Promise<"made" | Stop | undefined> {
  const forced = run.overflow !== undefined && !run.overflow.answered;
  if (!forced && shareOf(run) < COMPACT_AT) return undefined;
  if (run.overflow !== undefined) run.overflow.answered = true;

  // The model has not seen the outputs of the last turn yet.
  const newest = newestFrom(run.messages, roomChars(run) * COMPACT_MASK_KEEPS);
  const from = Math.min(newest, lastTurn(run.messages));
  const without = masked(run.messages, { from, rules: run.plan.rules, told: run.told });
  const left = totalChars(without.slice(FIXED_MESSAGES)) / roomChars(run);
  if (frees(run, without) && left <= (forced ? COMPACT_AT : COMPACT_MASK_LEAVES)) {
    return await replace(run, without, "masked");
  }
  return await summarise(run, without);
}

async function summarise(
  run: RunState,
  without: readonly Message[],
): Promise<"made" | Stop | undefined> {
  const recent = run.summaries.filter((turn) => turn > run.tally.turns - COMPACT_TURNS);
  if (recent.length >= COMPACT_SUMMARIES) {
    return thrash(run, `${recent.length} summaries in ${COMPACT_TURNS} turns were not enough`);
  }
  const from = keptFrom(run);
  // There is nothing between the task and what is kept, so a summary would only make the prompt longer.
  if (from <= FIXED_MESSAGES) return thrash(run, "the prompt and the last turn alone fill it");
  const summary = await askSummary(run, without, from);
  if (typeof summary !== "string") return summary.stop;
  const { plan: { rules }, told } = run;
  const shorter = summarised(run.messages, { from, task: firstTask(run), summary, rules, told });
  if (!frees(run, shorter)) return thrash(run, "a summary did not make it shorter");
  run.summaries.push(run.tally.turns);
  return await replace(run, shorter, "summarised");
}

/** Empty when the model gave none. Sends all while it fits, so that a server's prompt cache holds. */
async function askSummary(
  run: RunState,
  without: readonly Message[],
  from: number,
): Promise<string | { readonly stop: Stop | undefined }> {
  const { model, trace } = run.plan;
  run.plan.onDoing?.({ kind: "asks", turn: run.tally.turns + 1 });
  const room = run.scale.tokens(roomChars(run));
  const wanted = Math.min(COMPACT_SUMMARY_TOKENS, Math.floor(room * COMPACT_SUMMARY_KEEPS));
  const question = { role: "user", text: SUMMARY_REQUEST } as const;
  const forms = [run.messages, without, stubbed(run.messages, from)];
  const messages = fittingRequest(run, forms, question, wanted / 2);
  const maxTokens = Math.max(1, Math.min(wanted, tokensLeft(run, messages)));
  try {
    const reply = await model.ask({ messages, tools: run.tools, maxTokens }, {
      signal: run.signal,
    });
    await countReply(run, reply, messages);
    const text = shortened(reply.text.trim(), run.scale.chars(maxTokens), "");
    await trace.write("summary", { usage: reply.usage, text, tally: run.tally });
    return text;
  } catch (thrown) {
    if (run.signal.aborted) return { stop: undefined };
    if (!(thrown instanceof ModelFault)) throw thrown;
    if (thrown.kind !== "context_overflow" && thrown.kind !== "too_large") {
      return { stop: faultStop(thrown) };
    }
    await trace.write("summary", { fault: thrown.kind, message: thrown.message });
    return "";
  }
}

function keptFrom(run: RunState): number {
  const room = roomChars(run);
  const newest = newestFrom(run.messages, room * COMPACT_SUMMARY_KEEPS);
  if (newest < run.messages.length) return newest;
  const last = lastTurn(run.messages);
  const size = totalChars(run.messages.slice(last));
  return size <= room * COMPACT_LAST_TURN ? last : run.messages.length;
}

/** The task as it was given, without the old summary that may follow it in a resumed run. */
function firstTask(run: RunState): string {
  return run.messages[1]!.text.startsWith(run.plan.task) ? run.plan.task : run.messages[1]!.text;
}

function shareOf(run: RunState, messages = run.messages): number {
  return run.scale.tokens(promptChars(run, messages)) / run.window;
}

/** Leaves the prompt's fixed part out of the count, since nothing can free it. */
function frees(run: RunState, messages: readonly Message[]): boolean {
  const size = (all: readonly Message[]) =>
    totalChars(all) - run.plan.system.length - run.plan.task.length;
  return size(messages) <= size(run.messages) * (1 - COMPACT_FREES);
}

async function replace(
  run: RunState,
  messages: readonly Message[],
  how: "masked" | "summarised",
): Promise<"made"> {
  const before = run.scale.tokens(promptChars(run));
  run.messages = messages;
  await run.plan.trace.write("compacted", {
    how,
    before,
    after: run.scale.tokens(promptChars(run)),
    window: run.window,
    messages,
    tally: run.tally,
  });
  return "made";
}

function thrash(run: RunState, why: string): Stop {
  if (run.overflow !== undefined) return faultStop(run.overflow.fault);
  return {
    disposition: "stuck",
    category: "context_overflow",
    evidence: `context_thrash: the window of ${run.window} tokens is too small: ${why}`,
  };
}
