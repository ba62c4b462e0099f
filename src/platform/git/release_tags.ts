/** Tags that name releases. */
import { compareSemver, parseSemver, type SemVer } from "svc/core/semver.ts";
import type { Tag } from "./releases.ts";

export interface ReleaseTag extends Tag {
  readonly version: SemVer;
}

/** Highest first, prereleases left out; of `v1.2.0` and `1.2.0` the one with the letter counts. */
export function releaseTags(tags: readonly Tag[]): ReleaseTag[] {
  const found = new Map<string, ReleaseTag>();
  for (const tag of tags.toSorted((one, other) => one.name < other.name ? -1 : 1)) {
    const version = parseSemver(tag.name.replace(/^v/, ""));
    if (version !== undefined && version.pre.length === 0) {
      found.set(tag.name.replace(/^v/, ""), { ...tag, version });
    }
  }
  return [...found.values()].sort((one, other) => compareSemver(other.version, one.version));
}
