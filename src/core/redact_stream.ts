/** Redacts text that comes in pieces: a secret may be cut in two by a read. */
import type { Redact } from "./redact.ts";

export const REDACT_HELD_CHARS = 16 * 1024;

export interface RedactedStream {
  push(text: string): void;
  end(): void;
}

/** An unfinished private key, which spans lines; the text before it need not wait. */
const OPEN_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----(?![\s\S]*-----END )[\s\S]*$/;

/** Writes whole lines at once; an unfinished one when it ends or has `REDACT_HELD_CHARS`. */
export function redactedStream(redact: Redact, write: (text: string) => void): RedactedStream {
  let held = "";
  const flush = (length: number) => {
    if (length > 0) write(redact(held.slice(0, length)));
    held = held.slice(length);
  };
  return {
    push(text) {
      held += text;
      if (held.length > REDACT_HELD_CHARS) return flush(held.length);
      const whole = held.slice(0, held.lastIndexOf("\n") + 1);
      flush(whole.match(OPEN_KEY)?.index ?? whole.length);
    },
    end: () => flush(held.length),
  };
}
