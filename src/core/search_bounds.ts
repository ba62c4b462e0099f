/** How much one search takes: it is what a person types, and each of its words is one look at everything. */
import { counted } from "./counted.ts";
import { Failure } from "./failure.ts";

const SEARCH_CHARS = 300;
const SEARCH_WORDS = 20;

/** @param words of the search @returns they @throws Failure `usage` for too many, of which some would be left out */
export function boundedWords(
  of: "jobs" | "tickets",
  search: string,
  words: readonly string[],
): string[] {
  if (search.length <= SEARCH_CHARS && words.length <= SEARCH_WORDS) return [...words];
  throw new Failure(
    "usage",
    // Over HTTP only this is told, and no remedy.
    `Cannot search ${of} for ${counted(search.length, "character")} in ` +
      `${counted(words.length, "word")}: at most ${SEARCH_CHARS} and ${SEARCH_WORDS} are taken`,
    { remedy: "Search for fewer words" },
  );
}
