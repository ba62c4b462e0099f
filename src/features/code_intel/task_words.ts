/** Extracts from a task the paths, code names and telling words that it mentions. */
import { withoutEnding } from "svc/core/text_ends.ts";
import {
  CODE_HINT_NAMES,
  CODE_HINT_PATHS,
  CODE_HINT_TERMS,
  CODE_HINT_WORDS,
} from "svc/core/bounds.ts";

export interface TaskWords {
  readonly paths: readonly string[];
  /** Names spelled like code: `addTax`, `add_tax`, `add()`, `Cart.total`, or in backticks. */
  readonly names: readonly string[];
  /** In lower case; frequent words first, then longer ones, which are rarer. */
  readonly words: readonly string[];
}

/** A part of a path after a slash; routes are written `[id].tsx`, `[[...slug]]`, `(auth)/` and `+page.ts`. */
const SIGN = "[\\p{L}\\p{N}_@.+$~-]";
const PART = `(?:\\([\\w.-]{1,60}\\)(?=/)|\\[{1,2}[\\w.-]{1,60}\\]{1,2}${SIGN}*|${SIGN}+)`;
const PATH = new RegExp(
  `(?<![\\p{L}\\p{N}_@./-])(?:[\\p{L}\\p{N}_@.-]*(?:/${PART})+|[\\p{L}\\p{N}_-]+\\.[a-z]\\w{0,9}\\b(?!\\())`,
  "giu",
);
const IDENTIFIER = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
const OWNED = /(?<![\w$])[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)+/g;
const CALLED = /(?<![\w$])[A-Za-z_$][\w$]*(?=\()/g;
const QUOTED = /(?<!`)`{1,3}([^`\n]+)`/g;
const HUMP = /\p{Ll}\p{Lu}|\p{L}_\p{L}|\p{Lu}\p{Lu}\p{Ll}/u;

const USUAL = new Set(
  ("about above after again against also always another because been before being below between " +
    "both call cannot change changed changes check checks code correct could does doing done down " +
    "each else ensure even every existing expected fail failing fails file files first fixed from " +
    "function gives given have having here into issue it's just keep known less like line lines " +
    "make makes many more most must need needs never none only other over pass passes possible " +
    "project rather return returns same should show shows since some such sure than that their " +
    "them then there these they thing this those through ticket under until update upon used " +
    "user using value very want what when where whether which while will with without work works " +
    "would wrong your")
    .split(" "),
);

const LETTERS = 4;

/** Words of three letters that every text has; `taskWords` takes none of three. */
const SHORT = new Set(
  ("all and any are but can did etc for get had has her him his how its let may new nor not now " +
    "off one our out own per set she the too two use via was way who why yet you")
    .split(" "),
);

/** The words in a code name, in lower case: `parseHTTPHead_2` → parse, http, head, 2. */
export function partsOf(name: string): readonly string[] {
  return (name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}]+|[^\P{L}\p{Lu}\p{Ll}]+/gu) ?? [])
    .map((part) => part.toLowerCase());
}

export const singular = (word: string) =>
  word.length > LETTERS && /[^su]s$/.test(word) ? word.slice(0, -1) : word;

const each = (texts: Iterable<string>, most: number) => [...new Set(texts)].slice(0, most);

function namesIn(text: string): string[] {
  const quoted = [...text.matchAll(QUOTED)].flatMap(([, inner = ""]) =>
    inner.match(IDENTIFIER) ?? []
  );
  const owned = (text.match(OWNED) ?? []).flatMap((name) => name.split(/[.#]|::/));
  const spelled = (text.match(IDENTIFIER) ?? []).filter((word) => HUMP.test(word));
  return [...quoted, ...owned, ...(text.match(CALLED) ?? []), ...spelled]
    .filter((name) => name.length > 2 && !USUAL.has(name.toLowerCase()));
}

const ENDING = /(?:ing|ed|es|s)$/;

/** Without its ending, so that a search finds its other forms too: "rounding" → "round". */
function stemmed(word: string): string {
  const stem = word.replace(ENDING, "");
  return stem.length >= LETTERS ? stem : word;
}

/**
 * What to count in files: names, their parts, and words, in lower case, of letters, digits and `_`.
 * More than `taskWords` gives, since all are counted in one pass, and rare ones weigh more.
 */
export function searchTerms(text: string): readonly string[] {
  const words = (text.match(IDENTIFIER) ?? []).flatMap((word) => {
    const whole = word.toLowerCase().replaceAll("$", "");
    return HUMP.test(word) ? [whole, ...partsOf(word)] : [whole];
  });
  const telling = words.filter((word) => word.length > 2 && !USUAL.has(word) && !SHORT.has(word));
  return each(telling.map(stemmed), CODE_HINT_TERMS);
}

/** `Cart.total` and `cart.addTax` name members rather than files, whose extensions are short and in one case. */
const isMember = (path: string) => /^[^/]+\.(?:\w{5,}|[a-z]+[A-Z]\w*)$/.test(path);

export function taskWords(text: string): TaskWords {
  const paths = each(
    (text.match(PATH) ?? []).map((path) => withoutEnding(path.replace(/^\.?\//, ""), ".-")),
    CODE_HINT_PATHS,
  );
  const rest = paths.filter((path) => !isMember(path))
    .reduce((left, path) => left.replaceAll(path, " "), text);
  const names = each(namesIn(rest), CODE_HINT_NAMES);
  const known = new Set(names);
  const plain = (rest.match(IDENTIFIER) ?? []).filter((word) => !known.has(word))
    .map((word) => singular(word.toLowerCase()))
    .filter((word) => word.length >= LETTERS && !USUAL.has(word));
  const words = [...Map.groupBy(plain, (word) => word)]
    .sort(([a, as], [b, bs]) => bs.length - as.length || b.length - a.length || (a < b ? -1 : 1))
    .map(([word]) => word);
  return { paths, names, words: words.slice(0, CODE_HINT_WORDS) };
}
