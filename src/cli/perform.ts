/** Does a command's work, then prints its result as a page or as JSON. */
import type { App } from "svc/app.ts";
import { SANDBOXES } from "svc/core/execution.ts";
import { Failure } from "svc/core/failure.ts";
import { inertJson } from "svc/core/plain_text.ts";
import { type Redact, redactedJson } from "svc/core/redact.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import type { Interrupt } from "svc/platform/process/interrupt.ts";
import type { AnyCommand, CommonOptions } from "./command.ts";
import { page, styledOn } from "svc/cli/page/page.ts";

export interface CommandCall {
  readonly path: string;
  readonly command: AnyCommand;
  /** By declared key. */
  readonly given: CommonOptions & Readonly<Record<string, unknown>>;
}

export async function answer(
  entrance: Entrance,
  { command, given }: CommandCall,
  result: unknown,
  redact: Redact,
): Promise<number> {
  const { stdout, env } = entrance;
  if (given.json) {
    const { z } = await entrance.load("src/core/zod");
    stdout.write(`${inertJson(redactedJson(command.result(z).parse(result), redact))}\n`);
  } else {
    const columns = stdout.columns();
    const styled = !given.plain && styledOn(stdout, env);
    const facts = { styled, redact, ...(columns !== undefined && { columns }) };
    command.show(result, page((text) => stdout.write(text), facts), given);
  }
  return command.exit?.(result) ?? 0;
}

export function wiringOf({ path, given }: CommandCall) {
  const { logFile, json, plain, sandbox, db } = given;
  const typed = SANDBOXES.find((kind) => kind === sandbox);
  return {
    command: path,
    quiet: json,
    plain,
    ...(typeof logFile === "string" && { logFile }),
    wish: { ...(typed && { typed }), ...(typeof db === "string" && { database: db }) },
  };
}

/** After a signal the interrupt itself is shown, unless the command's own failure says how to resume. */
export function whyEnded({ signal }: Interrupt, thrown: unknown): unknown {
  if (!signal.aborted) return thrown;
  const failure = Failure.from(thrown);
  const goesOn = failure.code === "interrupted" && failure.detail.remedy !== undefined;
  return goesOn ? failure : Failure.from(signal.reason);
}

export async function perform(call: CommandCall, app: App, interrupt: Interrupt): Promise<number> {
  try {
    const result = await Promise.race([call.command.run(app, call.given), interrupt.overdue]);
    app.progress.done();
    // A command that serves until it is stopped has done its work then.
    if (interrupt.signal.aborted && call.command.effect !== "serves") throw interrupt.signal.reason;
    return await answer(app, call, result, app.redact);
  } catch (thrown) {
    throw whyEnded(interrupt, thrown);
  }
}
