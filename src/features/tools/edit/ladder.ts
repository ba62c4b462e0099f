/** Finds the text that an edit names, from the exact one to ever looser readings of it. */
import { EDIT_PLACES } from "svc/core/bounds.ts";
import { type EditChange, type EditRequest, keepingContext, lineFeeds } from "./lines.ts";
import { shiftedPlaces } from "./shift.ts";
import { fuzzyPlace, nearest, type SimilarLines } from "./similar.ts";
import { lineFeedView, placesOf, plainView } from "./text_view.ts";

export type Rung = "exact" | "line_ends" | "indentation" | "unicode" | "fuzzy";

export type EditMatch =
  | { readonly found: "places"; readonly rung: Rung; readonly changes: readonly EditChange[] }
  | {
    readonly found: "wrong_count";
    readonly rung: Rung;
    /** Offsets, up to one more than EDIT_PLACES. */
    readonly places: readonly number[];
  }
  | { readonly found: "nothing"; readonly nearest: readonly SimilarLines[] };

/** @param text without a byte order mark */
export function findEdit(text: string, asked: EditRequest): EditMatch {
  const wanted = withoutHalfEnds({ ...asked, old: bare(asked.old), new: bare(asked.new) });
  for (const [rung, find] of RUNGS) {
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

/** Lines split at line feeds keep half of a CRLF: then both texts end with it. */
function withoutHalfEnds(asked: EditRequest): EditRequest {
  const halves = asked.old.length > 1 && asked.old.endsWith("\r") && asked.new.endsWith("\r");
  return halves ? { ...asked, old: asked.old.slice(0, -1), new: asked.new.slice(0, -1) } : asked;
}

type FindPlaces = (text: string, asked: EditRequest) => EditChange[];

/** In the order of trial; the first that finds anything decides. */
const RUNGS: readonly (readonly [Rung, FindPlaces])[] = [
  ["exact", exactly],
  ["line_ends", withLineFeeds],
  ["indentation", (text, asked) => shiftedPlaces(text, asked, (line) => line)],
  ["unicode", inPlainText],
  ["fuzzy", (text, asked) => asked.count === 1 ? fuzzyPlace(text, asked) : []],
];

const cutsLineEnd = (text: string, at: number) => text[at - 1] === "\r" && text[at] === "\n";

/** Finds nothing where a place would split a CRLF: the next rung takes line ends whole. */
function exactly(text: string, asked: EditRequest): EditChange[] {
  const places: EditChange[] = [];
  for (let at = text.indexOf(asked.old); at !== -1; at = text.indexOf(asked.old, at + 1)) {
    const end = at + asked.old.length;
    if (cutsLineEnd(text, at) || cutsLineEnd(text, end)) return [];
    places.push({ start: at, end, text: asked.new });
    if (places.length > EDIT_PLACES) break;
  }
  return places;
}

function withLineFeeds(text: string, asked: EditRequest): EditChange[] {
  const [old, replacement] = [lineFeeds(asked.old), lineFeeds(asked.new)];
  const view = lineFeedView(text);
  const places = placesOf(view, old, EDIT_PLACES);
  if (places.length > 0) return places.map((place) => ({ ...place, text: replacement }));
  // The last line of a file may have no end; models add one.
  const last = old.slice(0, -1);
  if (last === "" || !old.endsWith("\n") || !view.text.endsWith(last)) return [];
  const start = view.starts[view.text.length - last.length]!;
  return [{ start, end: text.length, text: replacement.replace(/\n$/, "") }];
}

function inPlainText(text: string, asked: EditRequest): EditChange[] {
  const old = plainView(asked.old).text;
  const places = placesOf(plainView(text), old, EDIT_PLACES).map((place) => ({
    ...place,
    text: keepingContext(lineFeeds(text.slice(place.start, place.end)), asked),
  }));
  return places.length > 0 ? places : shiftedPlaces(text, asked, (line) => plainView(line).text);
}

/** New lines end as the replaced ones do, or as the file's next line. */
function inFileEnds(text: string, change: EditChange): EditChange {
  const at = text.indexOf("\n", change.start);
  const end = at === -1 ? text.lastIndexOf("\n") : at;
  const crlf = end > 0 && text[end - 1] === "\r";
  const plain = lineFeeds(change.text);
  return { ...change, text: crlf ? plain.replaceAll("\n", "\r\n") : plain };
}
