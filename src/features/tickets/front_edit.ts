/** Changes single keys of a YAML map and leaves every other byte of it as it is. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { type Document, parseDocument } from "svc/platform/yaml.ts";
import { isPlain } from "./front_matter.ts";

type FlatValue = string | readonly string[];
type YamlValue = number | FlatValue | Readonly<Record<string, FlatValue>>;

/** By key; undefined removes the key. */
export type FrontEdits = Readonly<Record<string, YamlValue | undefined>>;

interface YamlRange {
  readonly range: readonly [start: number, end: number, after: number];
}
interface YamlMap {
  readonly flow?: boolean;
  readonly items: readonly {
    readonly key: YamlRange & { value: unknown };
    readonly value?: YamlRange;
  }[];
}

interface TextSplice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export function yamlText(text: string): string {
  if (isPlain(text)) return text;
  // JSON is YAML, except for characters that YAML does not print (YAML 1.2.2, 5.1).
  return JSON.stringify(text.toWellFormed()).replaceAll(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const oneLine = (value: string | number) =>
  typeof value === "number" ? String(value) : yamlText(value);

/** The text behind a key's colon, with its leading blank or line end. */
export function yamlValue(
  value: YamlValue,
  { eol, flow = false }: { eol: string; flow?: boolean },
) {
  if (typeof value !== "object") return ` ${oneLine(value)}`;
  if (Array.isArray(value)) {
    const items = (value as readonly string[]).map(yamlText);
    if (flow || items.every((item) => /^[^"\s]+$/.test(item))) return ` [${items.join(", ")}]`;
    return items.map((item) => `${eol}  - ${item}`).join("");
  }
  const pairs = Object.entries(value as Readonly<Record<string, FlatValue>>).map(([key, one]) =>
    `${key}: ${typeof one === "string" ? oneLine(one) : `[${one.map(yamlText).join(", ")}]`}`
  );
  return flow ? ` {${pairs.join(", ")}}` : pairs.map((pair) => `${eol}  ${pair}`).join("");
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

function added(text: string, map: YamlMap, key: string, value: YamlValue, eol: string): TextSplice {
  if (map.flow) {
    const last = map.items.at(-1)!;
    const at = (last.value ?? last.key).range[1];
    return { from: at, to: at, text: `, ${key}:${yamlValue(value, { eol, flow: true })}` };
  }
  const first = map.items[0]!.key.range[0];
  const indent = text.slice(lineStart(text, first), first);
  const lines = `${key}:${yamlValue(value, { eol })}`.replaceAll(eol, `${eol}${indent}`);
  return { from: text.length, to: text.length, text: `${indent}${lines}${eol}` };
}

function changed(
  text: string,
  map: YamlMap,
  pair: YamlMap["items"][number],
  value: YamlValue | undefined,
  eol: string,
): TextSplice {
  const { key, value: node } = pair;
  const colon = text.indexOf(":", key.range[1]) + 1;
  const [start, end, after] = node?.range ?? [colon, colon, colon];
  if (value === undefined && !map.flow) {
    const line = text.indexOf("\n", Math.max(colon, end - 1));
    const to = end > start && text[end - 1] === "\n" ? end : line === -1 ? after : line + 1;
    return { from: lineStart(text, key.range[0]), to, text: "" };
  }
  if (value === undefined) return { from: start, to: end, text: "null" };
  const fresh = yamlValue(value, { eol, flow: map.flow ?? false });
  const multi = text.slice(colon, end).includes("\n");
  // A value on the key's line keeps the blanks before it and the comment behind it.
  if (!multi && end > start && fresh.startsWith(" ")) {
    return { from: start, to: end, text: fresh.slice(1) };
  }
  return { from: colon, to: end, text: `${fresh}${text[end - 1] === "\n" ? eol : ""}` };
}

function parsed(text: string): { map: YamlMap; plain: Record<string, unknown> } | undefined {
  const doc: Document = parseDocument(text, { prettyErrors: false });
  const map = doc.contents as unknown as Partial<YamlMap> | null;
  if (doc.errors.length > 0 || map?.items === undefined) return undefined;
  return { map: map as YamlMap, plain: doc.toJS({ maxAliasCount: 100 }) };
}

/** @throws Failure `conflict` when the YAML is too unusual to be changed in one place */
export function editFront(text: string, edits: FrontEdits, { path, eol }: {
  readonly path: string;
  readonly eol: string;
}): string {
  const wanted: Record<string, unknown> = { ...parsed(text)?.plain };
  let now = text;
  for (const [key, value] of Object.entries(edits)) {
    const { map } = parsed(now) ?? {};
    if (map === undefined) break;
    const pair = map.items.find((item) => item.key.value === key);
    if (pair === undefined && value === undefined) continue;
    const { from, to, text: fresh } = pair === undefined
      ? added(now, map, key, value!, eol)
      : changed(now, map, pair, value, eol);
    now = `${now.slice(0, from)}${fresh}${now.slice(to)}`;
    if (value !== undefined) wanted[key] = value;
    else if (map.flow) wanted[key] = null;
    else delete wanted[key];
  }
  // Anchors, tags and keys of several lines could break: the result is checked.
  if (JSON.stringify(parsed(now)?.plain) === JSON.stringify(wanted)) return now;
  throw new Failure(
    "conflict",
    `Cannot change ${Object.keys(edits).join(", ")} of ${quoted(path)}: its YAML is unusual`,
    { remedy: `Write those keys of ${path} as plain "key: value" lines, without anchors or tags` },
  );
}
