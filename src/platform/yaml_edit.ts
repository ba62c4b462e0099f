/** Sets or removes one key of a YAML text and leaves every other byte as a person wrote it. */
import { Failure } from "svc/core/failure.ts";
import { compareText } from "svc/core/order.ts";
import { type Document, isMap, isScalar, parseDocument, stringify } from "./yaml.ts";

export type YamlValue =
  | string
  | number
  | boolean
  | readonly YamlValue[]
  | { readonly [key: string]: YamlValue | undefined };

interface Edit {
  readonly text: string;
  readonly path: readonly string[];
  /** Undefined removes the key, and a map that it leaves empty. */
  readonly value: YamlValue | undefined;
}

type Span = readonly [start: number, valueEnd: number, nodeEnd: number];
const spanOf = (node: unknown): Span => (node as { readonly range: Span }).range;

const isRecord = (value: unknown): value is Readonly<Record<string, YamlValue | undefined>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const columnAt = (text: string, at: number): number => at - (text.lastIndexOf("\n", at - 1) + 1);

/** After the line in which `at` lies, or at its beginning when a line has just ended there. */
function lineEnd(text: string, at: number): number {
  if (at === 0 || text[at - 1] === "\n") return at;
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}

/** `path: value` as lines, indented by `column`. */
function rendered(path: readonly string[], value: YamlValue, column: number): string {
  const nested = path.reduceRight<YamlValue>((inner, key) => ({ [key]: inner }), value);
  const lines = stringify(nested, { lineWidth: 0 }).trimEnd().split("\n");
  return lines.map((line) => `${" ".repeat(column)}${line}\n`).join("");
}

function inserted(text: string, at: number, lines: string): string {
  const before = text.slice(0, at);
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  return `${before}${gap}${lines}${text.slice(at)}`;
}

/** The lines from `start` to the end of a value. */
function replacedLines(text: string, start: number, end: number, lines: string): string {
  return `${text.slice(0, start)}${lines}${text.slice(lineEnd(text, end))}`;
}

/** Undefined where the text has a form in which a key cannot be edited by itself, such as `{a: 1}`. */
function spliced({ text, path, value }: Edit): string | undefined {
  const doc = parseDocument(text);
  if (doc.contents === null) {
    return value === undefined ? text : inserted(text, text.length, rendered(path, value, 0));
  }
  let node: unknown = doc.contents;
  for (const [depth, key] of path.entries()) {
    if (!isMap(node) || node.flow || node.items.length === 0) return undefined;
    const column = columnAt(text, spanOf(node.items[0]!.key)[0]);
    const pair = node.items.find((item) => String(item.key) === key);
    if (pair === undefined) {
      if (value === undefined) return text;
      const at = lineEnd(text, spanOf(node)[1]);
      return inserted(text, at, rendered(path.slice(depth), value, column));
    }
    const start = spanOf(pair.key)[0];
    const old = pair.value;
    const end = old === null ? spanOf(pair.key)[1] : spanOf(old)[1];
    const lineStart = start - columnAt(text, start);
    if (value === undefined && (depth === path.length - 1 || onlyLeadsTo(old, path[depth + 1]))) {
      return replacedLines(text, lineStart, end, "");
    }
    if (depth < path.length - 1 && !isEmpty(old)) {
      node = old;
      continue;
    }
    if (value !== undefined && depth === path.length - 1 && isScalar(old) && !isRecord(value)) {
      const plain = stringify(value, { lineWidth: 0 }).trimEnd();
      const [from, to] = spanOf(old);
      if (!plain.includes("\n")) return `${text.slice(0, from)}${plain}${text.slice(to)}`;
    }
    if (value === undefined) return text;
    const lines = rendered(path.slice(depth), value, column);
    return replacedLines(text, lineStart, end, lines);
  }
  return undefined;
}

const isEmpty = (node: unknown): boolean =>
  node === null || (isScalar(node) && node.value === null) ||
  (isMap(node) && node.items.length === 0);

const onlyLeadsTo = (node: unknown, key: string | undefined): boolean =>
  isMap(node) && node.items.length === 1 && String(node.items[0]!.key) === key;

const plainOf = (doc: Document): unknown => doc.toJS({ maxAliasCount: 100 }) ?? {};

function same(one: unknown, other: unknown): boolean {
  const sorted = (_: string, value: unknown) =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareText(a, b)))
      : value;
  return JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
}

/** What the text has to say afterwards. */
function wanted(said: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  const map = isRecord(said) ? said : {};
  const inner = rest.length === 0 ? value : wanted(map[key!], rest, value);
  const gone = inner === undefined || (value === undefined && same(inner, {}));
  const others = Object.entries(map).filter(([name]) => name !== key);
  return Object.fromEntries(gone ? others : [...others, [key!, inner]]);
}

/** By the library, which writes the whole text anew: comments stay, spacing may not. Undefined where the path
 * leads through something that is no map. */
function rewritten({ text, path, value }: Edit): string | undefined {
  const doc = parseDocument(text);
  const through = path.slice(0, -1).map((_, at) => doc.getIn(path.slice(0, at + 1)));
  if (!through.every((node) => node === undefined || node === null || isMap(node))) return;
  if (value !== undefined) doc.setIn(path, value);
  for (let depth = path.length; value === undefined && depth > 0; depth--) {
    const at = path.slice(0, depth);
    if (depth === path.length || isEmpty(doc.getIn(at))) doc.deleteIn(at);
  }
  return doc.toString({ lineWidth: 0, flowCollectionPadding: !/\{\S/.test(text) });
}

/** A map is set key by key where one is there, so that the comments beside its keys stay. */
function keysOf({ text, path, value }: Edit): readonly Omit<Edit, "text">[] {
  if (!isRecord(value)) return [{ path, value }];
  const old = parseDocument(text).getIn(path);
  if (!isMap(old) || old.items.length === 0) return [{ path, value }];
  const gone = old.items.map(({ key }) => String(key)).filter((key) => value[key] === undefined);
  return [
    ...Object.entries(value).map(([key, each]) => ({ path: [...path, key], value: each })),
    ...gone.map((key) => ({ path: [...path, key], value: undefined })),
  ];
}

/** The text with the key set or removed; unchanged where it says so already.
 * @throws Failure `conflict` where values are shared, so that one edit would change several */
export function withYaml(
  text: string,
  path: readonly string[],
  value: YamlValue | undefined,
  name: string,
): string {
  const unix = text.replaceAll("\r\n", "\n");
  const said = plainOf(parseDocument(unix));
  const goal = wanted(said, path, value);
  if (same(said, goal)) return text;
  const says = (edited: string | undefined): edited is string => {
    if (edited === undefined) return false;
    const doc = parseDocument(edited);
    return doc.errors.length === 0 && same(plainOf(doc), goal);
  };
  let edited: string | undefined = unix;
  for (const edit of keysOf({ text: unix, path, value })) {
    edited = edited === undefined ? undefined : spliced({ text: edited, ...edit });
  }
  if (!says(edited)) edited = rewritten({ text: unix, path, value });
  if (says(edited)) return text.includes("\r\n") ? edited.replaceAll("\n", "\r\n") : edited;
  throw new Failure("conflict", `Cannot edit "${path.join(".")}" in "${name}": values are shared`, {
    remedy: `Edit ${name} by hand, or write its values out instead of using * aliases`,
  });
}
