/** Removes a model's reasoning from its text: the `<think>` block that the text starts with. */

const OPEN = /^\s*<(think|thinking|reasoning)>/;
const OPENINGS = ["<think>", "<thinking>", "<reasoning>"];
/** The text has only the end of the block where the chat template opens it in the prompt. */
const LEFT_END = /^[\s\S]*?\n?<\/(?:think|thinking)>[ \t]*(?:\n|$)/;

/** A block still open is all reasoning if a limit `cut` the text; else the model forgot to close it. */
export function withoutThinking(text: string, cut = false): string {
  const open = OPEN.exec(text);
  if (open === null) return text.replace(LEFT_END, "").trim();
  const end = text.indexOf(`</${open[1]}>`, open[0].length);
  if (end !== -1) return withoutThinking(text.slice(end + open[1]!.length + 3), cut);
  return cut ? "" : text.slice(open[0].length).trim();
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
