/** Reads values as Python, JavaScript, JSON and Gemma write them: quotes of any kind, bare keys, `True`, `None`. */

const NOTHING = Symbol("no literal");

/** Deeper values are no call's arguments. */
const DEPTH = 40;

const QUOTES = ['<|"|>', '"""', "'''", '"', "'", "“"] as const;
const PREFIXED = /[rRfFbBuU]{1,2}(?=["'])/y;
const SPACE = /\s*/y;
const NUMBER = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?=\s*[,)\]}]|\s*$)/y;
const WORD = /(?:True|False|None|true|false|null|undefined)\b/y;
const WORDS: Readonly<Record<string, unknown>> = {
  True: true,
  true: true,
  False: false,
  false: false,
};
const KEY = /([A-Za-z_][\w.-]*)\s*[:=](?!=)\s*/y;
/** Text without quotes, which ends where the value must. */
const BARE = /[^\s,()[\]{}"'`“][^,()[\]{}"'`“\n]*(?=[,)\]}]|$)/y;
/** The words of a signature such as `finish(evidence: string)`, which is no call. */
const TYPE_NAME =
  /^(?:str(?:ing)?|int(?:eger)?|number|float|bool(?:ean)?|list|array|dict|object|any|\.+|…)\??$/;
/** What stands behind the quote that ends a text; any other quote is part of it. */
const ENDED = /\s*(?:[,)\]}:=]|$)/y;

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  "/": "/",
  "\\": "\\",
  '"': '"',
  "'": "'",
  "\n": "",
};

export interface Entries {
  readonly named: Readonly<Record<string, unknown>>;
  readonly unnamed: readonly unknown[];
  readonly end: number;
}

class LiteralReader {
  #depth = 0;
  constructor(readonly text: string, public at: number) {}

  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }

  take(mark: string): boolean {
    if (!this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    return true;
  }

  value(bare: boolean): unknown {
    this.match(PREFIXED);
    const quote = QUOTES.find((mark) => this.take(mark));
    if (quote !== undefined) return this.#string(quote === "“" ? "”" : quote);
    if (this.take("[")) return this.#nested(() => this.#list());
    if (this.take("{")) return this.#nested(() => this.entries("}")?.named ?? NOTHING);
    const number = this.match(NUMBER);
    if (number !== null) return Number(number[0]);
    const word = this.match(WORD);
    if (word !== null) return WORDS[word[0]] ?? null;
    const text = bare ? this.match(BARE)?.[0].trim() : undefined;
    return text === undefined || TYPE_NAME.test(text) ? NOTHING : text;
  }

  #nested(read: () => unknown): unknown {
    if (this.#depth === DEPTH) return NOTHING;
    this.#depth++;
    const value = read();
    this.#depth--;
    return value;
  }

  #list(): unknown {
    const items: unknown[] = [];
    for (;;) {
      this.match(SPACE);
      if (this.take("]")) return items;
      const item = this.value(false);
      if (item === NOTHING) return NOTHING;
      items.push(item);
      this.match(SPACE);
      if (!this.take(",") && !this.text.startsWith("]", this.at)) return NOTHING;
    }
  }

  /** Reads to the closing bracket: `key: value`, `key=value`, and values without a name. */
  entries(closing: ")" | "}"): Entries | undefined {
    // Without a prototype, since the key "__proto__" would set one.
    const named: Record<string, unknown> = Object.create(null);
    const unnamed: unknown[] = [];
    for (;;) {
      this.match(SPACE);
      if (this.take(closing)) return { named, unnamed, end: this.at };
      const key = this.#key();
      const value = this.value(key !== undefined);
      if (value === NOTHING) return undefined;
      if (key === undefined) unnamed.push(value);
      else named[key] = value;
      this.match(SPACE);
      if (!this.take(",") && !this.text.startsWith(closing, this.at)) return undefined;
    }
  }

  #key(): string | undefined {
    const bare = this.match(KEY)?.[1];
    if (bare !== undefined) return bare;
    const start = this.at;
    const quote = QUOTES.find((mark) => this.take(mark));
    const key = quote === undefined ? NOTHING : this.#string(quote === "“" ? "”" : quote);
    if (typeof key === "string" && this.match(/\s*:\s*/y) !== null) return key;
    this.at = start;
    return undefined;
  }

  #string(closing: string): unknown {
    const raw = closing.startsWith("<");
    let said = "";
    for (let from = this.at;;) {
      const char = this.text[this.at];
      if (char === undefined) return NOTHING;
      if (char === "\\" && !raw) {
        said += this.text.slice(from, this.at) + this.#escape();
        from = this.at;
      } else if (this.text.startsWith(closing, this.at)) {
        const end = this.at;
        this.at += closing.length;
        const after = this.at;
        if (raw || this.match(ENDED) !== null) {
          this.at = after;
          return said + this.text.slice(from, end);
        }
      } else this.at++;
    }
  }

  #escape(): string {
    const code = this.match(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2}))/y);
    if (code !== null) return String.fromCharCode(parseInt(code[1] ?? code[2]!, 16));
    const char = this.text[this.at + 1] ?? "";
    this.at += 2;
    return ESCAPES[char] ?? `\\${char}`;
  }
}

export function literalAt(
  text: string,
  at: number,
): { readonly value: unknown; readonly end: number } | undefined {
  const reader = new LiteralReader(text, at);
  const value = reader.value(false);
  return value === NOTHING ? undefined : { value, end: reader.at };
}

/** @param at behind the opening bracket */
export function entriesAt(text: string, at: number, closing: ")" | "}"): Entries | undefined {
  return new LiteralReader(text, at).entries(closing);
}
