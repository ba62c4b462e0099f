/**
 * The last turn of a run that met a limit: 60 s in which it may only say what it has done. It is offered the
 * same tools as before, since a changed list throws the server's cached prompt away.
 */
import { AGENT_REPLY_TOKENS } from "svc/core/bounds.ts";
import { ModelFault, type ModelReply } from "svc/features/models/client/model.ts";
import { act } from "./act.ts";
import { FINISH, finishIn, notRun } from "./call_result.ts";
import { stubbed } from "./compact.ts";
import { fittingRequest, tokensLeft } from "./fit_request.ts";
import { canAffordGrace } from "./budget.ts";
import { deadline } from "./deadline.ts";
import type { Limit } from "./limits.ts";
import { readCalls } from "./read_calls.ts";
import { countReply, type RunState, say } from "./run_state.ts";
import { saveReply, saveTurn } from "./save_turn.ts";
import { graceNote, NOT_RUN_GRACE } from "./says.ts";
import { CANCELLED, reportedStop, type Stop } from "./stop.ts";

const AGENT_GRACE_MS = 60_000;

/** Tokens of its reply; a model that thinks aloud needs most of them. */
const AGENT_GRACE_TOKENS = 4096;

/** Asks again, once, after a reply that called something else: its calls are refused. */
const AGENT_GRACE_REPLIES = 2;

export async function graceTurn(run: RunState, limit: Limit): Promise<Stop> {
  if (!limit.grace || run.tools.every((tool) => tool.function.name !== FINISH)) return limit.stop;
  const note = { role: "user", text: graceNote(limit.stop.evidence) } as const;
  using time = deadline(run.plan.clock, AGENT_GRACE_MS);
  const last = { ...run, last: true, signal: AbortSignal.any([run.plan.signal, time.signal]) };
  for (let asked = 1;; asked++) {
    const forms = [run.messages, stubbed(run.messages, run.messages.length)];
    const messages = fittingRequest(run, forms, note, AGENT_REPLY_TOKENS);
    say(run, [note]);
    await run.plan.trace.write("note", { append: [note], limit: limit.stop.disposition });
    const started = run.plan.clock.monotonic();
    const reply = await askForEnd(run, messages, last.signal);
    if (reply === undefined) break;

    const said = await readCalls(run, reply);
    await saveReply(run, reply, said);
    const chosen = said.calls.find(({ name }) => name === FINISH);
    const done = chosen === undefined ? [] : await act(last, [chosen]);
    const results = said.calls.map((call) =>
      call === chosen ? done[0]! : notRun(call, NOT_RUN_GRACE)
    );
    const end = finishIn(results);
    const more = end === undefined && said.calls.length > 0 && asked < AGENT_GRACE_REPLIES &&
      !last.signal.aborted && canAffordGrace(run);
    const stop = end !== undefined ? reportedStop(end) : more ? undefined : limit.stop;
    await saveTurn(run, reply, { results, verdict: { says: [], ...(stop && { stop }) }, started });
    if (end !== undefined) return stop!;
    if (!more) break;
  }
  return run.plan.signal.aborted ? CANCELLED : limit.stop;
}

async function askForEnd(
  run: RunState,
  messages: RunState["messages"],
  signal: AbortSignal,
): Promise<ModelReply | undefined> {
  const { tools, plan: { model, trace, onText } } = run;
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
      { signal, onText },
    );
    await countReply(run, reply, messages);
    return reply;
  } catch (thrown) {
    if (!(thrown instanceof ModelFault) && !signal.aborted) throw thrown;
    const fault = thrown instanceof ModelFault ? thrown.kind : "aborted";
    await trace.write("grace_fault", { fault, message: String(thrown) });
    return undefined;
  }
}
