/** Splits a stream of bytes into lines of bounded length; a longer line is skipped. */
import { joinBytes } from "./bytes.ts";

export type InputLine = { readonly text: string } | { readonly fault: "too_long" | "not_utf8" };

const LINE_FEED = 0x0a;
const decoder = new TextDecoder("utf-8", { fatal: true });

function lineOf(parts: readonly Uint8Array[]): InputLine {
  try {
    return { text: decoder.decode(joinBytes(parts)) };
  } catch (_) { // `decode` throws for nothing else
    return { fault: "not_utf8" };
  }
}

/** A byte order mark is removed; a line that is too long is reported once, at the bound. */
export async function* linesOf(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<InputLine, void> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    for (let from = 0; from < chunk.length;) {
      const feed = chunk.indexOf(LINE_FEED, from);
      const end = feed === -1 ? chunk.length : feed;
      const before = size;
      size += end - from;
      if (size <= maxBytes) parts.push(chunk.subarray(from, end));
      else if (before <= maxBytes) {
        parts = [];
        yield { fault: "too_long" };
      }
      if (feed !== -1) {
        if (size <= maxBytes) yield lineOf(parts);
        parts = [];
        size = 0;
      }
      from = end + 1;
    }
  }
  if (size > 0 && size <= maxBytes) yield lineOf(parts);
}
