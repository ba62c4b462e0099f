/** Makes one request of the loop, and decides what a fault or a prompt that is too long means for the run. */
import { wellFormedJson } from "svc/core/well_formed.ts";
import { ModelFault, type ModelReply } from "svc/features/models/client/model.ts";
import type { StatedSizes } from "svc/features/models/client/overflow.ts";
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
  const { messages } = run;
  const sent = promptChars(run);
  try {
    const reply = wellFormed(
      await model.ask(
        {
          messages: [...messages],
          tools: run.tools,
          maxTokens,
          toolChoice: run.watch.toolChoice,
        },
        {
          signal: run.signal,
          onText,
          onRetry({ fault: { message: why }, waitMs }) {
            onDoing?.({ kind: "waits", turn, why, waitMs });
          },
        },
      ),
    );
    await countReply(run, reply, messages);
    if (reply.truncatedPrompt) return await tooLong(run, cutFault(run), reply);
    run.overflow = undefined;
    run.replyCut = false;
    return reply;
  } catch (thrown) {
    if (run.signal.aborted) return "again";
    if (!(thrown instanceof ModelFault)) throw thrown;
    if (thrown.kind === "context_overflow" || suspected(run, thrown, sent)) {
      return await tooLong(run, thrown);
    }
    return faultStop(thrown);
  }
}

/** The reply goes back with each later request, and a server that refuses half a character would refuse them all. */
function wellFormed(reply: ModelReply): ModelReply {
  const { text, reasoning, calls } = reply;
  return {
    ...reply,
    text: text.toWellFormed(),
    calls: calls.map((call) => ({
      ...call,
      name: call.name.toWellFormed(),
      args: wellFormedJson(call.args),
    })),
    ...(reasoning && { reasoning: { ...reasoning, text: reasoning.text.toWellFormed() } }),
  };
}

/** Statuses with which servers refuse a prompt that is too long without saying so; Cerebras sends no body. */
const SUSPECT_STATUSES: readonly (number | undefined)[] = [400, 413, 500];

/** Share of the believed window from which on such a refusal may be about the prompt's length. */
const SUSPECT_FROM = 0.5;

function suspected(run: RunState, { kind, detail }: ModelFault, sent: number): boolean {
  return (kind === "bad_request" || kind === "server") &&
    SUSPECT_STATUSES.includes(detail.status) &&
    run.scale.tokens(sent) > SUSPECT_FROM * run.window;
}

async function tooLong(
  run: RunState,
  fault: ModelFault,
  cut?: ModelReply,
): Promise<Stop | "again"> {
  const believed = run.window;
  const { stated = {} } = fault.detail;
  if (stated.prompt !== undefined) {
    run.scale.learn(promptChars(run), { tokensIn: stated.prompt, tokensOut: 0, estimated: false });
  }
  const sent = run.scale.tokens(promptChars(run));
  const takes = cut !== undefined && !cut.usage.estimated
    ? cut.usage.tokensIn
    : statedRoom(run, stated) ?? SHRINK * sent;
  run.window = Math.max(1, Math.floor(Math.min(believed, takes)));
  const shorter = !run.replyCut && replyTooLong(stated);
  await run.plan.trace.write("overflow", {
    how: shorter
      ? "no room for the reply"
      : cut !== undefined
      ? "cut without a word"
      : fault.kind === "context_overflow"
      ? "refused"
      : "refused without a reason",
    promptTokens: sent,
    believedWindow: believed,
    window: run.window,
    tally: run.tally,
  });
  if (shorter) {
    run.replyCut = true;
    return "again";
  }
  // If the same fault comes after a shorter prompt, it means what it says.
  if (run.overflow !== undefined) return faultStop(fault);
  run.overflow = { fault, answered: false };
  return "again";
}

/** Undefined where the server states no window, or one in which the prompt should have fitted. */
function statedRoom(run: RunState, { window, prompt }: StatedSizes): number | undefined {
  return window !== undefined && window >= run.window && prompt === undefined ? undefined : window;
}

/** The prompt alone fits: now that its tokens are known, the limit of the reply is set right. */
function replyTooLong({ window = 0, prompt, reply }: StatedSizes): boolean {
  return prompt !== undefined && reply !== undefined && prompt < window;
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
