/**
 * Completes the commands that svc prints, so that they can be copied as they are: with the same repo, database
 * and model.
 */
import { Failure } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { flagWords } from "./typed_line.ts";
import { TREE } from "./tree.gen.ts";
import { find } from "./tree.ts";

const PLACE = ["repo", "db", "config"];

/** What a person chose for one command holds for the next. */
const KEPT = [
  ...PLACE,
  "modelEndpoint",
  ...["executionProfile", "acknowledgeHostExecution", "sandbox"],
];

/** A command of svc in a text, with the words that may be its path. */
const COMMAND = /\bsvc((?: [a-z][a-z-]*)+)/g;

/** What git is to do in the repo, whose paths are from its root. */
const GIT = /\bgit (?=(?:add|commit|diff|stash|status|tag)\b)/g;

/** Ends where the next command of the text begins. */
function restOf(text: string, from: number): string {
  const next = text.slice(from).search(/\bsvc [a-z]/);
  return next === -1 ? text.slice(from) : text.slice(from, from + next);
}

/**
 * Adds, behind the path of each command in the text, those flags of `given` that it takes too and that
 * the text does not give it. Git is told the repo that is in `given`.
 */
export function nextLine(said: string, given: object, kept: readonly string[] = KEPT): string {
  const values = given as Readonly<Record<string, unknown>>;
  const { repo } = values;
  const there = typeof repo === "string" ? `git -C ${shellWord(repo)} ` : "git ";
  const text = said.replaceAll(GIT, () => there);
  return text.replaceAll(COMMAND, (whole, words: string, at: number) => {
    const { path, command } = find(TREE, words.trim().split(" "));
    if (command === undefined) return whole;
    const rest = restOf(text, at + 3);
    const added = kept.flatMap((key) => {
      const flag = command.flags[key];
      if (flag === undefined || values[key] === undefined) return [];
      // It stands in place of a folder.
      if (key === "repo" && / --url /.test(rest)) return [];
      const line = flagWords(key, flag, values[key]);
      return line.length === 0 || new RegExp(`${line[0]}(?![a-z-])`).test(rest) ? [] : line;
    });
    if (added.length === 0) return whole;
    const named = `svc ${path}`;
    return `${named} ${added.join(" ")}${whole.slice(named.length)}`;
  });
}

/** The failure of a command with its way out at the same place: elsewhere it would be about another repo. */
export function atSamePlace(thrown: unknown, given: object): Failure {
  const failure = Failure.from(thrown);
  const { code, message, detail } = failure;
  if (detail.remedy === undefined) return failure;
  const remedy = nextLine(detail.remedy, given, PLACE);
  return remedy === detail.remedy ? failure : new Failure(code, message, { ...detail, remedy });
}
