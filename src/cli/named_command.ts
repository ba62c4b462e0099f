/** Whether words that a document shows name a command of svc, and flags that it has. */
import { withoutEnding } from "svc/core/text_ends.ts";
import { flagName } from "./flags.ts";
import { aliasesOf, type Tree } from "./tree.ts";

/** Words for something else, such as `<job>`, `[--json]` or `…`. */
const STANDS_IN = /^[<[{(…$*~]|^\.{3}|…$/;

/** `list|show` names two. */
const alternatives = (word: string) => word.split("|").filter((one) => one !== "");

const bare = (word: string) => withoutEnding(word, "],.:").replace(/^\[/, "");

/** Undefined where they do. Words after the path are its arguments. */
export function namedCommandFault(tree: Tree, words: readonly string[]): string | undefined {
  const aliases = aliasesOf(tree);
  const starts = [...aliases.keys()].flatMap((alias) => {
    const parts = alias.split(" ");
    return parts.map((_, at) => parts.slice(0, at + 1).join(" "));
  });
  const known = (path: string) =>
    tree.commands[path] !== undefined || tree.groups[path] !== undefined || starts.includes(path);
  if (words[0] === "help") return namedCommandFault(tree, words.slice(1));
  let paths = [""];
  let at = 0;
  for (; at < words.length; at++) {
    const word = bare(words[at]!);
    if (word.startsWith("-") || STANDS_IN.test(words[at]!)) break;
    const next = paths.flatMap((path) =>
      alternatives(word).map((one) => path === "" ? one : `${path} ${one}`)
    );
    const unknown = next.find((path) => !known(path));
    if (unknown === undefined) {
      paths = next;
      continue;
    }
    const isCommand = paths.every((path) =>
      path !== "" && tree.commands[aliases.get(path) ?? path] !== undefined
    );
    if (isCommand) break;
    return `svc has no command "${unknown}"`;
  }
  return flagFault(tree, paths.map((path) => aliases.get(path) ?? path), words.slice(at));
}

function flagFault(
  tree: Tree,
  paths: readonly string[],
  words: readonly string[],
): string | undefined {
  const end = words.indexOf("--");
  for (const word of end === -1 ? words : words.slice(0, end)) {
    const [, name] = /^\[?--([a-z][a-z0-9-]*)/.exec(word) ?? [];
    if (name === undefined || name === "help") continue;
    const lacks = paths.find((path) => {
      const command = tree.commands[path];
      if (command === undefined) return false;
      const flags = [...Object.keys(command.flags).map(flagName), ...command.modes];
      return !flags.includes(name);
    });
    if (lacks !== undefined) return `svc ${lacks} has no flag --${name}`;
  }
  return undefined;
}
