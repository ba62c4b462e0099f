/** A note from svc behind a tool's output: templates refuse a message of its own there, vendors like one. */

export const NOTE_MARK = "[Note from svc, no part of the output:]";

export function withNote(output: string, note: string): string {
  return `${output}\n\n${NOTE_MARK}\n${note}`;
}

/** An output, such as a file of the repo, must not pass for a note. */
export function withoutMark(output: string): string {
  return output.replaceAll(NOTE_MARK, "[a note's mark]");
}

/** The reverse of `withNote`; several notes become one. */
export function noteApart(
  text: string,
): { readonly output: string; readonly note: string | undefined } {
  const [output = "", ...notes] = text.split(`\n\n${NOTE_MARK}\n`);
  return { output, note: notes.length === 0 ? undefined : notes.join("\n\n") };
}
