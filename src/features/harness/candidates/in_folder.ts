/** Commands of a project below the root, each begun in its folder: checks and set-up start in the root. */
import { shellWord } from "svc/core/shell_word.ts";
import { commandName } from "svc/features/harness/command_name.ts";
import type { DetectedCommand } from "./candidate.ts";

/** As a line of a shell. */
export function shellLine(run: readonly string[]): string {
  const [first, option, body] = run;
  const isLine = first === "sh" && option === "-c" && run.length === 3;
  return isLine ? body! : run.map(shellWord).join(" ");
}

/** @param several its name says whose it is */
export function begunIn(
  folder: string,
  { name, run }: DetectedCommand,
  several: boolean,
): DetectedCommand {
  return {
    name: several ? commandName(`${folder}-${name}`) : name,
    run: ["sh", "-c", `cd ${shellWord(folder)} && ${shellLine(run)}`],
  };
}

const BEGUN = /^cd ('[^']*'|[^\s']+) && (.+)$/s;

const begun = ([first, option, line = ""]: readonly string[]) =>
  first === "sh" && option === "-c" ? BEGUN.exec(line) : null;

/** As the command writes it; "" for the root. */
export const folderBegun = ({ run }: Pick<DetectedCommand, "run">): string => begun(run)?.[1] ?? "";

/** The command that runs in the folder, as words and as a shell line, since it may be either. */
export function runsThere({ name, run }: DetectedCommand): DetectedCommand[] {
  const line = begun(run)?.[2];
  if (line === undefined) return [];
  return [{ name, run: line.split(" ") }, { name, run: ["sh", "-c", line] }];
}
