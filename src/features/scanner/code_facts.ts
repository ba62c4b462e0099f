/** Reads TODO comments, environment variables and imports by patterns, which is faster than a parser. */
import type { FileText, NamedLine, Todo } from "./facts.ts";

const TODO =
  /(?:\/\/|\/\*|#|--|;|^\s*\*|<!--)[^"'`\n]{0,40}?\b(TODO|FIXME|XXX|HACK)\b(?:\([^)\n]{0,60}\))?[:\s-]*([^\n]{0,200})/;

const TODO_TAGS = ["TODO", "FIXME", "XXX", "HACK"];

export function todosIn({ text, lines }: FileText): Todo[] {
  // A plain search is several times as fast as a pattern, and most files end here.
  if (!TODO_TAGS.some((tag) => text.includes(tag))) return [];
  if (!/\b(?:TODO|FIXME|XXX|HACK)\b/.test(text)) return [];
  const todos: Todo[] = [];
  for (const [at, line] of lines.entries()) {
    const match = line.length < 2000 ? TODO.exec(line) : null;
    if (match === null) continue;
    const words = match[2]!.replace(/\s*(?:\*\/|-->)\s*$/, "").trim();
    todos.push({ line: at + 1, tag: match[1]!, text: words });
  }
  return todos;
}

const READS: readonly RegExp[] = [
  /\bprocess\.env\.([A-Z][A-Z0-9_]{2,})/g,
  /\bprocess\.env\[\s*["']([A-Z][A-Z0-9_]{2,})["']/g,
  /\bimport\.meta\.env\.([A-Z][A-Z0-9_]{2,})/g,
  /\bDeno\.env\.get\(\s*["']([A-Z][A-Z0-9_]{2,})["']/g,
  /\bos\.environ(?:\.get\(|\[)\s*["']([A-Z][A-Z0-9_]{2,})["']/g,
  /\bos\.getenv\(\s*["']([A-Z][A-Z0-9_]{2,})["']/g,
  /\bos\.(?:Getenv|LookupEnv)\(\s*"([A-Z][A-Z0-9_]{2,})"/g,
  /\benv::var(?:_os)?\(\s*"([A-Z][A-Z0-9_]{2,})"/g,
  /\bENV(?:\.fetch\(|\[)\s*["']([A-Z][A-Z0-9_]{2,})["']/g,
  /\bSystem\.getenv\(\s*"([A-Z][A-Z0-9_]{2,})"/g,
  /\bgetenv\(\s*["']([A-Z][A-Z0-9_]{2,})["']/g,
  /\bEnvironment\.GetEnvironmentVariable\(\s*"([A-Z][A-Z0-9_]{2,})"/g,
];

/** Some part of each of `READS`. */
const MAY_READ =
  /process\.env|import\.meta\.env|Deno\.env|os\.environ|getenv|Getenv|LookupEnv|env::var|ENV[.[]|GetEnvironmentVariable/;

export function environmentNames({ text }: FileText): NamedLine[] {
  if (!/env/i.test(text) || !MAY_READ.test(text)) return [];
  const first = new Map<string, number>();
  for (const read of READS) {
    for (const { 1: name, index } of text.matchAll(read)) {
      if (isQuoted(text, index)) continue;
      first.set(name!, Math.min(index, first.get(name!) ?? Infinity));
    }
  }
  return [...first].sort(([, a], [, b]) => a - b)
    .map(([name, index]) => [name, lineAt(text, index)]);
}

const LINE_REACH = 2000;

/** Whether `index` is inside a string that starts on its line; a template's `${…}` is code again. */
function isQuoted(text: string, index: number): boolean {
  const near = text.slice(Math.max(0, index - LINE_REACH), index).lastIndexOf("\n");
  if (near === -1 && index > LINE_REACH) return true; // such a line is data
  let open = "";
  for (let at = Math.max(0, index - LINE_REACH) + near + 1; at < index; at++) {
    const char = text[at]!;
    if (char === "\\") at++;
    else if (open === "`" && text.startsWith("${", at)) open = "";
    else if (open === "" ? /["'`]/.test(char) : char === open) open = open === "" ? char : "";
  }
  return open !== "";
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) {
    line++;
  }
  return line;
}

const SPEAKS =
  /\.(?:md|markdown|mdx|rst|adoc|txt|ya?ml|toml|json|ini|cfg|conf|env|sh|service|tf|nix)$|^\.env|^(?:Dockerfile|Makefile|justfile|Procfile|\.envrc)|\.env\./i;
const SPOKEN_NAMES = 3000;

export function spokenNames(name: string, text: string): string[] | undefined {
  if (!SPEAKS.test(name)) return undefined;
  const names = new Set(
    Array.from(text.matchAll(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]*\b|\b[A-Z]{4,}\b/g), ([n]) => n),
  );
  return [...names].slice(0, SPOKEN_NAMES);
}

const IMPORTS =
  /\b(?:from|import|require|use|mod|include|require_relative)\b[ \t]{0,8}\(?[ \t]{0,8}["'<]?([\w@./:\\-]+)/g;

/** The last parts of all module names that a test mentions: without extension, in lower case. */
export function importedNames(text: string): string[] {
  const names = new Set<string>();
  for (const { 1: specifier } of text.matchAll(IMPORTS)) {
    for (
      const part of specifier!.replace(/\.(?:[cm]?[jt]sx?|py|rb|h|hpp)$/, "").split(/[/.:\\]+/)
    ) {
      if (part !== "") names.add(part.toLowerCase());
    }
  }
  // Python also names modules after "import": from package import module, other.
  for (const { 1: list } of text.matchAll(/^[ \t]*from[ \t]+\S+[ \t]+import[ \t]+([\w, ()]+)/gm)) {
    for (const name of list!.split(/[\s,()]+/)) if (name !== "") names.add(name.toLowerCase());
  }
  return [...names].slice(0, 500);
}

const MARKS_OF_TESTS = ["#[cfg(test)]", ">>> ", "import.meta.vitest", "unittest"];

export function inlineTests(text: string): boolean {
  if (!MARKS_OF_TESTS.some((mark) => text.includes(mark))) return false;
  return /#\[cfg\(test\)\]|\bimport\.meta\.vitest\b|^[ \t]*>>> |^unittest\b/m.test(text);
}
