/** Sums up the scores of probes: one number for each group, one for the model, and what the model is fit for. */
import { PROBE_GROUPS, type ProbeGroup } from "./probe.ts";
import type { ProbeResult } from "./run_probe.ts";

export const MODEL_VERDICTS = ["fit", "limited", "unfit"] as const;
export type ModelVerdict = typeof MODEL_VERDICTS[number];

/** Below it a model is no agent; at the other one it is one. */
const UNFIT_BELOW = 50;
const FIT_FROM = 75;

/** Without these an agent can do nothing. */
const ESSENTIAL: readonly ProbeGroup[] = ["tool_call", "arguments", "edit"];

export interface ModelScores {
  readonly groups: Readonly<Record<ProbeGroup, number>>;
  /** From 0 to 100: the mean of the groups. */
  readonly score: number;
  readonly verdict: ModelVerdict;
}

export function scoresOf(probes: readonly Pick<ProbeResult, "group" | "score">[]): ModelScores {
  const mean = (numbers: readonly number[]) =>
    Math.round(numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length));
  const ofGroup = (group: ProbeGroup) =>
    mean(probes.filter((probe) => probe.group === group).map(({ score }) => score));
  const groups = Object.fromEntries(
    PROBE_GROUPS.map((group) => [group, ofGroup(group)]),
  ) as Record<ProbeGroup, number>;
  const score = mean(Object.values(groups));
  const least = Math.min(...ESSENTIAL.map((group) => groups[group]));
  const verdict = least < UNFIT_BELOW || score < UNFIT_BELOW
    ? "unfit"
    : least >= FIT_FROM && score >= FIT_FROM
    ? "fit"
    : "limited";
  return { groups, score, verdict };
}
