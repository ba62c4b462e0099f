/** How much the changes of a release raise its version. */
import { type Bump, type SemVer } from "svc/core/semver.ts";
import type { Header } from "./conventional.ts";

const ORDER = ["patch", "minor", "major"] as const;

/** They change nothing that users of the release get. */
const QUIET = /^(?:docs?|style|chore|refactor|tests?|bench|build|ci|wip)$/;

export const isQuiet = ({ type }: Pick<Header, "type">): boolean => QUIET.test(type);

/** A commit that says nothing of itself may have changed something, so it counts as a fix. */
export function bumpOf(change: Pick<Header, "type" | "breaking">): Bump | undefined {
  if (change.breaking) return "major";
  if (/^feat(?:ure)?$/.test(change.type)) return "minor";
  return isQuiet(change) ? undefined : "patch";
}

export const weightOf = (change: Pick<Header, "type" | "breaking">): number => {
  const bump = bumpOf(change);
  return bump === undefined ? -1 : ORDER.indexOf(bump);
};

/**
 * Undefined where nothing is to be released. Before 1.0.0 anything may change (SemVer 2.0.0, section 4): what
 * breaks raises the minor number there, and 1.0.0 is a person's decision.
 */
export function bumpFor(
  current: Pick<SemVer, "major">,
  changes: readonly Pick<Header, "type" | "breaking">[],
): Bump | undefined {
  const most = changes.reduce((most, change) => Math.max(most, weightOf(change)), -1);
  const bump = ORDER[most];
  return bump === "major" && current.major === 0 ? "minor" : bump;
}
