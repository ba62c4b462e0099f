/** Parts a model's reasoning from its text: the `<think>` block, or its like, that the text starts with. */

/** Magistral's, Command-R's, Seed's and Gemma 4's are special tokens, which servers leave in the text. */
const BLOCKS: Readonly<Record<string, string>> = {
  "<think>": "</think>",
  "<thinking>": "</thinking>",
  "<reasoning>": "</reasoning>",
  "[THINK]": "[/THINK]",
  "<|START_THINKING|>": "<|END_THINKING|>",
  "<seed:think>": "</seed:think>",
  "<|channel>thought": "<channel|>",
};
const OPENINGS = Object.keys(BLOCKS);
const OPEN = new RegExp(`^\\s*(${OPENINGS.map((tag) => RegExp.escape(tag)).join("|")})`);
/** The text has only the end of the block where the chat template opens it in the prompt. */
const LEFT_END = /^[\s\S]*?\n?<\/(?:think|thinking)>[ \t]*(?:\n|$)/;
const LAST_TAG = /<\/\w+>\s*$/;

export interface ThoughtAndSaid {
  readonly thought: string;
  readonly said: string;
}

/** A block still open is all reasoning if a limit `cut` the text; else the model forgot to close it. */
export function splitThinking(text: string, cut = false): ThoughtAndSaid {
  const thoughts: string[] = [];
  const split = (said: string): ThoughtAndSaid => {
    const thought = thoughts.map((part) => part.trim()).filter((part) => part !== "").join("\n");
    return { thought, said: said.trim() };
  };
  let rest = text;
  for (let open = OPEN.exec(rest); open !== null; open = OPEN.exec(rest)) {
    const closing = BLOCKS[open[1]!]!;
    rest = rest.slice(open[0].length);
    const end = rest.indexOf(closing);
    if (end === -1) {
      if (cut) thoughts.push(rest);
      return split(cut ? "" : rest);
    }
    thoughts.push(rest.slice(0, end));
    rest = rest.slice(end + closing.length);
  }
  const left = LEFT_END.exec(rest)?.[0] ?? "";
  thoughts.push(left.replace(LAST_TAG, ""));
  return split(rest.slice(left.length));
}

export function thinkingFilter(show: (delta: string) => void): (delta: string) => void {
  let held = "";
  let closing: string | undefined;
  let open = true;
  return (delta) => {
    if (!open) return show(delta);
    held += delta;
    if (closing === undefined) {
      const start = OPEN.exec(held);
      if (start === null) {
        const head = held.trimStart();
        if (OPENINGS.some((tag) => tag.startsWith(head))) return; // may still become one
        open = false;
        return show(held);
      }
      closing = BLOCKS[start[1]!]!;
      held = held.slice(start[0].length);
    }
    const end = held.indexOf(closing);
    if (end === -1) {
      // All that the end of the block may begin in: thoughts are long, and come in small pieces.
      held = held.slice(1 - closing.length);
      return;
    }
    held = held.slice(end + closing.length).trimStart();
    closing = undefined;
    open = held === "";
    if (!open) show(held);
  };
}
