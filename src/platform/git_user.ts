/** Settings of the user and the machine; svc's own git calls ignore them all. */
import { gitKey } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import type { Processes } from "./process.ts";

export type Variables = Readonly<Record<string, string>>;

/** By these git finds the user's and the machine's configuration (git-config(1), FILES). */
const CONFIG_VARIABLES = [
  "HOME",
  "XDG_CONFIG_HOME",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
];

/** A path-like setting, read outside of any repo; undefined when it is not set. */
export async function userSetting(
  processes: Processes,
  env: Variables,
  key: string,
): Promise<string | undefined> {
  const known = CONFIG_VARIABLES.flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]]]
  );
  const { code, stdout } = await processes.run({
    program: "git",
    args: ["config", "--type=path", "-z", "--get", gitKey(key)],
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
  return code === 0 ? capturedText(stdout).replace(/\0$/, "") : undefined;
}
