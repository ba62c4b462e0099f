/** Finds the text that an edit names, from the exact one to ever looser readings of it. */
import { EDIT_PLACES } from "svc/core/bounds.ts";
import { shiftedPlaces } from "./shift.ts";
import { type Candidate, fuzzyPlace, nearest } from "./similar.ts";
import { lineFeedView, placesOf, plainView, type Span } from "./text_view.ts";

/** In the order in which they are tried; the first that finds anything decides. */
export const RUNGS = ["exact", "line_ends", "indentation", "unicode", "fuzzy"] as const;
export type Rung = typeof RUNGS[number];

export interface Asked {
  readonly old: string;
  readonly new: string;
  /** Places that are to be changed. */
  readonly count: number;
}

export interface Change extends Span {
  readonly text: string;
}

export type Climbed =
  | { readonly found: "places"; readonly rung: Rung; readonly changes: readonly Change[] }
  | {
    readonly found: "wrong_count";
    readonly rung: Rung;
    /** Offsets; those beyond EDIT_PLACES are not looked for. */
    readonly places: readonly number[];
  }
  | { readonly found: "nothing"; readonly nearest: readonly Candidate[] };

/** @param text without a byte order mark */
export function climb(text: string, asked: Asked): Climbed {
  const wanted = withoutHalfEnds({ ...asked, old: bare(asked.old), new: bare(asked.new) });
  for (const [rung, find] of STEPS) {
    const places = find(text, wanted);
    if (places.length === 0) continue;
    const starts = places.map(({ start }) => start);
    const apart = places.every((place, at) => at === 0 || places[at - 1]!.end <= place.start);
    if (places.length !== wanted.count || !apart) {
      return { found: "wrong_count", rung, places: starts };
    }
    return { found: "places", rung, changes: places.map((change) => inFileEnds(text, change)) };
  }
  return { found: "nothing", nearest: nearest(text, wanted.old) };
}

const bare = (text: string) => text.replace(/^\ufeff/, "");
const lineFeeds = (text: string) => text.replaceAll("\r\n", "\n");

/** Lines cut at each line feed keep the first half of a CRLF: both texts then end with it. */
function withoutHalfEnds(asked: Asked): Asked {
  const halves = asked.old.length > 1 && asked.old.endsWith("\r") && asked.new.endsWith("\r");
  return halves ? { ...asked, old: asked.old.slice(0, -1), new: asked.new.slice(0, -1) } : asked;
}

type Step = (text: string, asked: Asked) => Change[];

const STEPS: readonly (readonly [Rung, Step])[] = [
  ["exact", exactly],
  ["line_ends", withLineFeeds],
  ["indentation", (text, asked) => shiftedPlaces(text, asked, (line) => line)],
  ["unicode", inPlainText],
  ["fuzzy", (text, asked) => asked.count === 1 ? fuzzyPlace(text, asked) : []],
];

const cutsLineEnd = (text: string, at: number) => text[at - 1] === "\r" && text[at] === "\n";

/** None where one would cut a CRLF in two: the next rung takes line ends whole. */
function exactly(text: string, asked: Asked): Change[] {
  const places: Change[] = [];
  for (let at = text.indexOf(asked.old); at !== -1; at = text.indexOf(asked.old, at + 1)) {
    const end = at + asked.old.length;
    if (cutsLineEnd(text, at) || cutsLineEnd(text, end)) return [];
    places.push({ start: at, end, text: asked.new });
    if (places.length > EDIT_PLACES) break;
  }
  return places;
}

function withLineFeeds(text: string, asked: Asked): Change[] {
  const [old, replacement] = [lineFeeds(asked.old), lineFeeds(asked.new)];
  const view = lineFeedView(text);
  const places = placesOf(view, old, EDIT_PLACES);
  if (places.length > 0) return places.map((place) => ({ ...place, text: replacement }));
  // The last line of a file may have no end; a model gives it one.
  const last = old.slice(0, -1);
  if (last === "" || !old.endsWith("\n") || !view.text.endsWith(last)) return [];
  const start = view.starts[view.text.length - last.length]!;
  return [{ start, end: text.length, text: replacement.replace(/\n$/, "") }];
}

function inPlainText(text: string, asked: Asked): Change[] {
  const old = plainView(asked.old).text;
  const places = placesOf(plainView(text), old, EDIT_PLACES).map((place) => ({
    ...place,
    text: keepingContext(lineFeeds(text.slice(place.start, place.end)), asked),
  }));
  return places.length > 0 ? places : shiftedPlaces(text, asked, (line) => plainView(line).text);
}

/**
 * The new text, in which the lines that the edit only repeats before and after its change are as the
 * file has them and not as the model remembers them.
 * @param region what is replaced, with as many lines as `asked.old`
 */
export function keepingContext(region: string, asked: Pick<Asked, "old" | "new">): string {
  const old = lineFeeds(asked.old).split("\n");
  const fresh = lineFeeds(asked.new).split("\n");
  const kept = region.split("\n");
  if (kept.length !== old.length) return asked.new;
  const most = Math.min(old.length, fresh.length);
  let before = 0;
  while (before < most && old[before] === fresh[before]) before++;
  let after = 0;
  while (after < most - before && old.at(-1 - after) === fresh.at(-1 - after)) after++;
  return [
    ...kept.slice(0, before),
    ...fresh.slice(before, fresh.length - after),
    ...kept.slice(kept.length - after),
  ].join("\n");
}

/** New lines end as the replaced ones do, or as the next line of the file does. */
function inFileEnds(text: string, change: Change): Change {
  const at = text.indexOf("\n", change.start);
  const end = at === -1 ? text.lastIndexOf("\n") : at;
  const crlf = end > 0 && text[end - 1] === "\r";
  const plain = lineFeeds(change.text);
  return { ...change, text: crlf ? plain.replaceAll("\n", "\r\n") : plain };
}
