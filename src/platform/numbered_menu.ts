/** A list to choose from by number, for terminals that only print lines. */
import { type MenuItem, typedLine } from "./prompt.ts";

/** @returns undefined where nothing more can be typed, and after an abort */
export async function numberedMenu(
  question: string,
  items: readonly MenuItem[],
  { write, signal }: { readonly write: (text: string) => void; readonly signal: AbortSignal },
): Promise<number | undefined> {
  write(`${question}\n`);
  for (const [at, { label, hint }] of items.entries()) {
    write(`  ${at + 1}) ${label}${hint === undefined ? "" : ` (${hint})`}\n`);
  }
  for (;;) {
    write(`Number, or Enter for 1: `);
    const line = await typedLine(signal);
    if (line === undefined) return undefined;
    const word = line.trim();
    const number = word === "" ? 1 : Number(word);
    if (items[number - 1] !== undefined) return number - 1;
    write(`${JSON.stringify(word)} is none of 1 to ${items.length}.\n`);
  }
}
