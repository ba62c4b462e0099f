/** Finds the front matter of a file, and reads the plain kind of YAML it mostly is, quickly. */

/** Byte offsets; the YAML is `bytes[start, end)` with its last line end. */
export interface FrontMatter {
  readonly start: number;
  readonly end: number;
  readonly body: number;
  readonly eol: "\n" | "\r\n";
}

const LF = 10;
const CR = 13;
const MARK = [45, 45, 45]; // ---

function isMark(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from < 3 || MARK.some((byte, at) => bytes[from + at] !== byte)) return false;
  for (let at = from + 3; at < to; at++) {
    if (bytes[at] !== 32 && bytes[at] !== 9 && !(bytes[at] === CR && at === to - 1)) return false;
  }
  return true;
}

/** @returns "none" when the first line opens no front matter, "open" when no line ends it */
export function findFront(bytes: Uint8Array): FrontMatter | "none" | "open" {
  const first = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let end = bytes.indexOf(LF, first);
  if (!isMark(bytes, first, end === -1 ? bytes.length : end)) return "none";
  if (end === -1) return "open";
  const eol = bytes[end - 1] === CR ? "\r\n" : "\n";
  const start = end + 1;
  for (let line = start; line < bytes.length; line = end + 1) {
    end = bytes.indexOf(LF, line);
    const stop = end === -1 ? bytes.length : end;
    if (isMark(bytes, line, stop)) {
      return { start, end: line, body: end === -1 ? stop : end + 1, eol };
    }
    if (end === -1) break;
  }
  return "open";
}

/** Words of YAML's core schema that are no strings (YAML 1.2.2, 10.3.2). */
const RESERVED = /^(?:null|true|false)$/i;
/** A string in any YAML, inside brackets too. */
const PLAIN = /^[A-Za-z](?:[A-Za-z0-9 _.\/@+()-]*[A-Za-z0-9_.\/@+()-])?$/;
/** A plain value: no colon before a blank or the end, and no comment. */
const LINE = /^[A-Za-z](?:[^:#]|:(?=[^\s])|(?<=[^\s])#)*$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const DOUBLE = /^"(?:[^"\\]|\\["\\nt])*"$/;
const SINGLE = /^'(?:[^']|'')*'$/;
const ODD = /[^\n\x20-\x7e\xa1-\u200a\u2010-\u2027\u2030-\ufdff\ufe10-\ufefe\uff00-\uffef]/;

export function isPlain(text: string): boolean {
  return (PLAIN.test(text) && !RESERVED.test(text)) || TIMESTAMP.test(text);
}

const UNSURE = Symbol("not the plain kind");
type QuickValue = string | number | null | readonly string[] | typeof UNSURE;

function scalar(text: string): QuickValue {
  if (/^(?:0|[1-9]\d{0,8})$/.test(text)) return Number(text);
  if (TIMESTAMP.test(text)) return text;
  if (DOUBLE.test(text)) return JSON.parse(text) as string;
  if (SINGLE.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  return LINE.test(text) && !RESERVED.test(text) && !text.endsWith(" ") ? text : UNSURE;
}

function value(text: string): QuickValue {
  if (!text.startsWith("[")) return scalar(text);
  if (!text.endsWith("]")) return UNSURE;
  const inner = text.slice(1, -1).trim();
  const items = inner === "" ? [] : inner.split(",").map((item) => item.trim());
  return items.every(isPlain) ? items : UNSURE;
}

const KEY = /^([a-z][a-z_]*):(?: +([^ ].*|))?$/;
const ITEM = /^( *)- +([^ ].*|)$/;
const INNER = /^ {2}([a-z][a-z_]*): +([^ ].*|)$/;

/** Reads the lines below a key without a value: a list of scalars, or a map indented by two blanks. */
function block(lines: readonly string[]): unknown {
  const found = lines.map((line) => ITEM.exec(line));
  if (found.every((item) => item !== null)) {
    const items = found.map((item) => scalar(item![2]!));
    const even = found.every((item) => item![1] === found[0]![1]);
    return even && !items.includes(UNSURE) ? items : UNSURE;
  }
  const map: Record<string, unknown> = {};
  for (const line of lines) {
    const [, key = "", text = ""] = INNER.exec(line) ?? [];
    const read = scalar(text);
    if (key === "" || key in map || read === UNSURE) return UNSURE;
    map[key] = read;
  }
  return map;
}

/** Reads maps of scalars, lists and maps some forty times as fast as YAML; undefined for other texts. */
export function quickYaml(text: string): Record<string, unknown> | undefined {
  const even = text.replaceAll("\r\n", "\n");
  if (ODD.test(even)) return undefined;
  const lines = even.split("\n");
  const map: Record<string, unknown> = {};
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line === "" || line.startsWith("#")) continue;
    const [, key, rest = ""] = KEY.exec(line) ?? [];
    if (key === undefined || key in map) return undefined;
    let below = at + 1;
    while (/^(?: |- )/.test(lines[below] ?? "")) below++;
    const under = lines.slice(at + 1, below);
    const read = under.length === 0
      ? rest === "" ? null : value(rest)
      : rest === ""
      ? block(under)
      : UNSURE;
    if (read === UNSURE) return undefined;
    map[key] = read;
    at = below - 1;
  }
  return map;
}
