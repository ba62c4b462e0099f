/** Computes what may follow the words typed so far, from the command tree. Pure. */
import { type CommandText, modeAbout, MODES } from "svc/cli/command.ts";
import { type Flag, flagName, on, type ValueSource } from "svc/cli/flags.ts";
import { aboutFlag } from "svc/cli/help.ts";
import { aliasesOf, children, type CommandMatch, find, type Tree } from "svc/cli/tree.ts";

export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** What the shell completes itself: a file, or a program behind `--` and then its arguments. */
type Delegate = "files" | "command" | "arguments";

export interface Completion {
  readonly items: readonly Candidate[];
  readonly delegate?: Delegate;
}

export type OfferedValues = (source: ValueSource) => Promise<readonly Candidate[]>;

type FlagsByName = ReadonlyMap<string, Flag<unknown>>;

const NOTHING: Completion = { items: [] };
const HELP: Candidate = { value: "help", about: "Show help of a group or a command" };
const MODE_WORDS: ReadonlySet<string> = new Set(Object.keys(MODES).map((mode) => `--${mode}`));

function starting(items: readonly Candidate[], typed: string): Candidate[] {
  return items.filter(({ value }) => value.startsWith(typed));
}

/** Aliases below a group, where the name they stand for would not be offered for the typed letters. */
function aliases(tree: Tree, group: string, typed: string): Candidate[] {
  const prefix = group === "" ? "" : `${group} `;
  return [...aliasesOf(tree)].flatMap(([alias, path]) => {
    const word = alias.slice(prefix.length);
    if (typed === "" || !alias.startsWith(prefix) || !word.startsWith(typed)) return [];
    const offered = path.startsWith(prefix) && path.slice(prefix.length).startsWith(typed);
    const { about, hidden } = tree.commands[path]!;
    if (offered || hidden || word.includes(" ")) return [];
    return [{ value: word, about: `${about} (alias of ${path})` }];
  });
}

function names(tree: Tree, group: string, typed: string): Candidate[] {
  const below = [...children(tree, group)].map(([value, about]) => ({ value, about }));
  return [...starting(below, typed), ...aliases(tree, group, typed)];
}

function flagsAt({ path, command }: CommandMatch): FlagsByName {
  const flags = new Map<string, Flag<unknown>>();
  for (const [key, flag] of Object.entries<Flag<unknown>>(command?.flags ?? {})) {
    flags.set(`--${flagName(key)}`, flag);
  }
  if (command !== undefined) {
    for (const mode of command.modes) flags.set(`--${mode}`, on(modeAbout(mode, command)));
  }
  flags.set("--help", on("Show help"));
  if (path === "") flags.set("--version", on("Print the version"));
  return flags;
}

interface TypedSoFar {
  readonly flags: ReadonlySet<string>;
  readonly open?: Flag<unknown>;
  readonly positions: number;
}

function readSoFar(known: FlagsByName, words: readonly string[]): TypedSoFar {
  const flags = new Set<string>();
  let open: Flag<unknown> | undefined;
  let positions = 0;
  for (const word of words) {
    if (open !== undefined) open = undefined;
    else if (!word.startsWith("-")) positions++;
    else {
      const [name = ""] = word.split("=", 1);
      flags.add(name);
      const flag = known.get(name);
      if (flag !== undefined && flag.kind !== "switch" && !word.includes("=")) open = flag;
    }
  }
  return { flags, positions, ...(open && { open }) };
}

async function valuesOf(
  flag: Flag<unknown>,
  typed: string,
  values: OfferedValues,
): Promise<Completion> {
  const choices = (flag.choices ?? []).map((value) => ({
    value,
    about: value === flag.fallback ? "default" : "",
  }));
  const suggested = flag.suggest === undefined ? [] : await values(flag.suggest);
  return {
    items: starting([...choices, ...suggested], typed),
    ...(flag.kind === "path" && { delegate: "files" }),
  };
}

function flagItems(known: FlagsByName, { flags }: TypedSoFar, command?: CommandText): Candidate[] {
  const open = [...known].filter(([name, flag]) => flag.many || !flags.has(name));
  const dashes = command?.rest && { value: "--", about: command.rest.about };
  return [
    ...open.map(([value, flag]) => ({ value, about: aboutFlag(flag) })),
    ...(dashes ? [dashes] : []),
  ];
}

function argument(command: CommandText | undefined, position: number): Flag<unknown> | undefined {
  const args = Object.values(command?.args ?? {});
  const last = args.at(-1);
  return args[position] ?? (last?.many ? last : undefined);
}

/** Words behind `--` belong to another program, where a command takes any. */
function beyondDashes(tree: Tree, before: readonly string[], at: number): Completion {
  if (find(tree, before.slice(0, at)).command?.rest === undefined) return NOTHING;
  return { items: [], delegate: before.length === at + 1 ? "command" : "arguments" };
}

/** @param words what was typed behind the program's name, unquoted; the last one is being typed */
export async function complete(
  tree: Tree,
  words: readonly string[],
  values: OfferedValues,
): Promise<Completion> {
  const typed = words.at(-1) ?? "";
  const first = words.findIndex((word) => !MODE_WORDS.has(word));
  const before = words.slice(Math.max(0, first), -1);
  const at = before.indexOf("--");
  if (at !== -1) return beyondDashes(tree, before, at);

  const asksHelp = before[0] === "help";
  const found = find(tree, asksHelp ? before.slice(1) : before);
  // Words that name nothing lead nowhere: whatever comes next is an error already.
  if (found.command === undefined && found.rest.length > 0) return NOTHING;
  if (asksHelp) {
    return found.rest.length > 0 ? NOTHING : { items: names(tree, found.path, typed) };
  }
  const known = flagsAt(found);
  const state = readSoFar(known, found.rest);
  const ask: OfferedValues = (source) =>
    source === "commands" ? Promise.resolve(commands(tree)) : values(source);
  if (state.open !== undefined) return await valuesOf(state.open, typed, ask);

  const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? [];
  if (name !== undefined) {
    const flag = known.get(name);
    if (flag === undefined || flag.kind === "switch") return NOTHING;
    const { items, ...rest } = await valuesOf(flag, value!, ask);
    return { items: items.map((item) => ({ ...item, value: `${name}=${item.value}` })), ...rest };
  }
  if (typed.startsWith("-")) {
    return { items: starting(flagItems(known, state, found.command), typed) };
  }
  return await bareWord(tree, found, { known, state, typed, ask });
}

/** A word that is no flag: a command below, or an argument; and flags where neither can follow. */
async function bareWord(
  tree: Tree,
  { path, command, rest }: CommandMatch,
  { known, state, typed, ask }: {
    known: FlagsByName;
    state: TypedSoFar;
    typed: string;
    ask: OfferedValues;
  },
): Promise<Completion> {
  const below = rest.length === 0 ? names(tree, path, typed) : [];
  const help = path === "" ? starting([HELP], typed) : [];
  const arg = argument(command, state.positions);
  const { items, ...more } = arg === undefined ? NOTHING : await valuesOf(arg, typed, ask);
  const all = [...below, ...help, ...items];
  if (all.length > 0 || arg !== undefined || typed !== "") return { items: all, ...more };
  return { items: flagItems(known, state, command) };
}

function commands(tree: Tree): Candidate[] {
  return Object.entries(tree.commands)
    .filter(([, { hidden }]) => !hidden)
    .map(([value, { about }]) => ({ value, about }));
}
