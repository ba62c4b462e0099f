/** Runs one command: words to values, work, then its result as a page or as JSON. */
import { Failure } from "svc/core/failure.ts";
import type { Redact } from "svc/core/redact.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import type { AnyCommand, CommandText } from "./command.ts";
import { page } from "./page.ts";
import { parse } from "./parser.ts";
import { styledOn } from "./style.ts";
import { moduleOf } from "./tree.ts";

type Asked = Readonly<Record<string, unknown>> & {
  readonly json: boolean;
  readonly plain: boolean;
  readonly rest: readonly string[];
};

interface Answer {
  readonly entrance: Entrance;
  readonly asked: Asked;
  readonly redact: Redact;
}

async function answer(command: AnyCommand, result: unknown, to: Answer): Promise<number> {
  const { stdout, env } = to.entrance;
  if (to.asked.json) {
    const { z } = await to.entrance.load<typeof import("svc/core/zod.ts")>("src/core/zod");
    const shaped = command.result(z).parse(result);
    stdout.write(`${to.redact(JSON.stringify(shaped))}\n`);
  } else {
    const columns = stdout.columns();
    const facts = { styled: !to.asked.plain && styledOn(stdout, env) };
    const write = (text: string) => stdout.write(to.redact(text));
    command.show(result, page(write, columns === undefined ? facts : { ...facts, columns }));
  }
  return command.exit?.(result) ?? 0;
}

async function withApp(
  entrance: Entrance,
  path: string,
  command: AnyCommand,
  asked: Asked,
): Promise<number> {
  const { wire } = await entrance.load<typeof import("svc/wire.ts")>("src/wire");
  const logFile = typeof asked["logFile"] === "string" ? asked["logFile"] : undefined;
  const { app, interrupt } = await wire(entrance, {
    command: path,
    quiet: asked.json || asked.plain,
    ...(logFile !== undefined && { logFile }),
  });
  try {
    const result = await Promise.race([command.run(app, asked), interrupt.overdue]);
    app.progress.done();
    if (interrupt.signal.aborted) throw interrupt.signal.reason;
    return await answer(command, result, { entrance, asked, redact: app.redact });
  } catch (thrown) {
    // What a command throws once it was asked to stop is how it stopped, not what went wrong.
    throw interrupt.signal.aborted ? Failure.from(interrupt.signal.reason) : thrown;
  } finally {
    app.close();
  }
}

/** @throws Failure, or whatever the command threw */
export async function execute(
  entrance: Entrance,
  path: string,
  text: CommandText,
  words: readonly string[],
): Promise<number> {
  const { values, rest } = await parse(path, text, words, entrance.cwd());
  const asked = { ...values, rest } as Asked;
  const { default: command } = await entrance.load<{ default: AnyCommand }>(moduleOf(path));
  if (text.effect !== "none") return await withApp(entrance, path, command, asked);
  const result = await command.run(entrance, asked);
  return await answer(command, result, { entrance, asked, redact: (line) => line });
}
