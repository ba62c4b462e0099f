/** Asks the model for a summary of its own conversation, in a request that itself fits the window. */
import { COMPACT_SUMMARY_KEEPS } from "svc/core/bounds.ts";
import { type Message, ModelFault } from "svc/features/models/client/model.ts";
import { stubbed } from "./compact.ts";
import { fittingRequest, tokensLeft } from "./fit_request.ts";
import {
  countReply,
  faultStop,
  promptChars,
  roomChars,
  type RunState,
  type Stop,
} from "./run_state.ts";
import { SUMMARY_REQUEST } from "./says.ts";

/** Tokens of a summary, and its share of the room where that is less. */
const COMPACT_SUMMARY_TOKENS = 4096;

/**
 * The summary; empty when the model gave none. The conversation is sent as it is while it fits,
 * so that a server's prompt cache holds; else without old outputs, else without its oldest turns.
 */
export async function askSummary(
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
    countReply(run, reply, promptChars(run, messages));
    const text = reply.text.trim().slice(0, run.scale.chars(maxTokens));
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
