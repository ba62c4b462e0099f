/** The command tree as data, and how typed words find a command in it. */
import { compareText } from "svc/core/order.ts";
import type { ModulePath } from "svc/platform/entrance.ts";
import type { CommandText } from "./command.ts";

type CommandPath = Extract<ModulePath, `src/cli/commands/${string}`>;

export interface Tree {
  /** By path, such as "guardrails secret-scan". */
  readonly commands: Readonly<Record<string, CommandText>>;
  /** Groups and what they are about; a group may be a command as well. */
  readonly groups: Readonly<Record<string, string>>;
}

export interface CommandMatch {
  /** The longest path that the words name; "" is the program itself. */
  readonly path: string;
  readonly command?: CommandText;
  readonly rest: readonly string[];
}

export function aliasesOf(tree: Tree): Map<string, string> {
  return new Map(
    Object.entries(tree.commands).flatMap(([path, { aliases = [] }]) =>
      aliases.map((alias) => [alias, path] as const)
    ),
  );
}

export function find(tree: Tree, words: readonly string[]): CommandMatch {
  const aliases = aliasesOf(tree);
  let found: CommandMatch = { path: "", rest: words };
  for (let count = 1; count <= words.length; count++) {
    const typed = words.slice(0, count).join(" ");
    const path = aliases.get(typed) ?? typed;
    // A word such as "constructor" names what every object has.
    const command = Object.hasOwn(tree.commands, path) ? tree.commands[path] : undefined;
    if (command === undefined && !Object.hasOwn(tree.groups, path)) break;
    found = { path, rest: words.slice(count), ...(command && { command }) };
  }
  return found;
}

/** Next words that may follow a group's path, with what each is about; hidden commands are left out. */
export function children(tree: Tree, group: string): Map<string, string> {
  const prefix = group === "" ? "" : `${group} `;
  const next = new Map<string, string>();
  for (const [path, command] of Object.entries(tree.commands)) {
    if (command.hidden || path === group || !path.startsWith(prefix)) continue;
    const child = prefix + path.slice(prefix.length).split(" ")[0]!;
    next.set(child.slice(prefix.length), tree.commands[child]?.about ?? tree.groups[child]!);
  }
  return new Map([...next].sort(([a], [b]) => compareText(a, b)));
}

/** `guardrails secret-scan` → `src/cli/commands/guardrails/secret_scan`: the path is the name. */
export function moduleOf(path: string): CommandPath {
  return `src/cli/commands/${path.replaceAll("-", "_").replaceAll(" ", "/")}` as CommandPath;
}
