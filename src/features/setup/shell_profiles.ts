/** Which files each shell reads as a login shell and as an interactive one: where PATH belongs. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Env } from "svc/platform/entrance.ts";

export const SHELLS = ["fish", "zsh", "bash", "sh", "ksh", "csh", "tcsh"] as const;
export type Shell = typeof SHELLS[number];

export interface Startup {
  /** Absolute. The shell reads the first that exists; when none does, the last is made. */
  readonly candidates: readonly string[];
  /** Never created: the shell has others. */
  readonly ifExists?: true;
}

interface ShellContext {
  /** Absolute, without a slash at its end. */
  readonly home: string;
  readonly env: Pick<Env, "get">;
}

const PROGRAMS: ReadonlyMap<string, Shell> = new Map([
  ...SHELLS.map((shell) => [shell, shell] as const),
  ["ash", "sh"],
  ["dash", "sh"],
  ["ksh93", "ksh"],
  ["mksh", "ksh"],
  ["lksh", "ksh"],
  ["oksh", "ksh"],
  ["bsd-csh", "csh"],
]);

function programName(env: Pick<Env, "get">): string {
  return (env.get("SHELL") ?? "").replace(/^.*\//, "");
}

/** @throws Failure `answer_needed` when `$SHELL` names none of SHELLS */
export function detectShell(env: Pick<Env, "get">): Shell {
  const name = programName(env);
  const shell = PROGRAMS.get(name);
  if (shell !== undefined) return shell;
  const found = name === "" ? "SHELL is not set" : `SHELL is ${quoted(env.get("SHELL") ?? "")}`;
  throw new Failure("answer_needed", `Cannot tell which shell to set up: ${found}`, {
    remedy: `Name it: svc path setup --shell ${SHELLS.join("|")}`,
  });
}

/** @throws Failure `environment` when HOME names no absolute folder */
export function userHome(env: Pick<Env, "get">): string {
  const home = env.get("HOME") ?? "";
  if (home.startsWith("/")) return home.replace(/(?<=.)\/+$/, "");
  throw new Failure("environment", `Cannot find your shell's files: HOME is ${quoted(home)}`, {
    remedy: "export HOME=/absolute/folder",
  });
}

/** Shells and XDG ignore a relative folder. */
function folderOf({ env }: ShellContext, name: string): string | undefined {
  const folder = env.get(name) ?? "";
  return folder.startsWith("/") ? folder.replace(/(?<=.)\/+$/, "") : undefined;
}

/** `$ENV` of interactive POSIX shells. A file outside the home is not the user's own. */
function envFile({ home, env }: ShellContext): Startup[] | undefined {
  const named = env.get("ENV") ?? "";
  if (named === "") return undefined;
  const path = named.replace(/^\$(?:HOME\b|\{HOME\})/, () => home);
  return path.startsWith(`${home}/`) && !path.includes("$") ? [{ candidates: [path] }] : [];
}

/** mksh reads `.mkshrc`, ksh93 `.kshrc`; either may be a machine's `ksh`. */
function kornRc({ home, env }: ShellContext): Startup[] {
  const own = { candidates: [`${home}/.mkshrc`] };
  if (/^(?:mk|lk)sh$/.test(programName(env))) return [own];
  return [{ ...own, ifExists: true }, { candidates: [`${home}/.kshrc`] }];
}

/**
 * Sources: bash(1) "INVOCATION", zsh(1) "STARTUP/SHUTDOWN FILES", fish(1) "Configuration files",
 * dash(1) and ksh93(1) "Invocation", mksh(1) "Startup files", tcsh(1) "Startup and shutdown".
 */
const STARTUPS: Readonly<Record<Shell, (at: ShellContext) => readonly Startup[]>> = {
  bash: ({ home }) => [
    { candidates: [`${home}/.bash_profile`, `${home}/.bash_login`, `${home}/.profile`] },
    { candidates: [`${home}/.bashrc`] },
  ],
  // Not `.zshenv`: some systems set PATH anew in /etc/zsh/zprofile, which is read after it.
  zsh: (at) => {
    const folder = folderOf(at, "ZDOTDIR") ?? at.home;
    return [{ candidates: [`${folder}/.zprofile`] }, { candidates: [`${folder}/.zshrc`] }];
  },
  // Every fish reads conf.d, so the user's own config.fish stays as it is.
  fish: (at) => {
    const folder = folderOf(at, "XDG_CONFIG_HOME") ?? `${at.home}/.config`;
    return [{ candidates: [`${folder}/fish/conf.d/svc.fish`] }];
  },
  sh: (at) => [{ candidates: [`${at.home}/.profile`] }, ...envFile(at) ?? []],
  ksh: (at) => [{ candidates: [`${at.home}/.profile`] }, ...envFile(at) ?? kornRc(at)],
  // Where csh is tcsh by another name, it too prefers `.tcshrc`.
  csh: ({ home }) => [
    { candidates: [`${home}/.tcshrc`], ifExists: true },
    { candidates: [`${home}/.cshrc`] },
  ],
  tcsh: ({ home }) => [{ candidates: [`${home}/.tcshrc`, `${home}/.cshrc`] }],
};

export function startupsOf(shell: Shell, at: ShellContext): readonly Startup[] {
  return STARTUPS[shell](at);
}
