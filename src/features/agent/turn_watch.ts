/** Judges each turn: whether the model should be told something, or the run ended. */
import type { ModelRequest } from "svc/features/models/client/model.ts";
import type { OutcomeStatus } from "svc/features/tools/tool.ts";
import type { Tally } from "./agent.ts";
import { type CallResult, finishIn, refusedFinish } from "./call_result.ts";
import {
  circleNote,
  CUT_CALL_NOTE,
  missNote,
  REPEATED_NOTE,
  type SaidReply,
  silenceNote,
} from "./says.ts";
import { reportedStop, type Stop } from "./stop.ts";
import { callKey, CircleWatch, type Misses, MissWatch, stepOf } from "./stuck.ts";

const AGENT_SILENT_TURNS = 3;

/** Turns in a row with only invalid calls, or with only denied ones. */
const AGENT_FAULTY_TURNS = 5;

const AGENT_DENIED_CALLS = 3;

/** How many ends of a run svc may refuse; the last one ends the run all the same. */
const AGENT_REFUSALS = 2;

export interface TurnVerdict {
  readonly says: readonly string[];
  readonly stop?: Stop;
}

export class TurnWatch {
  #silent = 0;
  #invalid = 0;
  #denied = 0;
  readonly #denials = new Map<string, number>();
  readonly #circles = new CircleWatch();
  readonly #misses = new MissWatch();

  /** What the next request asks for: a call, once, after a turn without one. */
  get toolChoice(): ModelRequest["toolChoice"] {
    return this.#silent === 1 ? "required" : undefined;
  }

  see(
    reply: SaidReply,
    results: readonly CallResult[],
    { refusals = 0 }: Pick<Tally, "refusals">,
  ): TurnVerdict {
    const end = finishIn(results) ??
      (refusals >= AGENT_REFUSALS ? refusedFinish(results) : undefined);
    if (end !== undefined) return { says: [], stop: reportedStop(end) };
    const ran = results.filter((one) => one.ran);
    const stop = this.#afterDenials(ran) ?? this.#afterFaults(ran) ?? this.#afterSilence(results);
    if (stop !== undefined) return { says: [], stop };
    const says = this.#circle(ran);
    if ("disposition" in says) return { says: [], stop: says };
    if (results.length === 0) return { says: [silenceNote(reply)] };
    if (reply.end !== "length") return { says };
    return { says: [reply.repeated === undefined ? CUT_CALL_NOTE : REPEATED_NOTE, ...says] };
  }

  #afterDenials(ran: readonly CallResult[]): Stop | undefined {
    this.#denied = counted(this.#denied, ran, ["denied"]);
    for (const { call, outcome } of ran) {
      if (outcome.status !== "denied") continue;
      const times = (this.#denials.get(callKey(call)) ?? 0) + 1;
      this.#denials.set(callKey(call), times);
      if (times >= AGENT_DENIED_CALLS) {
        return denied(`${call.name} was denied ${times} times`, outcome.text);
      }
    }
    return this.#denied < AGENT_FAULTY_TURNS
      ? undefined
      : denied(`${this.#denied} turns in a row had only denied calls`, ran.at(-1)!.outcome.text);
  }

  #afterFaults(ran: readonly CallResult[]): Stop | undefined {
    this.#invalid = counted(this.#invalid, ran, ["invalid", "unknown"]);
    if (this.#invalid < AGENT_FAULTY_TURNS) return undefined;
    return {
      disposition: "model_error",
      category: "model_protocol",
      evidence: `${this.#invalid} turns in a row had only invalid tool calls; the last was ${
        ran.at(-1)!.call.name
      }`,
    };
  }

  #afterSilence(results: readonly CallResult[]): Stop | undefined {
    this.#silent = results.length === 0 ? this.#silent + 1 : 0;
    if (this.#silent < AGENT_SILENT_TURNS) return undefined;
    const evidence = `${this.#silent} turns in a row had neither a tool call nor an end`;
    return { disposition: "stuck", category: "stuck", evidence };
  }

  #circle(ran: readonly CallResult[]): readonly string[] | Stop {
    const circle = this.#circles.see(ran.map(({ call, outcome }) => stepOf(call, outcome.hash)));
    const misses = this.#misses.see(ran);
    if (circle === undefined) return misses === undefined ? [] : afterMisses(misses);
    const { tools, times, verdict } = circle;
    if (verdict === "nudge") return [circleNote(tools, times)];
    const what = tools.length === 1
      ? `the same call of ${tools[0]}`
      : `a round of ${tools.join(", ")}`;
    const evidence = `${what} came ${times} times with the same result`;
    return { disposition: "stuck", category: "stuck", evidence };
  }
}

function afterMisses({ searches, verdict }: Misses): readonly string[] | Stop {
  if (verdict === "nudge") return [missNote(searches)];
  const evidence = `${searches} different searches in a row found nothing`;
  return { disposition: "stuck", category: "stuck", evidence };
}

function counted(
  before: number,
  ran: readonly CallResult[],
  statuses: readonly OutcomeStatus[],
): number {
  if (ran.length === 0) return before;
  return ran.every(({ outcome }) => statuses.includes(outcome.status)) ? before + 1 : 0;
}

function denied(what: string, text: string): Stop {
  return {
    disposition: "policy_denied",
    category: "policy_denied",
    evidence: `${what}: ${text.split("\n", 1)[0]}`,
  };
}
