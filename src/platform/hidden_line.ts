/** Reads one line that the person types at the terminal, without showing it. */
import { typedPieces } from "./prompt.ts";

const [ENTER, RETURN, END, ERASE, DELETE] = [0x0a, 0x0d, 0x04, 0x08, 0x7f];

/** Ctrl-C still gives SIGINT. The terminal is as it was before, also when `signal` ends it; undefined then. */
export async function hiddenLine(signal: AbortSignal): Promise<string | undefined> {
  const typed: number[] = [];
  Deno.stdin.setRaw(true, { cbreak: true });
  try {
    for await (const piece of typedPieces(signal)) {
      for (const byte of piece) {
        if ([ENTER, RETURN, END].includes(byte)) return textOf(typed);
        if (byte === ERASE || byte === DELETE) typed.pop();
        else typed.push(byte);
      }
    }
    return signal.aborted ? undefined : textOf(typed);
  } finally {
    Deno.stdin.setRaw(false);
  }
}

const textOf = (bytes: readonly number[]): string =>
  new TextDecoder().decode(new Uint8Array(bytes));
