/** Writes each step of a run to its trace before anybody sees it. */
import type { Message, ModelReply } from "svc/features/models/client/model.ts";
import { resultMessages } from "./act.ts";
import type { AgentEnd, AgentPlan } from "./agent.ts";
import type { CallResult } from "./call_result.ts";
import type { AskedCalls } from "./read_calls.ts";
import { type RunState, say } from "./run_state.ts";
import { EMPTY_REPLY } from "./says.ts";
import type { TurnVerdict } from "./turn_watch.ts";

/** Called before the reply's calls are carried out, so that a run that dies does not repeat them blindly. */
export async function saveReply(
  run: RunState,
  reply: ModelReply,
  { said: calls, written }: Pick<AskedCalls, "said" | "written">,
): Promise<void> {
  run.tally.turns++;
  // Some servers refuse a message that says and calls nothing.
  const text = reply.text === "" && calls.length === 0 ? EMPTY_REPLY : reply.text;
  const { reasoning } = reply;
  const message: Message = { role: "assistant", text, calls, ...(reasoning && { reasoning }) };
  say(run, [message]);
  await run.plan.trace.write("reply", {
    turn: run.tally.turns,
    message,
    end: reply.end,
    ...(reply.repeated && { repeated: reply.repeated }),
    textCalls: reply.textCalls,
    ...(written.length > 0 && { written }),
    usage: reply.usage,
    tally: run.tally,
  });
}

export async function saveTurn(run: RunState, reply: ModelReply, did: {
  readonly results: readonly CallResult[];
  readonly verdict: TurnVerdict;
  readonly started: number;
}): Promise<void> {
  const { plan, tally } = run;
  const notes = did.verdict.says.length === 0
    ? []
    : [{ role: "user", text: did.verdict.says.join("\n") } as const];
  const append = [...resultMessages(run, did.results), ...notes];
  say(run, append);
  const elapsedMs = Math.round(plan.clock.monotonic() - did.started);
  const outcomes = did.results.map(({ outcome }) => outcome);
  await plan.trace.write("turn", {
    turn: tally.turns,
    append,
    outcomes: outcomes.map(({ text: _, ...rest }) => rest),
    elapsedMs,
    tally,
    ...(did.verdict.stop && { stop: did.verdict.stop }),
  });
  plan.onTurn?.({
    turn: tally.turns,
    text: reply.text,
    calls: did.results.map(({ call: { name, args } }) => ({ name, args })),
    outcomes,
    tokensIn: reply.usage.tokensIn,
    tokensOut: reply.usage.tokensOut,
    elapsedMs,
  });
}

export async function saveStart(run: RunState): Promise<void> {
  const { route, profile } = run.plan.model;
  const about = {
    provider: route.provider,
    model: profile.model,
    endpoint: profile.endpoint,
    evidence: profile.evidence,
    contextWindow: profile.contextWindow,
    limits: run.plan.limits,
    tools: run.tools.map((tool) => tool.function.name),
  };
  if (run.plan.resume !== undefined) {
    return await run.plan.trace.write("resumed", {
      ...about,
      messages: run.messages,
      tally: run.tally,
    });
  }
  await run.plan.trace.write("started", { ...about, messages: run.messages });
}

export async function saveEnd(plan: AgentPlan, end: AgentEnd, cause?: unknown): Promise<void> {
  const { fault, ...rest } = end;
  await plan.trace.write("ended", {
    ...rest,
    ...(fault && { fault: { kind: fault.kind, ...fault.detail } }),
    ...(cause !== undefined && { cause: causeText(cause) }),
  });
}

function causeText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause === undefined ? "" : `\ncaused by ${causeText(thrown.cause)}`;
  return `${thrown.stack ?? String(thrown)}${cause}`;
}
