/** Runs git in a repo, hardened against it. No call may reach into a submodule, whose settings may name other
 * drivers: never call `submodule`, `stash`, `diff-files`, or `add` of a folder. */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import { together } from "svc/core/together.ts";
import { gitPath } from "svc/core/git_args.ts";
import { type Captured, capturedBytes, capturedText } from "svc/core/head_tail.ts";
import { blanked, type GitLocation, hardened, type Setting } from "./hardening.ts";
import { knownAnswer, knownDrivers } from "./known_settings.ts";
import { isTrace, knownVersion, rememberVersion, TRACED, tracedVersion } from "./git_version.ts";
import { nulItems } from "./output.ts";
import { refuseMoved } from "./place.ts";
import { LIST_SETTINGS, nameOf, settingsListed } from "./settings.ts";
import { endStuck } from "./special_files.ts";
import { appearance, distrust, distrusted, type EnvVariables } from "./user.ts";
import { type Ended, howItEnded, type Processes, type Run } from "svc/platform/process/process.ts";

/** Bytes; a usual repo has some 2,000, with what svc sets. */
const GIT_CONFIG_BYTES = 4 * 1024 * 1024;
/** Bytes; two attributes of one path take some 150. */
const GIT_ATTRIBUTES_BYTES = 1024 * 1024;

export interface GitCall extends Pick<Run, "stdin" | "onOutput" | "maxOutputBytes" | "timeoutMs"> {
  /** Completes "Cannot … ", such as `list the files of "/repo"`. */
  readonly doing: string;
  readonly args: readonly string[];
  readonly answers?: readonly number[];
  /** All files touched; required of a call that stores content or writes the work tree. Refused for a folder,
   * and where a filter applies: with it blanked, git would store something else than the user's git does. */
  readonly mutates?: readonly string[];
}

/** @throws Failure `environment` for an exit code not in `answers`; `refused`; `interrupted` */
export type CallGit = (call: GitCall) => Promise<Ended>;

/** What `runGit` takes. */
interface PlainCall extends Omit<GitCall, "mutates"> {
  /** Standard error begins with the version (`git_version.ts`). */
  readonly traced?: boolean;
}

export interface GitRunner {
  readonly processes: Processes;
  /** PATH finds git; HOME and the like say how the user's own git sees files (`user.ts`). */
  readonly env: EnvVariables;
  readonly signal?: AbortSignal;
}

/** A repo or a remote may choose the characters of such a line. */
export const shown = (line: string, chars = 300) =>
  // deno-lint-ignore no-control-regex -- control characters are what is replaced
  line.replaceAll(/[\x00-\x1f\x7f-\x9f]/g, "?").slice(0, chars);

function complaint(ended: Ended): string {
  const lines = capturedText(ended.stderr).split("\n");
  const says = (text: string) => text.trim() !== "" && !isTrace(text) && !text.startsWith("hint:");
  const line = lines.find(says) ?? "";
  return line === "" ? "" : `: ${shown(line)}`;
}

/**
 * strerror(3) of what waits in `os_errors.ts` and `start.ts`, and git's own word for a full disk; git runs without
 * translations.
 */
const NOT_NOW = new RegExp(
  [
    ...["No space left on device", "Disk quota exceeded", "Out of diskspace"],
    ...["Read-only file system", "Too many open files", "Cannot allocate memory"],
    "Resource temporarily unavailable",
  ].join("|"),
);

/** What git says of a partial clone whose missing contents it may not fetch; the second since git 2.44. */
const LACKING = /could not fetch \S+ from promisor remote|lazy fetching disabled/;

/** They only read, or store objects under their own ids, and start no other program: drivers and hooks are blanked,
 * nothing is fetched (`hardening.ts`). Not `write-tree`, which locks an index. */
const STARTS_NOTHING = new Set([
  ...["cat-file", "check-attr", "diff", "diff-tree", "for-each-ref", "grep", "hash-object", "log"],
  ...["ls-files", "ls-tree", "merge-base", "rev-list", "rev-parse", "status", "unpack-objects"],
  "--version",
]);

