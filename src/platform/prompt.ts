/** Questions to the person at the terminal. */

export interface ConfirmPrompt {
  confirm(question: string): boolean;
}

/** Deno's own prompt, which answers no when standard input is no terminal. */
export const terminalPrompt: ConfirmPrompt = {
  confirm: (question) => globalThis.confirm(question),
};
