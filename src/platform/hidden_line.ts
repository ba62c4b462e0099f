/** Reads one line that the person types at the terminal, without showing it. */

const [ENTER, RETURN, END, ERASE, DELETE] = [0x0a, 0x0d, 0x04, 0x08, 0x7f];

/** Ctrl-C still gives SIGINT. The terminal is as it was before, also when `signal` ends it; undefined then. */
export async function hiddenLine(signal: AbortSignal): Promise<string | undefined> {
  const typed: number[] = [];
  const bytes = new Uint8Array(1024);
  const { promise: gone, resolve: leave } = Promise.withResolvers<null>();
  const left = () => leave(null);
  signal.addEventListener("abort", left, { once: true });
  Deno.stdin.setRaw(true, { cbreak: true });
  try {
    for (;;) {
      const count = await Promise.race([Deno.stdin.read(bytes), gone]);
      if (signal.aborted) return undefined;
      if (count === null) return textOf(typed);
      for (const byte of bytes.subarray(0, count)) {
        if ([ENTER, RETURN, END].includes(byte)) return textOf(typed);
        if (byte === ERASE || byte === DELETE) typed.pop();
        else typed.push(byte);
      }
    }
  } finally {
    Deno.stdin.setRaw(false);
    signal.removeEventListener("abort", left);
  }
}

const textOf = (bytes: readonly number[]): string =>
  new TextDecoder().decode(new Uint8Array(bytes));