function startsNothing([verb = "", ...rest]: readonly string[]): boolean {
  if (verb === "config") return rest.some((arg) => /^--(?:get|get-regexp|list)$/.test(arg));
  return STARTS_NOTHING.has(verb) || verb === "worktree" && rest[0] === "list";
}

/** Does not look at the repo first; without `place`, in no repo. @throws as `CallGit` */
export async function runGit(
  { processes, env, signal }: GitRunner,
  place: GitLocation | undefined,
  call: PlainCall,
  blanks: readonly Setting[] = [],
): Promise<Ended> {
  using stuck = place && endStuck(place);
  const signals = [signal, stuck?.signal].filter((one) => one !== undefined);
  const ended = await processes.run({
    program: "git",
    args: ["--no-pager", ...call.args],
    cwd: place?.root ?? "/",
    env: { ...hardened(env["PATH"] ?? "", place, blanks), ...(call.traced && TRACED) },
    refuseUnder: place === undefined ? distrusted(processes) : [place.root],
    ...(startsNothing(call.args) && { leaf: true }),
    ...(call.stdin && { stdin: call.stdin }),
    ...(call.onOutput && { onOutput: call.onOutput }),
    ...(call.maxOutputBytes && { maxOutputBytes: call.maxOutputBytes }),
    ...(call.timeoutMs && { timeoutMs: call.timeoutMs }),
    ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
  });
  if (stuck?.reason() !== undefined) throw stuck.reason();
  if (ended.cancelled) throw new Failure("interrupted", `Cannot ${call.doing}: git was cancelled`);
  if (ended.code !== undefined && (call.answers ?? [0]).includes(ended.code)) return ended;
  const said = capturedText(ended.stderr);
  if (place && LACKING.test(said)) {
    const why = "the clone is partial, and lacks contents of old commits";
    throw new Failure("environment", `Cannot ${call.doing}: ${why}`, {
      remedy: `git -C ${shellWord(place.root)} fetch --refetch --no-filter`,
    });
  }
  const why = `${howItEnded(ended)}${complaint(ended)}`;
  throw new Failure("environment", `Cannot ${call.doing}: git ${why}`, {
    ...(place && { remedy: `git -C ${shellWord(place.root)} status` }),
    ...(NOT_NOW.test(said) && { waits: true }),
  });
}

async function settingsOf(runner: GitRunner, place: GitLocation) {
  // Not --local, which leaves out the repo's config.worktree (git-config(1), extensions.worktreeConfig).
  const [{ stdout, stderr }, users] = await together(
    runGit(runner, place, {
      doing: `read the git settings of "${place.root}"`,
      args: LIST_SETTINGS,
      maxOutputBytes: GIT_CONFIG_BYTES,
      traced: knownVersion(runner) === undefined,
    }),
    appearance(runner),
  );
  const version = tracedVersion(capturedText(stderr));
  if (version !== undefined) rememberVersion(runner, version);
  if (stdout.truncated) {
    throw new Failure("refused", `Cannot use the repo "${place.root}": it has too many settings`);
  }
  const settings = settingsListed(capturedBytes(stdout));
  const own = new Set(settings.map(nameOf));
  return {
    settings,
    blanks: [
      ...blanked(settings.map(({ name }) => name), place.root),
      ...users.filter(([name]) => !own.has(name)),
    ],
  };
}

/** Values of `filter` and `merge` that name no driver (gitattributes(5)). */
const BUILT_IN: Readonly<Record<string, readonly string[]>> = {
  filter: ["unspecified", "unset", "set"],
  merge: ["unspecified", "unset", "set", "text", "binary", "union"],
};

export const namesDriver = (attribute: string, value: string) =>
  BUILT_IN[attribute]?.includes(value) !== true;

export function refuseDriver(doing: string, path: string, attribute: string, value: string): void {
  if (!namesDriver(attribute, value)) return;
  throw new Failure(
    "refused",
    `Cannot ${doing}: "${path}" goes through the ${attribute} driver ${JSON.stringify(value)}`,
    { remedy: `Use git itself for "${path}": svc does not run the drivers of a repo` },
  );
}

