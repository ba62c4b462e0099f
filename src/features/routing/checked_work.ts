/** What svc's own run of the checks says of work, in words for a person, and as it is stored. Pure. */

export interface CheckedWork {
  /** Such as "passed"; "unjudged": each check is red, and was so without the work. */
  readonly checks: string;
  /** Names of those that are red with the work and without it. */
  readonly redBefore: readonly string[];
}

/** Such as "passed, but for what is red without it too: lint". */
export function checksTold({ checks, redBefore }: CheckedWork): string {
  const names = redBefore.join(", ");
  if (checks === "unjudged") return `red without it too, so no green check judged it: ${names}`;
  if (checks !== "red_before") return checks;
  return redBefore.length === 0 ? checks : `passed, but for what is red without it too: ${names}`;
}

/** For the text that is stored with a check that passed. */
export const checksNote = ({ checks, redBefore }: CheckedWork) =>
  [checks, ...redBefore.length === 0 ? [] : [redBefore.join(", ")]].join(": ");

/** As `checksNote` made it. */
export function notedChecks(note: string): CheckedWork {
  const [, checks = note, names] = /^(red_before|unjudged): (.*)$/s.exec(note) ?? [];
  return { checks, redBefore: names === undefined ? [] : names.split(", ") };
}
