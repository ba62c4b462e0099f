/** Does a command's work, then prints its result as a page or as JSON. */
import type { App } from "svc/app.ts";
import { SANDBOXES } from "svc/core/execution.ts";
import { Failure } from "svc/core/failure.ts";
import { inertJson } from "svc/core/plain_text.ts";
import { type Redact, redactedJson } from "svc/core/redact.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import type { Interrupt } from "svc/platform/process/interrupt.ts";
import type { AnyCommand, CommonOptions } from "./command.ts";
import { openPage } from "svc/cli/page/open_page.ts";
import { pagedThrough } from "svc/cli/page/pager.ts";

export interface CommandCall {
  readonly path: string;
  readonly command: AnyCommand;
  /** By declared key. */
  readonly given: CommonOptions & Readonly<Record<string, unknown>>;
}

/** With `--json` each object has `ok`: whether the exit status is 0. A result's own `ok` counts. */
export async function answer(
  entrance: Entrance,
  { command, given }: CommandCall,
  result: unknown,
  redact: Redact,
): Promise<number> {
  const exit = command.exit?.(result) ?? 0;
  if (given.json) {
    const { z } = await entrance.load("src/core/zod");
    const shown = { ok: exit === 0, ...command.result(z).parse(result) };
    entrance.stdout.write(`${inertJson(redactedJson(shown, redact))}\n`);
  } else if ("noPager" in command.flags) {
    await pagedThrough(
      entrance,
      given,
      (to) => command.show(result, openPage(to, given, redact), given),
    );
  } else command.show(result, openPage(entrance, given, redact), given);
  return exit;
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
