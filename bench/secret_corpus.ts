/** The corpus of the secret scan: planted secrets with their places, and texts without any. */
import { CONTEXTS } from "./secret_contexts.ts";
import { Dice } from "./secret_dice.ts";
import { FORMATS } from "./secret_formats.ts";

/** One file with one secret; `start` and `end` count characters of `text`. */
export interface Case {
  readonly format: string;
  readonly kind: "structured" | "generic";
  readonly context: string;
  readonly path: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Names that say nothing: a value must show by itself what it is. */
const NEUTRAL = ["value", "item", "VALUE", "data", "setting", "entry"];

/** `each` secrets of every format in every context; half of the telling values have a neutral name. */
export function positives(seed: number, each: number): Case[] {
  const dice = new Dice(seed);
  const cases: Case[] = [];
  for (const format of FORMATS) {
    for (const [context, write] of Object.entries(CONTEXTS)) {
      for (let i = 0; i < each; i++) {
        const neutral = format.needsName !== true && i % 2 === 1;
        const value = format.make(dice);
        const { path, text } = write(
          dice,
          neutral ? dice.one(NEUTRAL) : dice.one(format.names),
          value,
        );
        const start = text.indexOf(value);
        if (start < 0) continue; // an escape changed the value
        cases.push({
          format: format.id,
          kind: format.kind,
          context,
          path,
          text,
          start,
          end: start + value.length,
        });
      }
    }
  }
  return cases;
}
