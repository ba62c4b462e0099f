/** The last turn of a run that met a limit: 60 s in which it may only say what it has done. */
import { AGENT_REPLY_TOKENS } from "svc/core/bounds.ts";
import { ModelFault, type ModelReply } from "svc/features/models/client/model.ts";
import { act } from "./act.ts";
import { FINISH, finishIn, notRun } from "./call_result.ts";
import { stubbed } from "./compact.ts";
import { fittingRequest, tokensLeft } from "./fit_request.ts";
import { deadline, type Limit } from "./limits.ts";
import { readCalls } from "./read_calls.ts";
import { countReply, promptChars, type RunState, say } from "./run_state.ts";
import { saveReply, saveTurn } from "./save_turn.ts";
import { graceNote, NOT_RUN_GRACE } from "./says.ts";
import { CANCELLED, reportedStop, type Stop } from "./stop.ts";

const AGENT_GRACE_MS = 60_000;

/** Tokens of its reply; a model that thinks aloud needs most of them. */
const AGENT_GRACE_TOKENS = 4096;

export async function graceTurn(run: RunState, limit: Limit): Promise<Stop> {
  const finish = run.tools.filter((tool) => tool.function.name === FINISH);
  if (!limit.grace || finish.length === 0) return limit.stop;
  const note = { role: "user", text: graceNote(limit.stop.evidence) } as const;
  const forms = [run.messages, stubbed(run.messages, run.messages.length)];
  const messages = fittingRequest(run, forms, note, AGENT_REPLY_TOKENS);
  say(run, [note]);
  await run.plan.trace.write("note", { append: [note], limit: limit.stop.disposition });

  using time = deadline(run.plan.clock, AGENT_GRACE_MS);
  const last = { ...run, signal: AbortSignal.any([run.plan.signal, time.signal]) };
  const started = run.plan.clock.monotonic();
  const reply = await askForEnd(last, messages, finish);
  if (reply === undefined) return run.plan.signal.aborted ? CANCELLED : limit.stop;

  const asked = await readCalls(run, reply);
  const { calls } = asked;
  await saveReply(run, reply, asked);
  const chosen = calls.find(({ name }) => name === FINISH);
  const done = chosen === undefined ? [] : await act(last, [chosen]);
  const results = calls.map((call) => call === chosen ? done[0]! : notRun(call, NOT_RUN_GRACE));
  const end = finishIn(results);
  const stop = end !== undefined
    ? reportedStop(end)
    : run.plan.signal.aborted
    ? CANCELLED
    : limit.stop;
  await saveTurn(run, reply, { results, verdict: { says: [], stop }, started });
  return stop;
}

async function askForEnd(
  run: RunState,
  messages: RunState["messages"],
  tools: RunState["tools"],
): Promise<ModelReply | undefined> {
  const { model, trace, onText } = run.plan;
  run.plan.onDoing?.({ kind: "asks", turn: run.tally.turns + 1 });
  try {
    const reply = await model.ask(
      {
        messages,
        tools,
        maxTokens: Math.max(
          AGENT_REPLY_TOKENS,
          Math.min(AGENT_GRACE_TOKENS, tokensLeft(run, messages)),
        ),
      },
      { signal: run.signal, onText },
    );
    countReply(run, reply, promptChars(run, messages));
    return reply;
  } catch (thrown) {
    if (!(thrown instanceof ModelFault) && !run.signal.aborted) throw thrown;
    const fault = thrown instanceof ModelFault ? thrown.kind : "aborted";
    await trace.write("grace_fault", { fault, message: String(thrown) });
    return undefined;
  }
}
