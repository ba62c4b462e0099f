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

function waiveLine({ root, database }: WordPlace): string {
  const into = database === undefined ? "" : ` --db ${shellWord(database)}`;
  return `svc checks waive --repo ${shellWord(root)}${into}`;
}

const ways = (place: WordPlace) =>
  `name one in project.checks, or let it in unchecked: ${waiveLine(place)}`;

/** How a start says it. @param waived by a person */
export function uncheckedNote(waived: boolean, place: WordPlace): string {
  const what = `${MANIFEST_PATH} names no check`;
  return waived
    ? `${what}: approved work is merged unchecked, as a person allowed`
    : `${what}: approved work waits for your word before it is merged; ${ways(place)}`;
}

/** What a merge waits for; the text ends with what to do. */
export const wordWanted = (place: WordPlace) =>
  `your word: ${MANIFEST_PATH} names no check, so only roles have looked at it; ${ways(place)}`;

/** The same where each check is red on the branch that it goes into, too. @param red their names */
export const wordWantedOverRed = (place: WordPlace, into: string, red: readonly string[]) =>
  `your word: each check is red without it too (${red.join(", ")}), so no green check judged it; ` +
  `mend one on ${into}, or let it in unchecked: ${waiveLine(place)}`;
