/** Turns the words that were read into values; imports no parser, so that a start without words is quick. */
import { Failure } from "svc/core/failure.ts";
import { type CommandText, MODES } from "./command.ts";
import { type Flag, flagName } from "./flags.ts";

export interface ParsedWords {
  readonly values: Readonly<Record<string, unknown>>;
  readonly rest: readonly string[];
}

/** Required flags that are missing; the parser's own message would not name them as they are typed. */
function missing(command: CommandText, given: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(command.flags)
    .filter(([key, flag]) => flag.required && given[flagName(key)] === undefined)
    .map(([key, flag]) => `--${flagName(key)} <${flag.value}>`);
}

/** Values by the names on the command line. */
interface RawValues {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly args: readonly unknown[];
}

export function needsNoWords({ flags, args = {} }: CommandText): boolean {
  return ![...Object.values(flags), ...Object.values(args)].some(({ required }) => required);
}

/** Fills in what is absent. @throws Failure `usage` naming every required flag that nobody gave */
export function settle(
  path: string,
  command: CommandText,
  seen: RawValues,
): Record<string, unknown> {
  const lacking = missing(command, seen.flags);
  if (lacking.length > 0) {
    throw new Failure("usage", `Cannot run "svc ${path}": ${lacking.join(", ")} is missing`, {
      remedy: `svc ${path} --help`,
    });
  }
  const absent = (flag: Flag<unknown>) =>
    flag.kind === "switch" ? false : flag.many ? [] : flag.fallback;
  const values: Record<string, unknown> = {};
  for (const [key, flag] of Object.entries(command.flags)) {
    values[key] = seen.flags[flagName(key)] ?? absent(flag);
  }
  Object.entries(command.args ?? {}).forEach(([key, arg], at) => {
    values[key] = arg.many ? seen.args : seen.args[at] ?? absent(arg);
  });
  for (const mode of Object.keys(MODES)) {
    values[mode === "dry-run" ? "dryRun" : mode] = seen.flags[mode] ?? false;
  }
  return values;
}
