/** The proof that what a Worker says it read of a file are facts of one. */
import type { ScannedFile } from "./facts.ts";
import { FILE_RULES } from "./rules/all.ts";

type Proof = (value: unknown) => boolean;

const text: Proof = (value) => typeof value === "string";
const count: Proof = (value) => Number.isSafeInteger(value) && value as number >= 0;
const yes: Proof = (value) => value === true;
/** What the scan itself adds later. */
const never: Proof = () => false;
const list = (one: Proof): Proof => (value) => Array.isArray(value) && value.every(one);
const namedLines = list((value) =>
  Array.isArray(value) && value.length === 2 && text(value[0]) && count(value[1])
);

/** @param parts proofs of all keys that may be there */
function record(parts: Readonly<Record<string, Proof>>, needed: readonly string[]): Proof {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    const entries = Object.entries(value);
    return entries.every(([key, part]) => Object.hasOwn(parts, key) && parts[key]!(part)) &&
      needed.every((key) => Object.hasOwn(value, key));
  };
}

const todo = record({ line: count, tag: text, text }, ["line", "tag", "text"]);
const gap = record(
  { line: count, title: text, detail: text, key: text, fix: text },
  ["title", "key"],
);

/** By key, those that a Worker never says among them. */
export const FACTS_PROOFS: Readonly<Record<keyof ScannedFile, Proof>> = {
  bytes: count,
  lines: count,
  noText: (value) => value === "binary",
  untracked: never,
  generated: yes,
  text,
  links: namedLines,
  anchors: list(text),
  spans: namedLines,
  docSync: yes,
  environment: namedLines,
  spoken: list(text),
  imports: list(text),
  inlineTests: yes,
  todos: list(todo),
  todoTimes: never,
  secrets: never,
  found: record(Object.fromEntries(FILE_RULES.map(({ id }) => [id, list(gap)])), []),
};
const facts = record(FACTS_PROOFS, ["bytes", "lines"]);

/** @param size of the file */
export const areFacts = (value: unknown, size: number): value is ScannedFile =>
  facts(value) && (value as ScannedFile).bytes === size;
