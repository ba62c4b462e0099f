/** Settings of the user and the machine: svc's own git calls take over those that say how files look, and no other. */
import { gitKey } from "svc/core/git_args.ts";
import { Failure } from "svc/core/failure.ts";
import { type Captured, capturedText } from "svc/core/head_tail.ts";
import { systemClock } from "svc/platform/clock.ts";
import type { Processes } from "svc/platform/process/process.ts";
import type { Setting } from "./hardening.ts";

export type EnvVariables = Readonly<Record<string, string>>;

interface Asker {
  readonly processes: Processes;
  readonly env: EnvVariables;
  readonly signal?: AbortSignal;
}

/** git-config(1), FILES. */
const CONFIG_VARIABLES = [
  "HOME",
  "XDG_CONFIG_HOME",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
];

const repos = new WeakMap<Pick<Processes, "run">, Set<string>>();

/** From then on no git is run out of this repo, wherever PATH finds one; its own calls refuse that anyway. */
export function distrust(processes: Pick<Processes, "run">, root: string): void {
  const known = repos.get(processes) ?? new Set();
  repos.set(processes, known.add(root));
}

/** How long an answer counts: a commit's questions come together, and who changes settings meanwhile waits no longer. */
const USER_SETTINGS_MS = 5_000;

interface RememberedAnswer {
  readonly answer: Captured | undefined;
  /** By the monotonic clock. */
  readonly until: number;
}

const answers = new WeakMap<Pick<Processes, "run">, Map<string, RememberedAnswer>>();

/** By time: git may read its settings from files that it names nowhere, such as one that is not there yet. */
async function rememberedAnswer(
  processes: Pick<Processes, "run">,
  env: EnvVariables,
  query: readonly string[],
  signal?: AbortSignal,
): Promise<Captured | undefined> {
  const known = answers.get(processes) ?? new Map<string, RememberedAnswer>();
  answers.set(processes, known);
  const key = JSON.stringify([query, ["PATH", ...CONFIG_VARIABLES].map((name) => env[name])]);
  const found = known.get(key);
  const asked = systemClock.monotonic();
  if (found !== undefined && asked < found.until) return found.answer;
  const answer = await askUser(processes, env, query, signal);
  known.set(key, { answer, until: asked + USER_SETTINGS_MS });
  return answer;
}

/** Roots of the repos that were opened. Those that are gone are forgotten: a service works in a new tree for each
 * ticket, month after month. */
export function distrusted(processes: Pick<Processes, "run">): readonly string[] {
  const known = repos.get(processes) ?? new Set();
  for (const root of known) if (isGone(root)) known.delete(root);
  return [...known];
}

function isGone(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return false;
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound;
  }
}

async function askUser(
  processes: Pick<Processes, "run">,
  env: EnvVariables,
  query: readonly string[],
  signal?: AbortSignal,
): Promise<Captured | undefined> {
  const known = CONFIG_VARIABLES.flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]]]
  );
  const { code, stdout, cancelled } = await processes.run({
    program: "git",
    args: ["config", "-z", ...query],
    cwd: "/",
    leaf: true,
    ...(signal && { signal }),
    refuseUnder: distrusted(processes),
    env: {
      PATH: env["PATH"] ?? "",
      LC_ALL: "C",
      ...Object.fromEntries(known),
      // No repo is looked for, so none can answer.
      GIT_DIR: "/dev/null",
    },
  });
  if (cancelled) {
    throw new Failure("interrupted", "Cannot read the user's git settings: git was cancelled");
  }
  return code === 0 ? stdout : undefined;
}

/** Asked each time: it may say where a role must not write. */
export async function userSetting(
  processes: Processes,
  env: EnvVariables,
  key: string,
): Promise<string | undefined> {
  const found = await askUser(processes, env, ["--type=path", "--get", gitKey(key)]);
  return found && capturedText(found).replace(/\0$/, "");
}

/** As git reads the path in a setting (git-config(1), pathname); svc's own calls of git know no home. */
export const belowHome = (path: string, { HOME }: EnvVariables): string =>
  HOME && path.startsWith("~/") ? HOME + path.slice(1) : path;

export async function userSettings(
  processes: Processes,
  env: EnvVariables,
  names: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = await rememberedAnswer(processes, env, ["--get-regexp", names], signal);
  return found === undefined ? new Map() : settingsIn(found);
}

/** Those of `http` as they are for this URL (git-config(1), --get-urlmatch); names are in lower case. */
export async function userWebSettings(
  { processes, env, signal }: Pick<Asker, "env"> & {
    readonly processes: Pick<Processes, "run">;
    readonly signal?: AbortSignal | undefined;
  },
  url: string,
): Promise<ReadonlyMap<string, string>> {
  const found = await rememberedAnswer(processes, env, ["--get-urlmatch", "http", url], signal);
  return found === undefined ? new Map() : settingsIn(found);
}

/** With values that name no program; a value of another form is left out. */
const APPEARANCE: Readonly<Record<string, RegExp>> = {
  "core.autocrlf": /^(?:true|false|input|yes|no|on|off|0|1)$/i,
  "core.eol": /^(?:lf|crlf|native)$/i,
  "core.excludesfile": /^(?:~?\/.*)?$/s,
};

async function askAppearance(
  { processes, env, signal }: Asker,
): Promise<readonly Setting[]> {
  const names = "^core\\.(autocrlf|eol|excludesfile)$";
  const found = new Map(await userSettings(processes, env, names, signal));
  const home = env["HOME"] ?? "";
  // Its default counts where the user names none (gitignore(5)).
  const folder = env["XDG_CONFIG_HOME"] || `${home}/.config`;
  const ignore = found.get("core.excludesfile") ?? `${folder}/git/ignore`;
  found.set("core.excludesfile", ignore.replace(/^~(?=\/)/, () => home));
  return [...found].filter(([name, value]) => APPEARANCE[name]?.test(value));
}

const asked = new WeakMap<Pick<Processes, "run">, Promise<readonly Setting[]>>();

/** Line ends and ignored files as the user's own git sees them. Asked once for each process, whose environment stays the same. */
export async function appearance(asker: Asker): Promise<readonly Setting[]> {
  const { processes, signal } = asker;
  for (;;) {
    const known = asked.get(processes) ?? askAppearance(asker);
    asked.set(processes, known);
    try {
      return await known;
    } catch (thrown) {
      if (asked.get(processes) === known) asked.delete(processes);
      // Whoever asked first was interrupted, and not this caller.
      if (Failure.from(thrown).code !== "interrupted" || signal?.aborted) throw thrown;
    }
  }
}

/** Items are `name LF value`, or the name alone; the last one counts. */
export function settingsIn(captured: Captured): Map<string, string> {
  const items = capturedText(captured).split("\0").slice(0, -1);
  return new Map(items.map((item) => {
    const [name = "", ...lines] = item.split("\n");
    return [name, lines.join("\n")];
  }));
}
