/** A list to choose from by number, for terminals that only print lines. */
import type { MenuItem } from "./prompt.ts";

/** One line as the terminal hands it over; undefined at its end (Ctrl-D). Ctrl-C is a signal here, not a key. */
async function typedLine(): Promise<string | undefined> {
  const decoder = new TextDecoder();
  const bytes = new Uint8Array(1024);
  let line = "";
  while (!line.includes("\n")) {
    const count = await Deno.stdin.read(bytes);
    if (count === null) return line === "" ? undefined : line;
    line += decoder.decode(bytes.subarray(0, count), { stream: true });
  }
  return line;
}

/** @returns undefined where nothing more can be typed */
export async function numberedMenu(
  question: string,
  items: readonly MenuItem[],
  write: (text: string) => void,
): Promise<number | undefined> {
  write(`${question}\n`);
  for (const [at, { label, hint }] of items.entries()) {
    write(`  ${at + 1}) ${label}${hint === undefined ? "" : ` (${hint})`}\n`);
  }
  for (;;) {
    write(`Number, or Enter for 1: `);
    const line = await typedLine();
    if (line === undefined) return undefined;
    const word = line.trim();
    const number = word === "" ? 1 : Number(word);
    if (items[number - 1] !== undefined) return number - 1;
    write(`${JSON.stringify(word)} is none of 1 to ${items.length}.\n`);
  }
}
