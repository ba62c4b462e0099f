/** Looks at each turn and says whether the run should be told something, or ended. */
import { REPORTED_DISPOSITIONS, type ReportedDisposition } from "svc/core/disposition.ts";
import type { ModelReply } from "svc/features/models/client/model.ts";
import type { OutcomeStatus } from "svc/features/tools/tool.ts";
import { type Acted, finished } from "./act.ts";
import type { Stop } from "./run_state.ts";
import { circleNote, CUT_CALL_NOTE, silenceNote } from "./says.ts";
import { callKey, CircleWatch, stepOf } from "./stuck.ts";

/** Turns in a row with neither a call nor an end. */
const AGENT_SILENT_TURNS = 3;

/** Turns in a row with only invalid calls, or with only denied ones. */
const AGENT_FAULTY_TURNS = 5;

/** Times that one and the same call may be denied in a run. */
const AGENT_DENIED_CALLS = 3;

export interface Verdict {
  /** For the model, after the results. */
  readonly says: readonly string[];
  readonly stop?: Stop;
}

export class TurnWatch {
  #silent = 0;
  #invalid = 0;
  #denied = 0;
  /** Times that a call was denied, by call. */
  readonly #denials = new Map<string, number>();
  readonly #circles = new CircleWatch();

  see(reply: Pick<ModelReply, "text" | "end">, acted: readonly Acted[]): Verdict {
    const end = finished(acted);
    if (end !== undefined) return { says: [], stop: ownEnd(end) };
    const ran = acted.filter((one) => one.ran);
    const stop = this.#afterDenials(ran) ?? this.#afterFaults(ran) ?? this.#afterSilence(acted);
    if (stop !== undefined) return { says: [], stop };
    const says = this.#circle(ran);
    if ("disposition" in says) return { says: [], stop: says };
    if (acted.length === 0) return { says: [silenceNote(reply)] };
    return { says: reply.end === "length" ? [CUT_CALL_NOTE, ...says] : says };
  }

  #afterDenials(ran: readonly Acted[]): Stop | undefined {
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

  #afterFaults(ran: readonly Acted[]): Stop | undefined {
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

  #afterSilence(acted: readonly Acted[]): Stop | undefined {
    this.#silent = acted.length === 0 ? this.#silent + 1 : 0;
    if (this.#silent < AGENT_SILENT_TURNS) return undefined;
    const evidence = `${this.#silent} turns in a row had neither a tool call nor an end`;
    return { disposition: "stuck", category: "stuck", evidence };
  }

  #circle(ran: readonly Acted[]): readonly string[] | Stop {
    const circle = this.#circles.see(ran.map(({ call, outcome }) => stepOf(call, outcome.hash)));
    if (circle === undefined) return [];
    const { tools, times, verdict } = circle;
    if (verdict === "nudge") return [circleNote(tools, times)];
    const what = tools.length === 1
      ? `the same call of ${tools[0]}`
      : `a round of ${tools.join(", ")}`;
    const evidence = `${what} came ${times} times with the same result`;
    return { disposition: "stuck", category: "stuck", evidence };
  }
}

/** One more when every call of the turn came to one of `statuses`; none was made: unchanged. */
function counted(
  before: number,
  ran: readonly Acted[],
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

/** The end that a role reported. @throws Error when the toolbox let something else through */
export function ownEnd({ outcome }: Acted): Stop {
  const { disposition, evidence, ticket } = outcome.facts;
  const reported = REPORTED_DISPOSITIONS.find((known) => known === disposition);
  if (reported === undefined || typeof evidence !== "string") {
    throw new Error("The outcome of finish has no disposition and evidence");
  }
  return {
    disposition: reported satisfies ReportedDisposition,
    evidence,
    ...(typeof ticket === "string" && { ticket }),
  };
}
