/** Lends the terminal to a program that the person chose: an editor, or a pager for a long output. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { consoleSize } from "svc/platform/console_size.ts";
import { lendTerminal } from "./interrupt.ts";

export type Variables = Readonly<Record<string, string>>;

/** As git and man: the line is sh's, so it may have arguments, and the file is no part of it. */
function shell(line: string, args: readonly string[], env: Variables) {
  // A relative entry of PATH would find what a repo brought along.
  const path = (env.PATH ?? "").split(":").filter((entry) => entry.startsWith("/")).join(":");
  const options: Deno.CommandOptions = {
    args: ["-c", args.length === 0 ? line : `${line} "$@"`, line, ...args],
    env: { ...env, PATH: path },
    clearEnv: true,
    stdout: "inherit",
    stderr: "inherit",
  };
  return options;
}

/** Waits for its end. @throws Failure `environment` where it cannot be started or does not end well */
export async function edit(line: string, file: string, env: Variables): Promise<void> {
  using _lent = lendTerminal();
  const editor = new Deno.Command("/bin/sh", { ...shell(line, [file], env), stdin: "inherit" });
  const { code, signal } = await editor.output();
  if (code === 0 && signal === null) return;
  const why = signal === null ? `it ended with ${code}` : `${signal} ended it`;
  throw new Failure("environment", `Cannot edit with ${quoted(line)}: ${why}`, {
    remedy: "Name an editor that waits: EDITOR=vi, or VISUAL='code --wait'",
  });
}

/** What sh ends with where the program cannot be run, or is not found (POSIX.1-2024, sh, exit status). */
const NOT_RUN = [126, 127];

/**
 * Shows the text, and waits until the person has seen enough.
 * @returns false where the pager could not be run: nothing was shown
 */
export async function pageThrough(line: string, text: string, env: Variables): Promise<boolean> {
  using _lent = lendTerminal();
  // As git sets them: quit where it fits one screen, keep colours, leave the text on the screen.
  const usual = { LESS: "FRX", LV: "-c", ...env };
  const pager = new Deno.Command("/bin/sh", { ...shell(line, [], usual), stdin: "piped" }).spawn();
  const writer = pager.stdin.getWriter();
  const written = writer.write(new TextEncoder().encode(text)).then(() => writer.close());
  written.catch(() => {}); // who has seen enough closes the pipe
  const { code } = await pager.status;
  return !NOT_RUN.includes(code);
}

export const screenRows = (): number => consoleSize().rows;
