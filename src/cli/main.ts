/** From words to an exit status: finds the command, shows help, or loads and runs it. */
import { Failure } from "svc/core/failure.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import { showable } from "./ascii_output.ts";
import { asksFor, beforeDashes } from "./asked_mode.ts";
import type { CommandText } from "./command.ts";
import { idleWorker } from "./confined/idle_worker.ts";
import { type CommandMatch, find } from "./tree.ts";
import { TREE } from "./tree.gen.ts";

const MODE_WORDS = new Set(["--json", "--plain", "--yes", "--dry-run"]);
const HELP_WORDS = new Set(["--help", "-h"]);

/** `svc --json version` is `svc version --json`. */
function modesLast(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !MODE_WORDS.has(word));
  return at <= 0 ? words : [...words.slice(at), ...words.slice(0, at)];
}

async function help(entrance: Entrance, path: string, words: readonly string[]): Promise<number> {
  if (asksFor(words, "--json")) {
    const { helpData } = await entrance.load("src/cli/help_data");
    entrance.stdout.write(`${JSON.stringify(helpData(TREE, path))}\n`);
    return 0;
  }
  if (words.includes("--man")) {
    const { manPage } = await entrance.load("src/cli/man");
    entrance.stdout.write(manPage(TREE, path));
    return 0;
  }
  const { showHelp } = await entrance.load("src/cli/help");
  showHelp(entrance, TREE, path, asksFor(words, "--plain"));
  return 0;
}

async function unknown(entrance: Entrance, found: CommandMatch): Promise<Failure> {
  const { unknownCommand } = await entrance.load("src/cli/help");
  return unknownCommand(TREE, found);
}

/** Whether the next word is a mistyped sub-command; a group that is a command too would take it for an argument. */
function mistyped({ path, command, rest }: CommandMatch): boolean {
  if (rest.length === 0 || rest[0]!.startsWith("-")) return false;
  if (command === undefined) return true;
  return TREE.groups[path] !== undefined && command.args === undefined;
}

/** A command's Worker is made before anything else is loaded: that takes as long as the start of Deno. */
async function performTyped(
  entrance: Entrance,
  path: string,
  text: CommandText,
  words: readonly string[],
): Promise<number> {
  const confined = text.effect === "runs_agents" || text.effect === "serves";
  using idle = confined ? idleWorker(entrance, path, text) : undefined;
  const { execute } = await entrance.load("src/cli/execute");
  return await execute(entrance, { path, text, words, idle });
}

async function dispatch(entrance: Entrance, typed: readonly string[]): Promise<number> {
  if (typed[0] === "__complete") {
    const { serveCompletion } = await entrance.load("src/cli/completion/serve");
    await entrance.giveUp("offline");
    return await serveCompletion(entrance, typed.slice(1));
  }
  const words = modesLast(typed);
  if (words[0] === "-v" || words[0] === "--version") {
    return await dispatch(entrance, ["version", ...words.slice(1)]);
  }
  const first = words[0] ?? "";
  const helping = first === "help" || HELP_WORDS.has(first);
  const asked = helping ? words.slice(1).filter((word) => !word.startsWith("-")) : words;
  if (helping && asked[0] === "help") return await help(entrance, "help", words);
  const found = find(TREE, asked);
  const wantsHelp = helping || beforeDashes(asked).some((word) => HELP_WORDS.has(word));
  if (mistyped(found)) throw await unknown(entrance, found);
  if (wantsHelp) return await help(entrance, found.path, words);
  if (found.command !== undefined) {
    return await performTyped(entrance, found.path, found.command, found.rest);
  }
  const stray = found.rest.find((word) => !MODE_WORDS.has(word));
  if (stray !== undefined) throw await unknown(entrance, { ...found, rest: [stray] });
  return await help(entrance, found.path, words);
}

/** Runs one command line; never throws. @returns the exit status (README, "When something is wrong") */
export async function run(args: readonly string[], given: Entrance): Promise<number> {
  const entrance = showable(given, asksFor(args, "--json"));
  try {
    return await dispatch(entrance, args);
  } catch (thrown) {
    const { report } = await entrance.load("src/cli/report");
    return await report(entrance, args, Failure.from(thrown));
  }
}
