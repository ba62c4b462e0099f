/** Completes the commands that svc names next, so that they work as they stand: at the same place, with the same model. */
import { flagWords } from "./typed_line.ts";
import { TREE } from "./tree.gen.ts";
import { find } from "./tree.ts";

/** What a person chose for one command holds for the next. */
const KEPT = [
  ...["repo", "db", "config", "modelEndpoint"],
  ...["executionProfile", "acknowledgeHostExecution", "sandbox"],
];

/** A command of svc in a text, with the words that may be its path. */
const COMMAND = /\bsvc((?: [a-z][a-z-]*)+)/g;

/** Ends where the next command of the text begins. */
function restOf(text: string, from: number): string {
  const next = text.slice(from).search(/\bsvc [a-z]/);
  return next === -1 ? text.slice(from) : text.slice(from, from + next);
}

/**
 * Adds, behind the path of each command in the text, those flags of `given` that it takes too and that
 * the text does not give it.
 */
export function nextLine(text: string, given: object): string {
  const values = given as Readonly<Record<string, unknown>>;
  return text.replaceAll(COMMAND, (whole, words: string, at: number) => {
    const { path, command } = find(TREE, words.trim().split(" "));
    if (command === undefined) return whole;
    const rest = restOf(text, at + 3);
    const added = KEPT.flatMap((key) => {
      const flag = command.flags[key];
      if (flag === undefined || values[key] === undefined) return [];
      const line = flagWords(key, flag, values[key]);
      return line.length === 0 || new RegExp(`${line[0]}(?![a-z-])`).test(rest) ? [] : line;
    });
    if (added.length === 0) return whole;
    const named = `svc ${path}`;
    return `${named} ${added.join(" ")}${whole.slice(named.length)}`;
  });
}
