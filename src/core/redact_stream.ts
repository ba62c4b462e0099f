/** Redacts text that comes in pieces: a secret may be cut in two by a read. */
import type { Redact } from "./redact.ts";

export const REDACT_HELD_CHARS = 16 * 1024;

export interface RedactedStream {
  push(text: string): void;
  end(): void;
}

/** An unfinished private key, which spans lines; the text before it need not wait. */
const OPEN_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----(?![\s\S]*-----END )[\s\S]*$/;

/** Longer secrets without an end of line are not known; a key of 8,192 bits in one line has 6,400 characters. */
const LONGEST_SECRET = REDACT_HELD_CHARS / 2;

/** No multiple of it is the length of usual secrets, which may follow one another. */
const STEP = 61;

/** Where a text may be cut so that what is redacted in the whole is redacted in its parts; its end where there is none. */
function cutOf(text: string, redact: Redact): number {
  const whole = redact(text);
  for (let cut = text.length - LONGEST_SECRET; cut > 0; cut -= STEP) {
    if (redact(text.slice(0, cut)) + redact(text.slice(cut)) === whole) return cut;
  }
  return text.length;
}

/** Writes whole lines at once; of an unfinished one as much as exceeds `REDACT_HELD_CHARS`, and the rest at the end. */
export function redactedStream(redact: Redact, write: (text: string) => void): RedactedStream {
  let held = "";
  const flush = (length: number) => {
    if (length > 0) write(redact(held.slice(0, length)));
    held = held.slice(length);
  };
  return {
    push(text) {
      held += text;
      const whole = held.slice(0, held.lastIndexOf("\n") + 1);
      flush(whole.match(OPEN_KEY)?.index ?? whole.length);
      if (held.length > REDACT_HELD_CHARS) flush(cutOf(held, redact));
    },
    end: () => flush(held.length),
  };
}
