/** The agent's loop: ask the model, carry out its calls, tell it their results, until the run ends. */
import { Failure } from "svc/core/failure.ts";
import type { ModelReply } from "svc/features/models/client/model.ts";
import { act } from "./act.ts";
import type { AgentEnd, AgentPlan } from "./agent.ts";
import { ask } from "./ask.ts";
import { setAsideTurn } from "./budget.ts";
import { graceTurn } from "./grace.ts";
import { deadline } from "./deadline.ts";
import { hearPerson, notesRead } from "./hear.ts";
import { limitReached } from "./limits.ts";
import { makeRoom } from "./make_room.ts";
import { readCalls } from "./read_calls.ts";
import { offerTools, type RunState, startState } from "./run_state.ts";
import { saveEnd, saveReply, saveStart, saveTurn } from "./save_turn.ts";
import { CANCELLED, type Stop } from "./stop.ts";

/** Never throws: whatever happens is an `AgentEnd`, also in the trace. */
export async function runAgent(plan: AgentPlan): Promise<AgentEnd> {
  using time = deadline(plan.clock, plan.limits.timeoutMs);
  const signal = AbortSignal.any([plan.signal, time.signal]);
  const run = startState(plan, { signal, time });
  let stop: Stop;
  let cause: unknown;
  try {
    await offerTools(run);
    await saveStart(run);
    stop = await turns(run);
  } catch (thrown) {
    stop = unexpected(plan, thrown);
    cause = thrown;
  }
  const end = { ...stop, ...run.tally };
  // The end counts even if the trace cannot be written: the last turn's line contains it too.
  await saveEnd(plan, end, cause).catch(() => {});
  return end;
}

async function turns(run: RunState): Promise<Stop> {
  for (;;) {
    if (run.plan.signal.aborted) return CANCELLED;
    await offerTools(run);
    await setAsideTurn(run);
    const limit = limitReached(run);
    if (limit !== undefined) return await graceTurn(run, limit);

    await hearPerson(run);
    const room = await makeRoom(run);
    if (room === "made") continue;
    if (room !== undefined) return room;

    const started = run.plan.clock.monotonic();
    const reply = await ask(run);
    if (reply === "again") continue;
    if ("disposition" in reply) return reply;

    const stop = await observe(run, reply, started);
    if (stop !== undefined) return stop;
  }
}

async function observe(
  run: RunState,
  reply: ModelReply,
  started: number,
): Promise<Stop | undefined> {
  const asked = await readCalls(run, reply);
  await saveReply(run, reply, asked);
  await notesRead(run);
  const results = await act(run, asked.calls);
  const verdict = run.watch.see(reply, results, run.tally);
  await saveTurn(run, reply, { results, verdict, started });
  return verdict.stop;
}

/** The cause goes only into the trace, since it may contain anything; except for svc's own words about a wait. */
function unexpected(plan: AgentPlan, thrown: unknown): Stop {
  if (plan.signal.aborted) return CANCELLED;
  const { message, detail } = Failure.from(thrown);
  const evidence = detail.waits
    ? message
    : `Unexpected failure of svc; its cause is in ${plan.trace.path}`;
  return { disposition: "internal_error", category: "internal", evidence };
}
