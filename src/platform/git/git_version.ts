/** The version of the git that PATH finds: the first one that is asked for a repo's settings tells it besides. */
import { Failure } from "svc/core/failure.ts";
import type { Processes } from "svc/platform/process/process.ts";
import type { EnvVariables } from "./user.ts";

export const OLDEST_GIT = "2.39";

/** Git writes a line of JSON to its standard error for each thing that it does, the version first
 * (api-trace2, `version`). */
export const TRACED: EnvVariables = { GIT_TRACE2_EVENT: "2" };

export const isTrace = (line: string) => line.startsWith('{"event":"');

/** Undefined where git wrote its trace elsewhere, or none. */
export function tracedVersion(stderr: string): string | undefined {
  const exe = /^\{"event":"version",.*"exe":"([^"]*)"/.exec(stderr)?.[1];
  return exe && versionIn(exe);
}

export const versionIn = (text: string) => /\d{1,9}\.\d{1,9}(\.\d{1,9})?/.exec(text)?.[0];

interface Finder {
  readonly processes: Processes;
  readonly env: EnvVariables;
}

const known = new WeakMap<Processes, Map<string, string>>();

export const knownVersion = ({ processes, env }: Finder) =>
  known.get(processes)?.get(env["PATH"] ?? "");

export function rememberVersion({ processes, env }: Finder, version: string): void {
  const byPath = known.get(processes) ?? new Map<string, string>();
  known.set(processes, byPath.set(env["PATH"] ?? "", version));
}

/** @throws Failure `environment` */
export function refuseOldGit(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldMajor = 0, oldMinor = 0] = OLDEST_GIT.split(".").map(Number);
  if (major > oldMajor || (major === oldMajor && minor >= oldMinor)) return;
  throw new Failure("environment", `Cannot use git ${version}: it is older than ${OLDEST_GIT}`, {
    remedy: `Install git ${OLDEST_GIT} or newer`,
  });
}
