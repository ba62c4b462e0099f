/** Finds a block of lines that stands in the file indented more, or less, as a whole. */
import { EDIT_PLACES } from "svc/core/bounds.ts";
import { type EditChange, editLines, type EditRequest, linesAt, spanOf } from "./lines.ts";

/** The indentation that all lines of the file have more or less than the edit. */
interface IndentShift {
  readonly by: string;
  readonly more: boolean;
}

const isBlank = (line: string) => line.trim() === "";
const indentOf = (line: string) => line.slice(0, line.length - line.trimStart().length);

function shiftBetween(inFile: string, asked: string): IndentShift | undefined {
  if (inFile.trimStart() !== asked.trimStart()) return undefined;
  const [has, wants] = [indentOf(inFile), indentOf(asked)];
  if (has.endsWith(wants)) return { by: has.slice(0, has.length - wants.length), more: true };
  if (wants.endsWith(has)) return { by: wants.slice(0, wants.length - has.length), more: false };
  return undefined;
}

/** Pairs of lines that one search compares beyond the first of each place: some 0.3 s. */
const SHIFT_LINE_PAIRS = 2_000_000;

/** How the lines from `first` on are shifted. Blank lines do not count. */
function shiftAt(
  inFile: readonly string[],
  first: number,
  asked: readonly string[],
  compared: (pairs: number) => void,
): IndentShift | undefined {
  let shift: IndentShift | undefined;
  for (const [at, line] of asked.entries()) {
    const other = inFile[first + at]!;
    if (isBlank(line) && isBlank(other)) continue;
    const found = shiftBetween(other, line);
    const same = shift === undefined || (found?.by === shift.by && found.more === shift.more);
    if (found === undefined || !same) {
      compared(at);
      return undefined;
    }
    shift = found;
  }
  compared(asked.length);
  return shift;
}

/** Undefined when a line lacks the indentation to remove. */
function shifted(text: string, { by, more }: IndentShift): string | undefined {
  const lines = text.split("\n").map((line) => {
    if (isBlank(line)) return line;
    if (more) return by + line;
    return line.startsWith(by) ? line.slice(by.length) : undefined;
  });
  return lines.includes(undefined) ? undefined : lines.join("\n");
}

/** @param plain the spelling in which lines are compared */
export function shiftedPlaces(
  text: string,
  asked: EditRequest,
  plain: (line: string) => string,
): EditChange[] {
  const block = editLines(asked);
  const old = block.old.map(plain);
  if (old.every(isBlank)) return [];
  const lines = linesAt(text);
  const compared = lines.map((line) => plain(line.text));
  const places: EditChange[] = [];
  let left = SHIFT_LINE_PAIRS;
  for (let first = 0; first + old.length <= lines.length; first++) {
    const shift = shiftAt(compared, first, old, (pairs) => left -= pairs);
    // The places that were found may not be all.
    if (left < 0) return [];
    const fresh = shift && shifted(block.fresh, shift);
    if (fresh === undefined) continue;
    places.push(spanOf(lines, { first, count: old.length }, block, fresh));
    if (places.length > EDIT_PLACES) break;
  }
  return places;
}
