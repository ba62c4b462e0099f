/** Finds the checks that a text asks for by name: these must pass, whatever they did before. Pure. */

interface NamedCheck {
  readonly name: string;
  readonly run: readonly string[];
}

const GREEN = "(?:pass(?:es|ed)?|succeeds?|(?:is|are|be|runs?|stays?|turns?|goes) (?:green|clean))";

const quotedForm = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** One line, without the marks of lists and check boxes, spaces made one. */
function plain(line: string): string {
  const words = line.split(/\s+/).filter((word) => word !== "").join(" ");
  return words.replace(/^(?:[-*+]|\d{1,3}[.)]) /, "").replace(/^\[[ xX]\] /, "");
}

/** Commands that are words of any sentence. */
const PLAIN_WORD = /^(?:build|check|just|make|please|rake|run|task|test)$/;

/**
 * A line names a check by its whole command (`npm test`); by its name in quotation marks or backticks; by its
 * name beside the word "check"; or where it begins with the name and says that it passes ("lint is green").
 * The name alone is often a plain word, as in "a test for empty names passes"; so are
 * some commands, which count as the name does: "make the parser faster".
 */
function patternOf({ name, run }: NamedCheck): RegExp {
  const line = run.join(" ").split(/\s+/).join(" ");
  const command = quotedForm(line);
  const plainWord = PLAIN_WORD.test(line);
  const word = plainWord ? `(?:${quotedForm(name)}|${command})` : quotedForm(name);
  return new RegExp(
    [
      ...(plainWord ? [] : [`(?<![\\w./-])${command}(?![\\w/-]|[.:]\\w)`]),
      `(["'\`])${word}\\1`,
      `\\bchecks?:? ${word}(?![\\w-])`,
      `(?<![\\w-])${word} checks?\\b`,
      `^(?:the )?${word} (?:(?:must|should|now|again|all) )*${GREEN}\\b`,
    ].join("|"),
    "i",
  );
}

/** @param lines what must hold, one thing a line */
export function namedIn(lines: readonly string[], check: NamedCheck): boolean {
  const pattern = patternOf(check);
  return lines.some((line) => pattern.test(plain(line)));
}
