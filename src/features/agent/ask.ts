/** One request of the loop, and what a fault or a too long prompt means for the run. */
import { ModelFault, type ModelReply } from "svc/features/models/client/model.ts";
import { replyTokens } from "./limits.ts";
import { countReply, promptChars, type RunState } from "./run_state.ts";
import { faultStop, type Stop } from "./stop.ts";

/** Share of a prompt that is believed to fit when the server refused or cut it without a number. */
const SHRINK = 0.75;

/** @returns "again" when limits and room must be looked at first; a `Stop` for a fault */
export async function ask(run: RunState): Promise<ModelReply | Stop | "again"> {
  const { model, onText, onDoing } = run.plan;
  const turn = run.tally.turns + 1;
  onDoing?.({ kind: "asks", turn });
  const maxTokens = replyTokens(run);
  const sent = promptChars(run);
  try {
    const reply = await model.ask(
      { messages: [...run.messages], tools: run.tools, maxTokens },
      {
        signal: run.signal,
        onText,
        onRetry({ fault: { message: why }, waitMs }) {
          onDoing?.({ kind: "waits", turn, why, waitMs });
        },
      },
    );
    countReply(run, reply, sent);
    if (reply.truncatedPrompt) return await tooLong(run, cutFault(run), reply);
    run.overflow = undefined;
    return reply;
  } catch (thrown) {
    if (run.signal.aborted) return "again";
    if (!(thrown instanceof ModelFault)) throw thrown;
    return thrown.kind === "context_overflow" ? await tooLong(run, thrown) : faultStop(thrown);
  }
}

async function tooLong(
  run: RunState,
  fault: ModelFault,
  cut?: ModelReply,
): Promise<Stop | "again"> {
  const believed = run.window;
  const sent = run.scale.tokens(promptChars(run));
  const kept = cut !== undefined && !cut.usage.estimated ? cut.usage.tokensIn : SHRINK * sent;
  run.window = Math.max(1, Math.floor(Math.min(believed, kept)));
  await run.plan.trace.write("overflow", {
    how: cut === undefined ? "refused" : "cut without a word",
    promptTokens: sent,
    believedWindow: believed,
    window: run.window,
    tally: run.tally,
  });
  if (run.overflow !== undefined) return faultStop(fault);
  run.overflow = { fault, answered: false };
  return "again";
}

function cutFault({ plan: { model } }: RunState): ModelFault {
  return new ModelFault(
    "context_overflow",
    `Cannot go on with model "${model.profile.model}": the server takes only a part of the prompt`,
    {
      category: "context_overflow",
      transient: false,
      pausesLane: false,
      remedy: "Give the model a larger context window on its server, or route the role to another",
    },
  );
}
