/** Writes a command line that keeps what a person gave, for the lines that say what to do next. */
import { shellWord } from "svc/core/shell_word.ts";
import { type Flag, flagName, type Flags, on } from "./flags.ts";

/** `--name value`; none for a value that is the flag's own, or absent. */
export function flagWords(key: string, flag: Flag<unknown>, value: unknown): string[] {
  const name = `--${flagName(key)}`;
  if (value === undefined || value === false || value === flag.fallback) return [];
  if (value === true) return [name];
  return [value].flat().flatMap((each) => [name, shellWord(String(each))]);
}

const MODES: Flags = { json: on(""), plain: on(""), yes: on("") };

/** `svc <path>` with each flag as it was given, but for `--dry-run` and those of `without`. */
export function typedLine(
  path: string,
  flags: Flags,
  given: object,
  without: readonly string[] = [],
): string {
  const values = given as Readonly<Record<string, unknown>>;
  const kept = Object.entries({ ...flags, ...MODES }).filter(([key]) => !without.includes(key));
  return ["svc", path, ...kept.flatMap(([key, flag]) => flagWords(key, flag, values[key]))]
    .join(" ");
}

/** ` --repo … --db …` as they were given, to go on at the same place; "" where they were not. */
export function samePlace(given: {
  readonly repo?: string | undefined;
  readonly db?: string | undefined;
}): string {
  const place = [["--repo", given.repo], ["--db", given.db]] as const;
  return place.flatMap(([name, path]) => path === undefined ? [] : ` ${name} ${shellWord(path)}`)
    .join("");
}
