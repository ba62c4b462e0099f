/** The signs of svc's own texts for places that show ASCII alone; other characters stay as they are. */

/** As wide as what it stands for, where columns are laid out by it. */
const MARKS: Readonly<Record<string, string>> = {
  "✓": "+",
  "✗": "x",
  "×": "x",
  "▸": ">",
  "»": ">",
  "→": "->",
  "·": "-",
  "•": "*",
  "–": "-",
  "—": "-",
  "“": '"',
  "”": '"',
  "‘": "'",
  "’": "'",
};

/** The end of a text that was cut to a width has room for one sign. */
const CUT = /(?<=[\p{L}\p{N}])…/gu;
/** Control Pictures (U+2400), which stand for what is not shown. */
const SIGNS = /[✓✗×▸»→·•–—“”‘’…\u2400-\u2426]/g;

export function asciiMarks(text: string): string {
  return text.replaceAll(CUT, "~")
    .replaceAll(SIGNS, (sign) => MARKS[sign] ?? (sign === "…" ? "..." : "?"));
}

/**
 * Whether the locale (POSIX.1-2024 section 8.2, by LC_ALL, LC_CTYPE and LANG) names another character set than
 * UTF-8. Where none is set, as in containers, today's terminals show UTF-8; the console of Linux has no such signs.
 */
export function asciiOnly(get: (name: string) => string | undefined, terminal: boolean): boolean {
  const locale = ["LC_ALL", "LC_CTYPE", "LANG"].map((name) => get(name) ?? "")
    .find((value) => value !== "");
  if (locale !== undefined && !/utf-?8/i.test(locale)) return true;
  return terminal && get("TERM") === "linux";
}
