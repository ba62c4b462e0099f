/** Settings of the user and the machine; svc's own git calls ignore them all. */
import { gitKey } from "svc/core/git_args.ts";
import { type Captured, capturedText } from "svc/core/head_tail.ts";
import type { Processes } from "svc/platform/process/process.ts";

export type EnvVariables = Readonly<Record<string, string>>;

/** git-config(1), FILES. */
const CONFIG_VARIABLES = [
  "HOME",
  "XDG_CONFIG_HOME",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
];

async function askUser(
  processes: Processes,
  env: EnvVariables,
  query: readonly string[],
): Promise<Captured | undefined> {
  const known = CONFIG_VARIABLES.flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]]]
  );
  const { code, stdout } = await processes.run({
    program: "git",
    args: ["config", "-z", ...query],
    cwd: "/",
    refuseUnder: [],
    env: {
      PATH: env["PATH"] ?? "",
      LC_ALL: "C",
      ...Object.fromEntries(known),
      // No repo is looked for, so none can answer.
      GIT_DIR: "/dev/null",
    },
  });
  return code === 0 ? stdout : undefined;
}

export async function userSetting(
  processes: Processes,
  env: EnvVariables,
  key: string,
): Promise<string | undefined> {
  const found = await askUser(processes, env, ["--type=path", "--get", gitKey(key)]);
  return found && capturedText(found).replace(/\0$/, "");
}

export async function userSettings(
  processes: Processes,
  env: EnvVariables,
  names: string,
): Promise<ReadonlyMap<string, string>> {
  const found = await askUser(processes, env, ["--get-regexp", names]);
  return found === undefined ? new Map() : settingsIn(found);
}

/** Items are `name LF value`, or the name alone; the last one counts. */
export function settingsIn(captured: Captured): Map<string, string> {
  const items = capturedText(captured).split("\0").slice(0, -1);
  return new Map(items.map((item) => {
    const [name = "", ...lines] = item.split("\n");
    return [name, lines.join("\n")];
  }));
}
