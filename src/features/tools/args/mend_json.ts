/** Mends the JSON that models write by hand; loaded when it does not parse, since most of it does. */
import { jsonrepair } from "jsonrepair";

export type MendedJson =
  | { readonly value: unknown }
  /** What is wrong, as a sentence without its end. */
  | { readonly fault: string };

export type MendJson = (text: string, how: {
  /** For calls that change nothing: the end of a text whose quotes are not escaped may be guessed. */
  readonly guess: boolean;
}) => MendedJson;

export type LoadMender = () => Promise<MendJson>;

/** Characters; jsonrepair's time is quadratic in what it mends (16,000 take up to 0.1 s, 900,000 took 4 minutes). */
const MENDED_CHARS = 16_000;

/** Private-use characters around the number of a text that was put aside. */
const OPEN = "\ue000";
const CLOSE = "\ue001";
const PUT_ASIDE = /^\ue000(\d{1,6})\ue001$/;

const QUOTES: ReadonlyMap<string, string> = new Map([
  ...['"', "'", "`"].map((quote) => [quote, quote] as const),
  ["\u201c", "\u201d"],
]);

const CUT =
  "it ends within a text, so the call was cut off: write it again whole, a long text in parts";
const UNSURE =
  'where its texts end is unclear: write \\" for a quotation mark in a text, \\n for a new line';

const TOO_DEEP = "it is nested too deeply";

const FENCE = /^```[\w-]*[ \t]*\n([^]*?)\n?```$/;

/** What templates put behind a call, and servers leave there: `</tool_call>`, `<|im_end|>`. */
const LEFT_BEHIND = /(?:<\/[\w|:-]{1,40}>|<\|[\w-]{1,40}\|>)$/;

function bareText(text: string): string {
  let bare = text.trim();
  for (let at = 0; at < 4 && LEFT_BEHIND.test(bare.slice(-100)); at++) {
    bare = bare.slice(0, bare.lastIndexOf("<")).trimEnd();
  }
  return bare.startsWith("```") ? FENCE.exec(bare)?.[1] ?? bare : bare;
}

interface PutAside {
  /** The JSON with a number for each text, and without comments. */
  readonly frame: string;
  readonly texts: readonly string[];
}

/** The end of a text: the first such quote behind `from` with no backslash before it. */
function endOf(text: string, from: number, quote: string): number | undefined {
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 1)) {
    let slashes = 0;
    while (at - 1 - slashes >= from && text[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at;
  }
  return undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ '"': '"', "'": "'", "\\": "\\", "/": "/" },
  ...{ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" },
};

/** An escape that JSON does not know keeps its backslash: it is one of a pattern, or of a path (`\d`, `C:\Users`). */
function unescaped(inner: string): string {
  return inner.replace(/\\(?:u([0-9a-fA-F]{4})|([^]))/g, (all, code?: string, sign?: string) => {
    if (code !== undefined) return String.fromCharCode(parseInt(code, 16));
    return ESCAPES[sign!] ?? all;
  });
}

/** Undefined where a text has no end. */
function putAside(text: string): PutAside | undefined {
  const next = /["'`\u201c]|\/\/|\/\*/g;
  const texts: string[] = [];
  let frame = "";
  let at = 0;
  for (let found = next.exec(text); found !== null; found = next.exec(text)) {
    frame += text.slice(at, found.index);
    const closing = QUOTES.get(found[0]);
    if (closing === undefined) {
      const mark = found[0] === "//" ? "\n" : "*/";
      const end = text.indexOf(mark, found.index + 2);
      at = end === -1 ? text.length : end + mark.length;
    } else {
      const end = endOf(text, found.index + 1, closing);
      if (end === undefined) return undefined;
      frame += `"${OPEN}${texts.length}${CLOSE}"`;
      texts.push(unescaped(text.slice(found.index + 1, end)));
      at = end + 1;
    }
    next.lastIndex = at;
    if (frame.length > MENDED_CHARS) break;
  }
  return { frame: frame + text.slice(at), texts };
}

/** A list that is still open at the end may have lost items; `...` stands for others. */
function losesItems(frame: string): boolean {
  if (/\.\.\.|\u2026/.test(frame) || /[,:]\s*$/.test(frame)) return true;
  const open: string[] = [];
  for (const sign of frame) {
    if (sign === "{" || sign === "[") open.push(sign);
    else if (sign === "]") open.splice(Math.max(0, open.lastIndexOf("[")));
    else if (sign === "}") open.splice(Math.max(0, open.lastIndexOf("{")));
  }
  return open.includes("[");
}

/** Deeper arguments than any tool takes. */
const DEPTH = 20;

/** Puts the texts back. @throws Error for a text that was not one before */
function restored(value: unknown, { frame, texts }: PutAside): unknown {
  // jsonrepair gives a null to a text that it takes for a key: it may be the rest of the text before it.
  const nothing = /null|none|undefined/i.test(frame);
  const textOf = (shown: string) => {
    const text = texts[Number(PUT_ASIDE.exec(shown)?.[1] ?? NaN)];
    if (text === undefined) throw new Error(UNSURE);
    return text;
  };
  const walk = (inner: unknown, depth: number): unknown => {
    if (depth > DEPTH) throw new Error(TOO_DEEP);
    if (typeof inner === "string") return textOf(inner);
    if (Array.isArray(inner)) return inner.map((item) => walk(item, depth + 1));
    if (inner === null && !nothing) throw new Error(UNSURE);
    if (typeof inner !== "object" || inner === null) return inner;
    return Object.fromEntries(
      Object.entries(inner).map(([key, item]) => [
        // A key without quotes is as clear as one with them.
        key.includes(OPEN) ? textOf(key) : key,
        walk(item, depth + 1),
      ]),
    );
  };
  return walk(value, 0);
}

/** Faults of jsonrepair name a place in the frame, which nobody sees. */
function tried(work: () => unknown): MendedJson {
  try {
    return { value: work() };
  } catch (thrown) {
    const { message } = thrown as Error;
    const known = message === UNSURE || message === TOO_DEEP;
    return { fault: known ? message : "its commas and braces are wrong" };
  }
}

/**
 * Mends commas, braces, quotes, comments, Python's constants, a fence around it, and escapes and new lines in texts. Texts
 * stay letter for letter: jsonrepair mends what is around them, and a text that it would guess counts only with `guess`.
 */
export const mendJson: MendJson = (text, { guess }) => {
  const bare = bareText(text);
  const aside = bare.includes(OPEN) ? undefined : putAside(bare);
  if (aside === undefined) return { fault: CUT };
  const sure = aside.frame.length > MENDED_CHARS
    ? { fault: "it is too long to be mended" }
    : losesItems(aside.frame)
    ? { fault: "it ends too early, or leaves something out" }
    : tried(() => restored(JSON.parse(jsonrepair(aside.frame)), aside));
  if ("value" in sure || !guess || bare.length > MENDED_CHARS) return sure;
  const guessed = tried(() => JSON.parse(jsonrepair(bare)));
  return "value" in guessed ? guessed : sure;
};
