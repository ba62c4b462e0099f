/** Questions to the person at the terminal; each can be left by Ctrl-C, which is a signal here and not a key. */

export interface ConfirmPrompt {
  /** Undefined where the person leaves it: by Ctrl-C, which aborts `signal`, or by Ctrl-D. */
  confirm(question: string, signal: AbortSignal): Promise<boolean | undefined>;
}

/** One of a list; texts of others are made visible before they come here. */
export interface MenuItem {
  readonly label: string;
  readonly hint?: string;
}

/** What is typed, in the pieces that the terminal hands over, until its end or the abort of `signal`. */
export async function* typedPieces(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const bytes = new Uint8Array(1024);
  const { promise: gone, resolve: leave } = Promise.withResolvers<null>();
  const left = () => leave(null);
  signal.addEventListener("abort", left, { once: true });
  try {
    while (!signal.aborted) {
      const count = await Promise.race([Deno.stdin.read(bytes), gone]);
      if (count === null || signal.aborted) return;
      yield bytes.subarray(0, count);
    }
  } finally {
    signal.removeEventListener("abort", left);
  }
}

/** One line as the terminal hands it over; undefined at its end (Ctrl-D) and after an abort. */
export async function typedLine(signal: AbortSignal): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let line = "";
  for await (const piece of typedPieces(signal)) {
    line += decoder.decode(piece, { stream: true });
    if (line.includes("\n")) return line;
  }
  return signal.aborted || line === "" ? undefined : line;
}

/** Not Deno's own `confirm`: that blocks the thread, so that Ctrl-C would wait for an answer. */
export const terminalPrompt = (write: (text: string) => void): ConfirmPrompt => ({
  async confirm(question, signal) {
    write(`${question} [y/N] `);
    const line = await typedLine(signal);
    return line === undefined ? undefined : /^y(?:es)?$/i.test(line.trim());
  },
});
