/** What must hold when a ticket is done, from its field and from its text, each thing once. Pure. */

export interface Wish {
  readonly text: string;
  readonly met: boolean;
}

const HEADING = /^##[ \t]+Acceptance[ \t#]*$/;
const BOX = /^\s*[-*+] \[([ xX])\] (.*)$/;
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s(.*)$/;
/** What stands in a new ticket that names nothing. */
const UNSAID = "to be said";

const keyOf = (text: string) => text.replaceAll(/\s+/g, " ").trim().toLowerCase();

interface Sections {
  readonly below: readonly string[];
  readonly rest: string;
}

/** Fenced code may hold what looks like a heading. */
function sectionsOf(body: string): Sections {
  const below: string[] = [];
  const rest: string[] = [];
  let inside = false;
  let fence: string | undefined;
  for (const line of body.split("\n")) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined && (fence ?? mark) === mark) {
      fence = fence === undefined ? mark : undefined;
    }
    if (fence === undefined && /^#{1,2}[ \t]/.test(line)) {
      inside = HEADING.test(line);
      if (inside) continue;
    }
    (inside ? below : rest).push(line);
  }
  return { below, rest: rest.join("\n") };
}

/** A point that goes on in an indented line becomes one line. */
function unwrapped(lines: readonly string[]): string[] {
  const whole: string[][] = [];
  for (const line of lines) {
    const before = whole.at(-1);
    const goesOn = before !== undefined && ITEM.test(before[0]!) && /^\s+\S/.test(line) &&
      !ITEM.test(line);
    if (goesOn) before.push(line.trim());
    else whole.push([line]);
  }
  return whole.map((parts) => parts.join(" "));
}

/** @param done a role judged it, so each point is met whatever its box says */
export function acceptanceOf(
  fields: readonly string[],
  body: string,
  done: boolean,
): { readonly wishes: readonly Wish[]; readonly rest: string } {
  const { below, rest } = sectionsOf(body);
  const found = new Map<string, Wish>();
  for (const text of fields) found.set(keyOf(text), { text, met: done });
  const notes: string[] = [];
  for (const line of unwrapped(below)) {
    const box = BOX.exec(line);
    const text = (box?.[2] ?? ITEM.exec(line)?.[1])?.trim();
    if (text === undefined) notes.push(line);
    else if (keyOf(text) !== UNSAID) {
      const ticked = box !== null && box[1] !== " ";
      const known = found.get(keyOf(text));
      found.set(keyOf(text), { text: known?.text ?? text, met: done || ticked });
    }
  }
  const more = notes.join("\n").trim();
  return {
    wishes: [...found.values()],
    rest: more === "" ? rest : `${rest.trimEnd()}\n\n## Acceptance\n\n${more}\n`,
  };
}
