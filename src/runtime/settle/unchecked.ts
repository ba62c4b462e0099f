/** Merges that no green check has judged: what they wait for, and what a person is asked. Pure. */
import { shellWord } from "svc/core/shell_word.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";

/** Read by whoever shows it: it ends by itself. */
export const MERGE_CHECK = "the checks of what it comes to on its branch";

interface WordPlace {
  readonly root: string;
  readonly database: string | undefined;
}

/** Only roles have looked at what is merged. */
export const mergesUnchecked = ({ project, dispatch }: Pick<Manifest, "dispatch" | "project">) =>
  dispatch.merge === "local" && project.checks.length === 0;

/** What an approval would name; undefined for work without a ticket. */
interface WantedWord {
  readonly ticket: string;
  readonly commit: string;
}

const SHOWN_COMMIT = 12;

function flagsOf({ root, database }: WordPlace): string {
  const into = database === undefined ? "" : ` --db ${shellWord(database)}`;
  return `--repo ${shellWord(root)}${into}`;
}

const waiveLine = (place: WordPlace) => `svc checks waive ${flagsOf(place)}`;

function ways(place: WordPlace, mend: string, word?: WantedWord): string {
  if (word === undefined) return `${mend}, or let it in unchecked: ${waiveLine(place)}`;
  const { ticket, commit } = word;
  const seen = `--commit ${commit.slice(0, SHOWN_COMMIT)}`;
  return `${mend}, let this commit in: svc tickets approve ${ticket} ${seen} ${flagsOf(place)}, ` +
    `or let all in unchecked: ${waiveLine(place)}`;
}

const NAME_ONE = "name one in project.checks";

/** How a start says it. @param waived by a person */
export function uncheckedNote(waived: boolean, place: WordPlace): string {
  const what = `${MANIFEST_PATH} names no check`;
  return waived
    ? `${what}: approved work is merged unchecked, as a person allowed`
    : `${what}: approved work waits for your word before it is merged; ${ways(place, NAME_ONE)}`;
}

/** What a merge waits for; the text ends with what to do. */
export const wordWanted = (place: WordPlace, word: WantedWord | undefined) =>
  `your word: ${MANIFEST_PATH} names no check, so only roles have looked at it; ` +
  ways(place, NAME_ONE, word);

/** The same where each check is red on the branch that it goes into, too. @param red their names */
export const wordWantedOverRed = (
  place: WordPlace,
  word: WantedWord | undefined,
  { into, red }: { readonly into: string; readonly red: readonly string[] },
) =>
  `your word: each check is red without it too (${red.join(", ")}), so no green check judged it; ` +
  ways(place, `mend one on ${into}`, word);
