/** YAML with exact errors, by the library's browser build: the other reads the environment and is CommonJS. */
// @ts-types="npm:yaml@2.9.1"
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument as parsedBy,
  stringify,
  YAMLParseError,
} from "yaml-browser";
import { Failure } from "svc/core/failure.ts";
import { didYouMean } from "svc/core/nearest.ts";

export { type Document, isMap, isScalar, stringify };

/** The library looks for each among all anchors, so a file with many of both would take minutes. */
const ALIASES = 1_000;

interface YamlNode {
  readonly range?: readonly [number, number, number] | null | undefined;
}

interface YamlFault {
  readonly at: number;
  readonly code: "BAD_ALIAS" | "DUPLICATE_KEY";
  readonly message: string;
}

/** The first in the text; in time linear in it. The library compares each key with all before it, so that 200 KB of
 * keys take 20 s. */
function faultOf(doc: Document): YamlFault | undefined {
  let first: YamlFault | undefined;
  const found = ({ range }: YamlNode, code: YamlFault["code"], message: string) => {
    const at = range?.[0] ?? 0;
    if (first === undefined || at < first.at) first = { at, code, message };
  };
  const nodes: unknown[] = [doc.contents];
  let aliases = 0;
  // The walk meets what is added to it meanwhile.
  for (const node of nodes) {
    if (isAlias(node) && ++aliases > ALIASES) {
      found({}, "BAD_ALIAS", `There are more than ${ALIASES} aliases`);
    }
    if (isSeq(node)) { for (const item of node.items) nodes.push(item); }
    if (!isMap(node)) continue;
    const keys = new Set<unknown>();
    for (const { key, value } of node.items) {
      nodes.push(key, value);
      if (!isScalar(key)) continue;
      if (keys.has(key.value)) found(key, "DUPLICATE_KEY", "Map keys must be unique");
      keys.add(key.value);
    }
  }
  return first;
}

/** As the library's, whatever the size of what others wrote. Of too many aliases nothing is left but the error. */
export function parseDocument(
  text: string,
  options: Parameters<typeof parsedBy>[1] = {},
): ReturnType<typeof parsedBy> {
  const doc = parsedBy(text, { ...options, uniqueKeys: false });
  const fault = faultOf(doc as Document);
  if (fault === undefined) return doc;
  const { at, code, message } = fault;
  if (code === "BAD_ALIAS") doc.contents = null;
  doc.errors.push(new YAMLParseError([at, at + 1], code, message));
  doc.errors.sort((one, other) => one.pos[0] - other.pos[0]);
  return doc;
}

interface YamlSchema<T> {
  safeParse(value: unknown): { success: true; data: T } | {
    success: false;
    error: { issues: readonly YamlIssue[] };
  };
}
interface YamlIssue {
  readonly code: string;
  readonly message: string;
  readonly path: readonly PropertyKey[];
  readonly keys?: readonly string[];
  /** What is wrong with a key of a record. */
  readonly issues?: readonly { readonly message: string }[];
}

interface YamlSource {
  readonly text: string;
  readonly path: string;
  /** For "did you mean"; a key path is joined by dots. */
  readonly allowed?: (keyPath: string) => readonly string[];
}

function locate(doc: Document, lines: LineCounter, keys: readonly PropertyKey[]): string {
  for (let count = keys.length; count >= 0; count--) {
    const path = keys.slice(0, count);
    const parent = count === 0 ? undefined : doc.getIn(path.slice(0, -1), true);
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => String(key) === String(path.at(-1)))
      : undefined;
    const node = pair?.key ?? (count === 0 ? doc.contents : doc.getIn(path, true));
    const range = (node as { range?: readonly number[] } | undefined)?.range;
    if (range?.[0] !== undefined) {
      const { line, col } = lines.linePos(range[0]);
      return `line ${line}, column ${col}`;
    }
  }
  return "line 1, column 1";
}

function ownWords(keyPath: string, message: string): string {
  if (/received undefined$/.test(message)) return `"${keyPath}" is missing`;
  const why = message.replace(/^Invalid input: /, "");
  return keyPath === "" ? why : `"${keyPath}": ${why}`;
}

function issueFailure(
  source: YamlSource,
  doc: Document,
  lines: LineCounter,
  issue: YamlIssue,
): Failure {
  const strange = issue.code === "unrecognized_keys" ? issue.keys?.[0] : undefined;
  const keys = strange === undefined ? issue.path : [...issue.path, strange];
  const where = locate(doc, lines, keys);
  const keyPath = keys.map(String).join(".");
  const known = source.allowed?.(issue.path.map(String).join(".")) ?? [];
  const why = strange === undefined
    ? ownWords(keyPath, issue.issues?.[0]?.message ?? issue.message)
    : `unknown key "${keyPath}". ${didYouMean(strange, known)}`.trimEnd();
  const allowed = known.length > 0 && strange !== undefined
    ? ` Allowed keys: ${known.join(", ")}.`
    : "";
  return new Failure("environment", `Cannot read "${source.path}" (${where}): ${why}`, {
    remedy: `Edit ${source.path} at ${where}.${allowed}`,
  });
}

function plain(source: YamlSource, doc: Document): unknown {
  try {
    return doc.toJS({ maxAliasCount: 100 });
  } catch (thrown) {
    // The library throws a ReferenceError when aliases multiply beyond the bound.
    throw new Failure("environment", `Cannot read "${source.path}": its aliases do not resolve`, {
      cause: thrown,
      remedy: `Edit ${source.path}: write the values out instead of using * aliases`,
    });
  }
}

/** @throws Failure `environment` naming file, line, column, key path and what is allowed */
export function readYaml<T>(source: YamlSource, schema: YamlSchema<T>): T {
  const lines = new LineCounter();
  const doc = parseDocument(source.text, { lineCounter: lines, prettyErrors: false });
  const broken = doc.errors[0];
  if (broken !== undefined) {
    const { line, col } = lines.linePos(broken.pos[0]);
    const where = `line ${line}, column ${col}`;
    const deep = /call stack/i.test(broken.message);
    const why = deep ? "it is nested too deeply" : broken.message;
    throw new Failure("environment", `Cannot read "${source.path}" (${where}): ${why}`, {
      cause: broken,
      remedy: `Edit ${source.path} at ${where}: it must be valid YAML`,
    });
  }
  const read = schema.safeParse(plain(source, doc) ?? {});
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw issueFailure(source, doc, lines, issue!);
}
