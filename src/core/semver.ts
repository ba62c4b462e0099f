/** Versions as Semantic Versioning 2.0.0 writes, orders and raises them. */

/** How much a release raises its version. */
export type Bump = "major" | "minor" | "patch";

export interface SemVer {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** Identifiers after the hyphen; empty for a release. Build metadata is dropped: it orders nothing. */
  readonly pre: readonly string[];
}

/** Section 2: no leading zeros; more digits than a double holds exactly are refused, as npm's semver does. */
const NUMBER = "(0|[1-9]\\d{0,15})";
const PRE = "(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)";
const VERSION = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${PRE}(?:\\.${PRE})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);
const LONGEST = 256;

/** Undefined for what is no version; a `v` before it is none of it. */
export function parseSemver(text: string): SemVer | undefined {
  const found = text.length > LONGEST ? null : VERSION.exec(text);
  if (found === null) return undefined;
  const [major, minor, patch] = [Number(found[1]), Number(found[2]), Number(found[3])];
  if (![major, minor, patch].every(Number.isSafeInteger)) return undefined;
  return { major, minor, patch, pre: found[4]?.split(".") ?? [] };
}

export function semverText({ major, minor, patch, pre }: SemVer): string {
  return `${major}.${minor}.${patch}${pre.length === 0 ? "" : `-${pre.join(".")}`}`;
}

/** Numbers come before words, and by value (section 11.4). */
function comparePart(one: string, other: string): number {
  const [isNumber, otherIsNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (isNumber !== otherIsNumber) return isNumber ? -1 : 1;
  if (isNumber && one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Negative where `one` comes first. */
export function compareSemver(one: SemVer, other: SemVer): number {
  const by = one.major - other.major || one.minor - other.minor || one.patch - other.patch;
  if (by !== 0) return by;
  if (one.pre.length === 0 || other.pre.length === 0) return other.pre.length - one.pre.length;
  for (const [at, part] of one.pre.entries()) {
    const against = other.pre[at];
    if (against === undefined) return 1;
    const order = comparePart(part, against);
    if (order !== 0) return order;
  }
  return one.pre.length - other.pre.length;
}

/** A prerelease of the wanted version becomes that version: 2.0.0-rc.1 raised by a major is 2.0.0. */
export function raised({ major, minor, patch, pre }: SemVer, bump: Bump): SemVer {
  const before = pre.length > 0;
  if (bump === "major") {
    return {
      major: before && minor === 0 && patch === 0 ? major : major + 1,
      minor: 0,
      patch: 0,
      pre: [],
    };
  }
  if (bump === "minor") {
    return { major, minor: before && patch === 0 ? minor : minor + 1, patch: 0, pre: [] };
  }
  return { major, minor, patch: before ? patch : patch + 1, pre: [] };
}
