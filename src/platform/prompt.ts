/** Questions to the person at the terminal. */

export interface Prompt {
  /** Waits for an answer; false for anything but yes. */
  confirm(question: string): boolean;
}

/** Deno's own; it answers no when standard input is no terminal. */
export const terminalPrompt: Prompt = {
  confirm: (question) => globalThis.confirm(question),
};
