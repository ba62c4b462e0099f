/** Finds where functions begin and end by braces or indentation, roughly and without a parser. */
import type { FileText } from "./facts.ts";

const LONGEST_LINE = 1000;

interface FunctionSpan {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

const HEADS: readonly RegExp[] = [
  /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*([\w$]+)/,
  /^\s*(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>)/,
  /^\s*func\s+(?:\([^)]*\)\s*)?(\w+)/,
  /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:const\s+|async\s+|unsafe\s+)*fn\s+(\w+)/,
  /^\s*(?:(?:public|private|protected|internal|static|final|override|async|virtual|suspend|function|fun)\s+)+(?:[\w<>\[\],.?]+\s+)?(\w+)\s*\(/,
  /^\s+(?:async\s+|get\s+|set\s+|#)?(\w+)\([^;=]*\)\s*(?::\s*[^;=]{1,80})?\{\s*$/,
];

/** Blanks out strings, comments and regular expressions, whose braces do not count. */
function codeOnly(text: string): string {
  return text.replace(
    /\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*|(?<=[=(,:\[!&|?{};]\s{0,20}|\breturn\s{1,20})\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\/\\\n\[])+\/[a-z]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`/g,
    (part) => part.replace(/[^\n]+/g, " "),
  );
}

function headName(line: string): string | undefined {
  if (line.length > 500) return undefined;
  for (const head of HEADS) {
    const name = head.exec(line)?.[1];
    if (name !== undefined && !/^(?:if|for|while|switch|catch|return|new|else)$/.test(name)) {
      return name;
    }
  }
  return undefined;
}

interface BraceBlock {
  /** Indexes of lines, from 0. */
  readonly from: number;
  readonly to: number;
}

function blocks(code: string, atLeast: number): BraceBlock[] {
  const found: BraceBlock[] = [];
  const open: number[] = [];
  let line = 0;
  for (const { 0: sign } of code.matchAll(/[{}\n]/g)) {
    if (sign === "\n") line++;
    else if (sign === "{") open.push(line);
    else {
      const from = open.pop();
      if (from !== undefined && line - from + 1 >= atLeast) found.push({ from, to: line });
    }
  }
  return found;
}

const PARAMETER_LINES = 30;

const depthOf = (line: string) => line.length - line.trimStart().length;

/** Name and line of the function whose body opens on line `from`; undefined for any other block. */
function headOf(lines: readonly string[], from: number): [name: string, at: number] | undefined {
  const line = lines[from]!;
  let at = from;
  if (line.trim() === "{") at = from - 1;
  else if (/^\s*[)}\]]/.test(line)) {
    // The parameters are on lines of their own, indented deeper than the function.
    const last = Math.max(0, from - PARAMETER_LINES);
    for (at = from - 1; at > last && depthOf(lines[at]!) > depthOf(line); at--);
  }
  const name = headName(lines[at] ?? "");
  return name === undefined ? undefined : [name, at];
}

function* braced(text: string, atLeast: number): Generator<FunctionSpan> {
  const code = codeOnly(text);
  const long = blocks(code, atLeast);
  if (long.length === 0) return;
  const lines = code.split("\n");
  for (const { from, to } of long) {
    const [name, at] = headOf(lines, from) ?? [];
    if (name !== undefined) yield { name, line: at! + 1, lines: to + 1 - at! };
  }
}

function* indented(lines: readonly string[]): Generator<FunctionSpan> {
  const open: { name: string; line: number; depth: number }[] = [];
  let last = 0;
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const depth = line.length - line.trimStart().length;
    while (open.length > 0 && depth <= open.at(-1)!.depth && !/^\s*[)\]}#]/.test(line)) {
      const { name, line: from } = open.pop()!;
      yield { name, line: from, lines: last + 1 - from };
    }
    last = at + 1;
    const name = /^\s*(?:async\s+)?def\s+(\w+)/.exec(line)?.[1];
    if (name !== undefined) open.push({ name, line: at + 1, depth });
  }
  for (const { name, line } of open) yield { name, line, lines: last + 1 - line };
}

/** Their blocks have other marks, or their strings hold braces as they like. */
const UNPAIRED = ["ruby", "shell", "perl"] as const;

/** All functions of at least `atLeast` lines; shorter ones may be among them. */
export function functionsIn(
  { place, text, lines }: FileText,
  atLeast: number,
): FunctionSpan[] {
  if (place.language === "python") return [...indented(lines)];
  if (UNPAIRED.some((language) => place.language === language)) return [];
  // The string pattern takes quadratic time on a line, and only programs write lines this long.
  if (lines.some(({ length }) => length > LONGEST_LINE)) return [];
  return [...braced(text, atLeast)];
}
