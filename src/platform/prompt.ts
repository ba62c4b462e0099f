/** Questions to the person at the terminal. */

export interface ConfirmPrompt {
  confirm(question: string): boolean;
}

/** One of a list; texts of others are made visible before they come here. */
export interface MenuItem {
  readonly label: string;
  readonly hint?: string;
}

/** Deno's own prompt, which answers no when standard input is no terminal. */
export const terminalPrompt: ConfirmPrompt = {
  confirm: (question) => globalThis.confirm(question),
};
