/** Shortens a text to so many UTF-16 units, between characters: half of one is no JSON to many servers. */

/** Belongs to what stands before it: marks, variation selectors, skin tones, joiners (Unicode UAX #29, GB9). */
const EXTENDS = /^[\p{M}\u{1f3fb}-\u{1f3ff}\u200d]/u;

/** Marks without end belong to one letter; then it is cut amid them. */
const MARKS = 32;

const isPair = (text: string, at: number) =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));

function isAmid(text: string, at: number): boolean {
  return isPair(text, at) || text[at - 1] === "\u200d" || EXTENDS.test(text.slice(at, at + 2));
}

/** The first place between characters from here on, as `step` goes. */
function between(text: string, from: number, step: 1 | -1): number {
  for (let at = from; at > 0 && at < text.length && Math.abs(at - from) < MARKS; at += step) {
    if (!isAmid(text, at)) return at;
  }
  return isPair(text, from) ? from + step : from;
}

/** @param mark stands for what is left out */
export function shortened(text: string, chars: number, mark = "…"): string {
  if (text.length <= chars) return text;
  return `${text.slice(0, between(text, chars, -1)).toWellFormed()}${mark}`;
}

/** Its end, which tells how a thing came out. @param mark stands for what is left out */
export function shortenedStart(text: string, chars: number, mark = "…"): string {
  if (text.length <= chars) return text;
  return `${mark}${text.slice(between(text, text.length - chars, 1)).toWellFormed()}`;
}
