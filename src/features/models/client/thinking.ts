/** Parts a model's reasoning from its text: the `<think>` block that the text starts with. */

const OPEN = /^\s*<(think|thinking|reasoning)>/;
const OPENINGS = ["<think>", "<thinking>", "<reasoning>"];
/** The text has only the end of the block where the chat template opens it in the prompt. */
const LEFT_END = /^[\s\S]*?\n?<\/(?:think|thinking)>[ \t]*(?:\n|$)/;
const LAST_TAG = /<\/\w+>\s*$/;

export interface ThoughtAndSaid {
  readonly thought: string;
  readonly said: string;
}

/** A block still open is all reasoning if a limit `cut` the text; else the model forgot to close it. */
export function splitThinking(text: string, cut = false): ThoughtAndSaid {
  const open = OPEN.exec(text);
  if (open === null) {
    const left = LEFT_END.exec(text)?.[0] ?? "";
    return { thought: left.replace(LAST_TAG, "").trim(), said: text.slice(left.length).trim() };
  }
  const rest = text.slice(open[0].length);
  const end = rest.indexOf(`</${open[1]}>`);
  if (end === -1) {
    return cut ? { thought: rest.trim(), said: "" } : { thought: "", said: rest.trim() };
  }
  const after = splitThinking(rest.slice(end + open[1]!.length + 3), cut);
  const thought = [rest.slice(0, end).trim(), after.thought].filter((part) => part !== "");
  return { thought: thought.join("\n"), said: after.said };
}

export function thinkingFilter(show: (delta: string) => void): (delta: string) => void {
  let held = "";
  let open = true;
  return (delta) => {
    if (!open) return show(delta);
    held += delta;
    const head = held.trimStart();
    const start = OPEN.exec(held);
    if (start === null) {
      if (OPENINGS.some((tag) => tag.startsWith(head))) return; // may still become one
      open = false;
      return show(held);
    }
    const end = held.indexOf(`</${start[1]}>`);
    if (end === -1) return;
    held = held.slice(end + start[1]!.length + 3).trimStart();
    open = held === "";
    if (!open) show(held);
  };
}
