/** The only file that knows the CLI library: words to values, its errors to ours. */
import {
  AliasNotFoundError,
  ArgumentParseError,
  ArgumentScannerError,
  buildApplication,
  buildCommand,
  FlagNotFoundError,
  run,
  text_en,
  UnexpectedFlagError,
  UnexpectedPositionalError,
  UnsatisfiedFlagError,
  UnsatisfiedPositionalError,
} from "@stricli/core";
import { isServerAddress } from "svc/core/server_address.ts";
import { Failure } from "svc/core/failure.ts";
import { folderOf } from "svc/core/path_parts.ts";
import { didYouMean } from "svc/core/nearest.ts";
import { type CommandText, modeAbout } from "./command.ts";
import { type Flag, flagName } from "./flags.ts";
import { type ParsedWords, settle } from "./values.ts";

/** Why one value is not accepted; the text goes behind `--flag "value": `. */
class Unfit extends Error {}

/** A login in an address goes to no terminal and no log. */
const shownAs = (word: string) => word.replace(/^([a-z][a-z\d+.-]*:\/*)\S*@/i, "$1…@");

/** A mistyped address, or a home that no shell filled in, would make a folder of that name where one stands. */
function readPath({ server }: Flag<unknown>, cwd: string, typed: string): string {
  if (isServerAddress(typed)) {
    if (server) return typed;
    throw new Unfit("must be a path: no database server is taken here");
  }
  if (/^(?:[a-z][a-z\d+.-]*:\/\/|postgres(?:ql)?:)/i.test(typed)) {
    throw new Unfit(`must be a path${server ? " or postgres://<user>@<host>/<database>" : ""}`);
  }
  if (/^~(?:\/|$)/.test(typed)) {
    throw new Unfit(`the shell left "~" as it is: write "$HOME${typed.slice(1)}"`);
  }
  return absolute(cwd, typed);
}

/** Without "." in it, since lines that say what to do next show it. ".." behind a name may follow a link, and stays. */
function absolute(cwd: string, typed: string): string {
  const parts = typed.split("/").filter((part) => part !== ".");
  let from = typed.startsWith("/") ? "" : cwd;
  // The current folder is a real one, behind no link.
  while (from !== "" && parts[0] === "..") {
    parts.shift();
    from = folderOf(from);
  }
  const below = parts.join("/").replace(/^\/+/, "");
  return below === "" && from !== "" ? from : `${from.replace(/\/$/, "")}/${below}`;
}

function readText(flag: Flag<unknown>, cwd: string, typed: string): unknown {
  if (typed === "") throw new Unfit("the value is empty");
  if (flag.kind === "choice" && !flag.choices!.includes(typed)) {
    const hint = didYouMean(typed, flag.choices!);
    throw new Unfit(`must be one of ${flag.choices!.join(", ")}${hint && `. ${hint}`}`);
  }
  if (flag.kind === "whole") {
    const { min = 0, max = Number.MAX_SAFE_INTEGER } = flag;
    const value = /^\d+$/.test(typed) ? Number(typed) : NaN;
    if (!(value >= min && value <= max)) {
      throw new Unfit(`must be a whole number from ${min} to ${max}`);
    }
    return value;
  }
  if (flag.kind === "number") {
    const { min = 0, max = Number.MAX_SAFE_INTEGER } = flag;
    const value = /^\d+(?:\.\d+)?$/.test(typed) ? Number(typed) : NaN;
    if (!(value >= min && value <= max)) {
      throw new Unfit(`must be a number from ${min} to ${max}`);
    }
    return value;
  }
  if (flag.kind === "path") return readPath(flag, cwd, typed);
  return typed;
}

function switchSpec(brief: string) {
  return { kind: "boolean", brief, optional: true, withNegated: false };
}

const argSpec = (arg: Flag<unknown>, cwd: string) => ({
  kind: "parsed",
  brief: arg.about,
  parse: (typed: string) => readText(arg, cwd, typed),
  optional: arg.required !== true,
});

const flagSpec = (flag: Flag<unknown>, cwd: string) => ({
  ...argSpec(flag, cwd),
  // Required ones are checked in `settle`, which can name all that is missing at once.
  optional: true,
  ...(flag.many && { variadic: true }),
});

function specs(command: CommandText, cwd: string) {
  const flags = Object.entries(command.flags).map(([key, flag]) => [
    flagName(key),
    flag.kind === "switch" ? switchSpec(flag.about) : flagSpec(flag, cwd),
  ]);
  const modes = command.modes.map((mode) => [mode, switchSpec(modeAbout(mode, command))]);
  const args = Object.entries(command.args ?? {});
  const parameters = args.map(([key, arg]) => ({
    ...argSpec(arg, cwd),
    placeholder: key,
  }));
  // A command with an argument that takes several words has no other.
  const several = args.some(([, { many }]) => many);
  const aliases = Object.entries(command.flags)
    .flatMap(([key, { short }]) => short === undefined ? [] : [[short, flagName(key)]]);
  return {
    flags: Object.fromEntries([...flags, ...modes]),
    aliases: Object.fromEntries(aliases),
    positional: several
      ? { kind: "array", parameter: parameters[0] }
      : { kind: "tuple", parameters },
  };
}

const behind = (flag: string) => `A value that begins with a dash is written ${flag}="…".`;

/** For a word with a dash that stands where the flag before it wants a value. */
function meantAsValue(
  typed: string,
  words: readonly string[],
  { flags }: CommandText,
): string | undefined {
  const before = words[words.findIndex((word) => word.startsWith(typed)) - 1];
  const takes = Object.entries(flags).some(([key, { kind }]) =>
    kind !== "switch" && before === `--${flagName(key)}`
  );
  return takes ? behind(before!) : undefined;
}

/** @param wrong all that the library found, in the order of the arguments, then of the flags; the first is told */
function explain(
  wrong: readonly unknown[],
  path: string,
  command: CommandText,
  words: readonly string[] = [],
): Failure {
  const [error] = wrong;
  const remedy = `svc ${path} --help`;
  const usage = (text: string, hint = "") =>
    new Failure("usage", `Cannot run "svc ${path}": ${text}`, {
      remedy: hint === "" ? remedy : `${hint} See: ${remedy}`,
      cause: error,
    });
  if (error instanceof FlagNotFoundError || error instanceof AliasNotFoundError) {
    const dashed = error.input.startsWith("-") ? error.input : `-${error.input}`;
    const typed = dashed.startsWith("--") || error instanceof AliasNotFoundError
      ? dashed
      : `-${dashed}`;
    const known = [...Object.keys(command.flags).map(flagName), ...command.modes, "help"];
    return usage(
      `unknown flag "${typed}"`,
      meantAsValue(typed, words, command) ??
        didYouMean(typed.replace(/^-+/, ""), known).replaceAll(/"(?=[a-z])/g, '"--'),
    );
  }
  if (error instanceof ArgumentParseError) {
    const flag = error.externalFlagNameOrPlaceholder;
    const name = flag in (command.args ?? {}) ? `<${flag}>` : `--${flag}`;
    const why = error.exception instanceof Error ? error.exception.message : "not understood";
    return usage(`${name} "${shownAs(error.input)}": ${why}`);
  }
  if (error instanceof UnsatisfiedFlagError) {
    const flag = `--${error.externalFlagName}`;
    const next = error.nextFlagName;
    if (next === undefined) return usage(`flag "${flag}" needs a value`);
    return usage(`flag "${flag}" needs a value, but "--${next}" follows it`, behind(flag));
  }
  if (error instanceof UnexpectedFlagError) {
    return usage(`flag "--${error.externalFlagName}" is given twice`);
  }
  if (error instanceof UnexpectedPositionalError) {
    return usage(`unexpected argument "${shownAs(error.input)}"`);
  }
  if (error instanceof UnsatisfiedPositionalError) {
    const missing = wrong.filter((one) => one instanceof UnsatisfiedPositionalError)
      .map(({ placeholder }) => `<${placeholder}>`);
    if (missing.length === 1) return usage(`argument ${missing[0]} is missing`);
    return usage(`arguments ${missing.join(", ")} are missing`);
  }
  if (error instanceof ArgumentScannerError) return usage(error.message);
  return Failure.from(error);
}

/** The library takes `--flag=` and a value of several lines for arguments: as two words it takes them. */
function apart(word: string): string[] {
  const [, flag, value] = /^(--[a-z][a-z0-9-]*)=(|.*\n.*)$/s.exec(word) ?? [];
  return flag === undefined ? [word] : [flag, value!];
}

/** @param cwd absolute; relative paths start there @throws Failure `usage` */
export async function parse(
  path: string,
  command: CommandText,
  words: readonly string[],
  cwd: string,
): Promise<ParsedWords> {
  const cutAt = words.indexOf("--");
  const before = cutAt === -1 ? words : words.slice(0, cutAt);
  const rest = cutAt === -1 ? [] : words.slice(cutAt + 1);
  if (rest.length > 0 && command.rest === undefined) {
    throw explain([new UnexpectedPositionalError(0, rest[0]!)], path, command);
  }
  let seen: { flags: Record<string, unknown>; args: unknown[] } | undefined;
  const wrong: unknown[] = [];
  const target = buildCommand({
    docs: { brief: command.about },
    // deno-lint-ignore no-explicit-any -- the library infers these from literals; ours are data
    parameters: specs(command, cwd) as any,
    func(this: unknown, flags: Record<string, unknown>, ...args: unknown[]) {
      seen = { flags, args };
    },
  });
  const silent = { write() {} };
  const program = buildApplication(target, {
    name: "svc",
    scanner: { caseStyle: "original" },
    localization: {
      text: {
        ...text_en,
        exceptionWhileParsingArguments(thrown) {
          wrong.push(thrown);
          return "";
        },
      },
    },
  });
  await run(program, before.flatMap(apart), {
    process: { stdout: silent, stderr: silent, env: {} },
  });
  if (wrong.length > 0) throw explain(wrong, path, command, before);
  if (seen === undefined) throw new Failure("internal", `Cannot read the words of "svc ${path}"`);
  return { values: settle(path, command, seen), rest };
}