/** A folder may be a submodule, and its attributes say nothing about the files in it. */
async function onlyFiles(
  place: GitLocation,
  call: Pick<GitCall, "doing">,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    const info = await Deno.lstat(`${place.root}/${path}`).catch(() => undefined);
    if (info?.isDirectory !== true) continue;
    throw new Failure("refused", `Cannot ${call.doing}: "${path}" is a folder`, {
      remedy: "Name the files in it",
    });
  }
}

const ENCODING = "working-tree-encoding";

/** Counts filters of the user's global settings too, which svc ignores. Storing a file merges nothing.
 * @returns the paths that have an encoding of their own in the work tree */
async function refuseDrivers(
  runner: GitRunner,
  place: GitLocation,
  call: Pick<GitCall, "doing" | "mutates">,
  blanks: readonly Setting[],
): Promise<ReadonlySet<string>> {
  const paths = call.mutates!.map(gitPath);
  await onlyFiles(place, call, paths);
  const { stdout } = await runGit(runner, place, {
    doing: call.doing,
    args: ["check-attr", "-z", "--stdin", "filter", ENCODING],
    stdin: new TextEncoder().encode(paths.map((path) => `${path}\0`).join("")),
    maxOutputBytes: GIT_ATTRIBUTES_BYTES,
  }, blanks);
  const items = nulItems(capturedBytes(stdout)).map((item) => new TextDecoder().decode(item));
  if (stdout.truncated || items.length !== paths.length * 6) {
    throw new Failure("refused", `Cannot ${call.doing}: it touches too many files at once`);
  }
  const encoded = new Set<string>();
  for (let at = 0; at < items.length; at += 3) {
    const [path, attribute, value] = items.slice(at, at + 3);
    if (attribute !== ENCODING) refuseDriver(call.doing, path!, attribute!, value!);
    else if (value !== "unspecified") encoded.add(path!);
  }
  return encoded;
}

/** The look that a call with `mutates` begins with, for many calls. @returns as `refuseDrivers` */
export async function mayStore(
  runner: GitRunner,
  place: GitLocation,
  call: Required<Pick<GitCall, "doing" | "mutates">>,
): Promise<ReadonlySet<string>> {
  refuseMoved(place);
  return await refuseDrivers(runner, place, call, await driversOf(runner, place));
}

/** Takes the command from each driver. @throws Failure `refused` where that cannot be done */
export function driversOf(runner: GitRunner, place: GitLocation): Promise<readonly Setting[]> {
  distrust(runner.processes, place.root);
  return knownDrivers(runner.processes, place, () => settingsOf(runner, place));
}

const NOTHING: Captured = {
  head: new Uint8Array(0),
  tail: new Uint8Array(0),
  totalBytes: 0,
  truncated: false,
};

/** A question about settings that are known; undefined where git has to be asked. */
function answered(runner: GitRunner, place: GitLocation, call: GitCall): Ended | undefined {
  if (call.args[0] !== "config" || call.onOutput !== undefined) return undefined;
  const found = knownAnswer(runner.processes, place, call.args);
  const code = found?.length === 0 ? 1 : 0;
  if (found === undefined || !(call.answers ?? [0]).includes(code)) return undefined;
  return {
    ...{ code, signal: undefined, durationMs: 0, survivorsKilled: 0 },
    ...{ timedOut: false, cancelled: false, crowded: false },
    stdout: { ...NOTHING, head: found, totalBytes: found.length },
    stderr: NOTHING,
  };
}

/** Checks before each call whether another program changed the repo's settings. */
export function gitIn(runner: GitRunner, place: GitLocation): CallGit {
  return async (call) => {
    refuseMoved(place);
    const blanks = await driversOf(runner, place);
    if (call.mutates !== undefined) await refuseDrivers(runner, place, call, blanks);
    return answered(runner, place, call) ?? await runGit(runner, place, call, blanks);
  };
}
