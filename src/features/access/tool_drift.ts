/** How the installed svc compares with the newest release. */
import { compareSemver, parseSemver } from "svc/core/semver.ts";
import { VERSION } from "svc/core/version.ts";
import type { ReleaseAccess } from "./release_access.ts";

export interface ToolDrift {
  readonly installed: string;
  /** Tag of the newest release; null where nobody was asked, or nobody answered. */
  readonly latest: string | null;
  readonly drift: "current" | "behind" | "ahead" | "unknown";
  /** Why it is unknown. */
  readonly reason: string | null;
}

const versionIn = (tag: string) => parseSemver(tag.replace(/^v(?=\d)/, ""));

/** @param access undefined where nobody was to be asked */
export function toolDrift(access: ReleaseAccess | undefined): ToolDrift {
  const installed = VERSION;
  const unknown = (reason: string, latest: string | null = null) =>
    ({ installed, latest, drift: "unknown", reason }) as const;
  if (access === undefined) return unknown("not asked: --skip-remote");
  const { latest, reason } = access;
  if (latest === null) return unknown(reason ?? "no release is known");
  const [own, newest] = [versionIn(installed), versionIn(latest)];
  if (own === undefined || newest === undefined) return unknown("its tag is no version", latest);
  const age = compareSemver(own, newest);
  const drift = age < 0 ? "behind" : age > 0 ? "ahead" : "current";
  return { installed, latest, drift, reason: null };
}
