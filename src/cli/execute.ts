/** Runs a command: parses its words, wires the App, confines it in a Worker where it must be, performs it. */
import type { App } from "svc/app.ts";
import { SERVE_GRACE_MS, SERVE_HURRY_MS } from "svc/core/bounds.ts";
import type { IdleWorker } from "svc/platform/confined/start_worker.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import type { Interrupt } from "svc/platform/process/interrupt.ts";
import { type AnyCommand, authorityOf, type CommandText } from "./command.ts";
import { atSamePlace } from "./next_line.ts";
import { answer, type CommandCall, perform, whyEnded, wiringOf } from "./perform.ts";
import { moduleOf } from "./tree.ts";
import { needsNoWords, type ParsedWords, settle } from "./values.ts";

/** How long a command may clean up after Ctrl-C before svc stops waiting for it. */
export const INTERRUPT_GRACE_MS = 8_000;

/** A command as typed; a confined one with the Worker that it runs in, which loads its modules already. */
export interface TypedCommand {
  readonly path: string;
  readonly text: CommandText;
  readonly words: readonly string[];
  readonly idle?: IdleWorker | undefined;
}

async function commandAt(entrance: Entrance, path: string): Promise<AnyCommand> {
  return (await entrance.load(moduleOf(path))).default;
}

async function executeConfined(
  entrance: Entrance,
  typed: TypedCommand,
  idle: IdleWorker,
): Promise<number> {
  const { path } = typed;
  const [{ performConfined }, command] = await Promise.all([
    entrance.load("src/cli/confined/run_confined"),
    commandAt(entrance, path),
  ]);
  const call = { path, given: await givenBy(entrance, typed), command };
  return await withApp(
    entrance,
    call,
    (app, interrupt) => performConfined(call, app, interrupt, idle),
  );
}

async function withApp(
  entrance: Entrance,
  call: CommandCall,
  work: (app: App, interrupt: Interrupt) => Promise<number>,
): Promise<number> {
  const [{ wire }, { onInterrupt }, { restoreTerminal: leave }] = await Promise.all([
    entrance.load("src/wire"),
    entrance.load("src/platform/process/interrupt"),
    entrance.load("src/platform/terminal"),
  ]);
  const interrupt = call.command.graceful
    ? onInterrupt(SERVE_GRACE_MS, { hurryMs: SERVE_HURRY_MS, leave })
    : onInterrupt(INTERRUPT_GRACE_MS);
  const app = await wire(entrance, { ...wiringOf(call), interrupt });
  try {
    return await work(app, interrupt);
  } catch (thrown) {
    // An interrupt may also cut short what comes before the work, such as a look at the repo.
    throw atSamePlace(whyEnded(interrupt, thrown), call.given);
  } finally {
    app.close();
  }
}

/** The parser and its library are loaded only where there is something to parse. */
async function read(
  entrance: Entrance,
  path: string,
  text: CommandText,
  words: readonly string[],
): Promise<ParsedWords> {
  if (words.length === 0 && needsNoWords(text)) {
    return { values: settle(path, text, { flags: {}, args: [] }), rest: [] };
  }
  const { parse } = await entrance.load("src/cli/parser");
  return await parse(path, text, words, entrance.cwd());
}

/** @throws Failure for words that do not fit the command, and for a command that a job may not give */
async function givenBy(
  entrance: Entrance,
  { path, text, words }: TypedCommand,
): Promise<CommandCall["given"]> {
  const { values, rest } = await read(entrance, path, text, words);
  const given = { ...values, rest } as CommandCall["given"];
  if (text.givenBy.who === "person") {
    const { mustBePersons } = await entrance.load("src/cli/given_by");
    mustBePersons(entrance, { path, text, given });
  }
  return given;
}

/** @throws Failure, or whatever the command threw */
export async function execute(entrance: Entrance, typed: TypedCommand): Promise<number> {
  const { path, text, idle } = typed;
  if (idle !== undefined) return await executeConfined(entrance, typed, idle);
  const given = await givenBy(entrance, typed);
  const command = await commandAt(entrance, path);
  const call = { path, command, given };
  const stillOnline = await entrance.giveUp(authorityOf(text, given));
  if (text.effect !== "none") {
    return await withApp(entrance, call, async (app, interrupt) => {
      if (stillOnline !== undefined) app.log.write("warn", "the network stays", { stillOnline });
      return await perform(call, app, interrupt);
    });
  }
  const result = await command.run(entrance, given);
  return await answer(entrance, call, result, (line) => line);
}
