/** Words the commits that svc makes itself, so that they pass commitlint with config-conventional (21.2.4). */
import { oneLine } from "./plain_text.ts";
import { withoutEnding } from "./text_ends.ts";

/** header-max-length, body-max-line-length, footer-max-line-length; UTF-16 units, as commitlint counts. */
const LINE_CHARS = 100;
const INDENT = "  ";
const WRAP_CHARS = LINE_CHARS - INDENT.length;

/** Subjects that begin otherwise have no case to commitlint (@commitlint/rules, subject-case). */
const CASED = /^[\p{Ll}\p{Lu}\p{Lt}]/iu;
/** The rest of a word whose case means something, such as `API`, `OAuth2` or `T-0025`. */
const NAMING = /[\p{Lu}\p{N}#+_]/u;

/** Whole code points. */
function firstChars(text: string, chars: number): string {
  return text.slice(0, /[\ud800-\udbff]/.test(text[chars - 1] ?? "") ? chars - 1 : chars);
}

/** A small letter first; a name keeps its case between backticks, as subject-case looks at letters alone. */
function begun(text: string): string {
  if (!CASED.test(text)) return text;
  const first = /^[^\s,:;!?]+/.exec(text)![0];
  const rest = text.slice(first.length);
  const initial = String.fromCodePoint(text.codePointAt(0)!);
  const others = first.slice(initial.length);
  const word = NAMING.test(others) ? first : `${initial.toLowerCase()}${others}`;
  // Letters without a small form, and those beyond U+FFFF, are no small letters to commitlint.
  const small = word[0] !== word[0]!.toUpperCase();
  return small ? `${word}${rest}` : `\`${word.replaceAll("`", "")}\`${rest}`;
}

/**
 * One line of at most 100 characters without a full stop.
 * @param type such as "feat" or "chore(tickets)"
 * @param what any text; redact it first, since it may be cut
 */
export function commitSubject(type: string, what: string): string {
  // After a scope, commitlint would take `): ` for the end of the scope.
  const words = type.endsWith(")") ? what.replaceAll(/\)!?:(?=\s|$)/g, ")") : what;
  const text = begun(withoutEnding(oneLine(words), ".。 ")) || "changes";
  const subject = `${type}: ${text}`;
  if (subject.length <= LINE_CHARS) return subject;
  return `${firstChars(subject, LINE_CHARS - 1).trimEnd()}…`;
}

/** Such a line, and those after it, would be read as trailers (conventional-commits-parser, footerToken). */
const TRAILER_LIKE = /^[\w-]+(?::\s|\s+#)/;

/** After a space where there is one, within a word otherwise; a URL stays whole, as commitlint lets it be. */
function breakAt(line: string): number {
  const space = line.lastIndexOf(" ", WRAP_CHARS - 1);
  if (space > 0 && line.slice(0, space).trim() !== "") return space + 1;
  const url = /^\s*\S*https?:\/\/\S+\s*/.exec(line)?.[0];
  return url?.length ?? firstChars(line, WRAP_CHARS).length;
}

function bodyLines(line: string): string[] {
  const lines: string[] = [];
  let rest = TRAILER_LIKE.test(line) ? ` ${line}` : line;
  while (rest.length > WRAP_CHARS) {
    const at = breakAt(rest);
    lines.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  if (rest !== "" || lines.length === 0) lines.push(rest);
  return lines.map((part, nth) => nth === 0 ? part : `${INDENT}${part}`);
}

/**
 * Lines of at most 100 characters; each goes on in lines that two spaces indent. No line looks like a trailer.
 * @param text redacted: a secret may come to lie in two lines
 */
export function commitBody(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").split("\n").flatMap(bodyLines).join("\n");
}

/** Undoes `commitBody` where no line began with two spaces. */
export const wholeLines = (body: string) => body.replaceAll(`\n${INDENT}`, "");
