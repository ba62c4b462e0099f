/** Quotes a word for a shell: what svc says to type may hold names that a repo chose. */

/** The word as a POSIX shell reads it back, in quotes where it needs them. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
