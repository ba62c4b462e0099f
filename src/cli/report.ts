/** Shows a failure: text and remedy on stderr, or one JSON object; the raw cause only in the log. */
import { Failure } from "svc/core/failure.ts";
import { systemClock } from "svc/platform/clock.ts";
import { type Entrance, type Sink, UNWRITABLE } from "svc/platform/entrance.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { homeOf } from "svc/platform/home.ts";
import { commandLog } from "svc/platform/log.ts";
import { inertJson } from "svc/core/plain_text.ts";
import { redactor } from "svc/core/redact.ts";
import { visibleWithout } from "svc/core/visible_text.ts";
import { styledOn, toneText } from "svc/cli/page/page.ts";
import { asksFor } from "./asked_mode.ts";
import { redaction } from "./redaction.ts";

/** Values of `--token`, which no rule may know by their shape. */
function tokensIn(args: readonly string[]): string[] {
  return args.flatMap((arg, at) =>
    arg === "--token" ? args[at + 1] ?? [] : arg.startsWith("--token=") ? arg.slice(8) : []
  );
}

function logCause(
  entrance: Entrance,
  args: readonly string[],
  failure: Failure,
  redact: (text: string) => string,
): string {
  const word = args.find((arg) => !arg.startsWith("-")) ?? "svc";
  try {
    const folder = () => homeOf(entrance.env).logs;
    const log = commandLog({ folder, command: word, clock: systemClock, redact });
    log.open();
    log.write("error", failure.message, { code: failure.code, args, cause: failure.cause });
    const path = log.path();
    log.close();
    return `See the cause in ${path}`;
  } catch (thrown) {
    return `${Failure.from(thrown).message}: set SVC_HOME to a writable folder to keep the cause`;
  }
}

/** The failure itself is all that can be told: where it cannot be written either, the exit status tells it. */
function wrote(sink: Sink, text: string): boolean {
  try {
    sink.write(text);
    return true;
  } catch {
    return false;
  }
}

/** Never throws. */
export async function report(
  entrance: Entrance,
  args: readonly string[],
  failure: Failure,
): Promise<number> {
  if (failure.code === "interrupted" && !asksFor(args, "--json")) {
    wrote(entrance.stderr, entrance.stderr.terminal ? "\n" : "");
  }
  const redact = redactor(tokensIn(args), await redaction(entrance.env, denoFiles()));
  // A confined Worker has logged the cause on its side, and its remedy says where.
  const unlogged = failure.code === "internal" && failure.detail.remedy === undefined;
  const logged = unlogged ? logCause(entrance, args, failure, redact) : "";
  const visible = visibleWithout(redact);
  const [message, remedy] = [visible(failure.message), visible(logged || failure.remedy)];
  if (asksFor(args, "--json")) {
    const error = { code: failure.code, message, remediation: remedy };
    const line = `${inertJson(JSON.stringify({ ok: false, error }))}\n`;
    // After a write that failed a sink takes all else in silence.
    if (!failure.message.startsWith(UNWRITABLE) && wrote(entrance.stdout, line)) {
      return failure.exit;
    }
  }
  const styled = !asksFor(args, "--plain") && styledOn(entrance.stderr, entrance.env);
  wrote(
    entrance.stderr,
    `${toneText(styled, "bad", "svc:")} ${message}\n${toneText(styled, "dim", "try:")} ${remedy}\n`,
  );
  return failure.exit;
}
