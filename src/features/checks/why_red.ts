/** Says why a command failed: whether the machine lacks something, and how its output ends. */
import { plainLines } from "svc/core/plain_text.ts";
import { shortenedStart } from "svc/core/shortened.ts";
import type { Check } from "./check_table.ts";

/** What a ticket or a decision holds of an output's end. */
const TAIL_LINES = 6;
const TAIL_CHARS = 400;

/** What a role is shown of an output's end while it can still mend the work. */
const SHOWN_LINES = 40;
const SHOWN_CHARS = 3000;

/** Characters of an output that are kept, to look at its end. */
const KEPT_CHARS = 8192;

/**
 * What tools print last whatever happened: npm and pip offers of an update, npm where it keeps a log of its own,
 * make the folders that it leaves (GNU make manual, "The --print-directory Option"), Maven and Gradle how to
 * learn more, Composer and other programs of Symfony's Console the options of the command.
 */
const ASIDE = new RegExp(
  "^(?:" + [
    "make(?:\\[\\d+\\])?: Leaving directory ",
    "npm notice\\b",
    "npm (?:ERR!|error) (?:A complete log of this run|$)",
    "\\[notice\\] (?:A new release of pip|To update, run)",
    "\\[ERROR\\](?:$| -> \\[Help 1\\]| To see the full stack trace| Re-run Maven| For more information about)",
    "\\[ERROR\\] \\[Help \\d+\\] http",
    "\\* Try:$|> (?:Run with --|Get more help at )",
    "BUILD FAILED in |\\d+ actionable tasks?: ",
    "[\\w:.-]+(?: \\[--?[\\w|-]+(?: [\\w-]+)?\\]){3}",
  ].join("|") + ")",
);

/** The end of an output, as it comes. */
export class OutputTail {
  #text = "";

  push(text: string): void {
    this.#text = (this.#text + text).slice(-KEPT_CHARS);
  }

  /** On one line, line ends as " | "; empty for an output without a word. */
  text(): string {
    const lines = plainLines(this.#text).split("\n").map((line) => line.trim())
      .filter((line) => line !== "");
    const telling = lines.filter((line) => !ASIDE.test(line));
    const text = (telling.length > 0 ? telling : lines).slice(-TAIL_LINES).join(" | ");
    return shortenedStart(text, TAIL_CHARS);
  }

  /** As it came, and longer than `text`. */
  lines(): string {
    const lines = plainLines(this.#text).trimEnd().split("\n").slice(-SHOWN_LINES);
    return shortenedStart(lines.join("\n"), SHOWN_CHARS);
  }
}

/** A red check is run once more; one that hangs gets its whole time limit only once. */
export const mayPassAgain = ({ ending }: Pick<Check, "ending">) => ending !== "timed_out";

/** What a shell says of a program that is not there, or cannot be executed (POSIX.1-2024, XCU 2.8.2). */
const CANNOT_EXECUTE: ReadonlySet<number | null> = new Set([126, 127]);

/** `python -m pytest` without pytest, also in a line for a shell: exit status 1, as for a red test. */
function lacksModule(run: readonly string[], tail: string): string | undefined {
  const words = run.flatMap((word) => word.split(" "));
  const at = words.indexOf("-m");
  const name = at === -1 ? undefined : words[at + 1];
  const said = /No module named '?([\w.]+)'?/.exec(tail)?.[1];
  return name !== undefined && said === name.split(".")[0] ? name : undefined;
}

export interface EnvironmentFault {
  readonly why: string;
  /** What a person installs. */
  readonly remedy: string;
}

/** Undefined where the command ran: a red one is the work's. */
export function environmentFault(
  { ending, exit_code, reason }: Pick<Check, "ending" | "exit_code" | "reason">,
  words: readonly string[],
  tail: string,
): EnvironmentFault | undefined {
  const install = "or name what installs it in project.setup of .harness/manifest.yaml";
  if (ending === "not_started") {
    return { why: reason ?? "it cannot be started", remedy: `Mend that, ${install}` };
  }
  if (ending !== "exited") return undefined;
  const module = lacksModule(words, tail);
  if (module !== undefined) {
    return { why: `Python has no module "${module}"`, remedy: `Install ${module}, ${install}` };
  }
  if (!CANNOT_EXECUTE.has(exit_code)) return undefined;
  const said = tail === "" ? "" : `: ${tail}`;
  return { why: `exit status ${exit_code}${said}`, remedy: `Install what is missing, ${install}` };
}
