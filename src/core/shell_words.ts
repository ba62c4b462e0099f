/** Splits a command line into words as a POSIX shell does, where no shell is needed for it. */

export type ShellWords =
  | { readonly words: readonly string[] }
  /** Only a shell could read it: why, as the end of a sentence. */
  | { readonly fault: string };

/** Unquoted, they part commands, lead elsewhere, or start a comment, a subshell or an expansion. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ...["|", "&", ";", "<", ">", "(", ")"].map((sign) => [sign, "joins or redirects"] as const),
  ["\n", "parts two commands"],
  ...["*", "?", "["].map((sign) => [sign, "stands for names of files"] as const),
]);

/** `$x`, `${x}`, `$(x)`, `$'x'` and the special parameters; any other `$` is itself (POSIX.1-2024, 2.6), except at the end of a joined line. */
const EXPANSION = /^\$(?:[\w{([@*#?$!'"-]|\\\n)/;

/** Inside double quotes `$"` is the end of the text, and `$'` is no quotation. */
const QUOTED_EXPANSION = /^\$(?:[\w{([@*#?$!-]|\\\n)/;

/** Bash keeps `{}` and `stash@{0}` as the end of a word, with nothing behind but letters and such; most else it expands. */
const PLAIN_BRACES = /^\{\w{0,40}\}(?:(?!\.\.)[\w/:^~@.=%+-]){0,200}(?!\S)/;

/** Backslashes in double quotes escape these alone (POSIX.1-2024, 2.2.3). */
const ESCAPED_IN_QUOTES = '$`"\\';

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/** Keywords, and commands that only change the shell that runs them. */
const SHELL_ONLY = new Set(
  ("if then else elif fi for while until do done case esac in function select { } ! [[ ]] " +
    "cd pushd popd export unset set source . alias eval exec exit return read trap umask ulimit wait")
    .split(" "),
);

interface Reading {
  readonly text: string;
  at: number;
  word: string;
  /** A word has begun; it may be empty, as `""` is. */
  open: boolean;
}

function fail(what: string): { readonly fault: string } {
  return { fault: what };
}

function singleQuoted(reading: Reading): string | undefined {
  const end = reading.text.indexOf("'", reading.at + 1);
  if (end === -1) return "a ' is not closed";
  reading.word += reading.text.slice(reading.at + 1, end);
  reading.at = end + 1;
  return undefined;
}

function doubleQuoted(reading: Reading): string | undefined {
  const { text } = reading;
  for (let at = reading.at + 1; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"') {
      reading.at = at + 1;
      return undefined;
    }
    if (sign === "`") return "` runs a command inside another";
    if (sign === "$" && QUOTED_EXPANSION.test(text.slice(at, at + 3))) {
      return "$ stands for a value";
    }
    const next = text[at + 1];
    if (sign !== "\\" || next === undefined) reading.word += sign;
    else if (next === "\n") at++;
    else if (ESCAPED_IN_QUOTES.includes(next)) {
      reading.word += next;
      at++;
    } else reading.word += sign;
  }
  return 'a " is not closed';
}

/** What stands outside quotes at `at`, if only a shell can read it. */
function operatorAt({ text, at, open, word }: Reading): string | undefined {
  const sign = text[at]!;
  const operator = OPERATORS.get(sign);
  if (operator !== undefined) return `${JSON.stringify(sign)} ${operator}`;
  if (sign === "`") return "` runs a command inside another";
  if (sign === "$" && EXPANSION.test(text.slice(at, at + 3))) return "$ stands for a value";
  if (sign === "#" && !open) return "# starts a comment";
  const tilde = sign === "~" && (!open || (ASSIGNMENT.test(word) && /[=:]$/.test(word)));
  if (tilde) return "~ stands for a folder";
  if (sign === "{" && !PLAIN_BRACES.test(text.slice(at, at + 250))) {
    return "{…} stands for several words";
  }
  return undefined;
}

function fitsWithoutShell(words: readonly string[], bare: readonly boolean[]): ShellWords {
  const [first] = words;
  if (first === undefined) return fail("it is empty");
  if (bare[0] && ASSIGNMENT.test(first)) {
    return fail(
      `${
        JSON.stringify(first.slice(0, 40))
      } sets a variable; as words: ["env", "NAME=value", "program"]`,
    );
  }
  if (bare[0] && SHELL_ONLY.has(first)) {
    return fail(`${JSON.stringify(first)} is a word of the shell, no program`);
  }
  return { words };
}

/** Never throws; linear in the length of the text. */
export function shellWords(line: string): ShellWords {
  const reading: Reading = { text: line.trim(), at: 0, word: "", open: false };
  const words: string[] = [];
  /** Whether a word has no quote and no escape: only such a word can be a keyword or an assignment. */
  const bare: boolean[] = [];
  let plain = true;
  const close = () => {
    if (!reading.open) return;
    words.push(reading.word);
    bare.push(plain);
    Object.assign(reading, { word: "", open: false });
    plain = true;
  };
  while (reading.at < reading.text.length) {
    const sign = reading.text[reading.at]!;
    const next = reading.text[reading.at + 1];
    if (sign === " " || sign === "\t") {
      close();
      reading.at++;
    } else if (sign === "'" || sign === '"') {
      reading.open = true;
      plain = false;
      const fault = sign === "'" ? singleQuoted(reading) : doubleQuoted(reading);
      if (fault !== undefined) return fail(fault);
    } else if (sign === "\\") {
      if (next === undefined) return fail("it ends in a backslash");
      if (next !== "\n") {
        reading.word += next;
        reading.open = true;
        plain = false;
      }
      reading.at += 2;
    } else {
      const fault = operatorAt(reading);
      if (fault !== undefined) return fail(fault);
      reading.word += sign;
      reading.open = true;
      reading.at++;
    }
  }
  close();
  return fitsWithoutShell(words, bare);
}
