/** Cuts a tool's output to the whole lines that a model is given, and keeps all of it in a file. */
import { withoutEnding } from "svc/core/text_ends.ts";
import { TOOL_OUTPUT_BYTES, TOOL_OUTPUT_LINES, TOOL_OUTPUT_SMALL_BYTES } from "svc/core/bounds.ts";
import type { ToolSession } from "./tool.ts";

/** Tokens of the largest window that gets the smaller output. */
const SMALL_WINDOW_TOKENS = 32_000;

export interface OutputBound {
  readonly lines: number;
  readonly bytes: number;
}

/** @param windowTokens context window of the model that reads the output */
export function outputBound(windowTokens: number): OutputBound {
  const bytes = windowTokens <= SMALL_WINDOW_TOKENS ? TOOL_OUTPUT_SMALL_BYTES : TOOL_OUTPUT_BYTES;
  return { lines: TOOL_OUTPUT_LINES, bytes };
}

export interface BoundedOutput {
  readonly text: string;
  /** Undefined when `text` is all of it. */
  readonly cut?: {
    /** Whole lines of the head that are left. */
    readonly headLines: number;
    readonly totalLines: number;
    readonly totalBytes: number;
  };
}

/** A command's end says most: the errors and the sum. */
const TAIL_SHARE = 0.6;

const encoder = new TextEncoder();
const size = (text: string) => encoder.encode(text).length;

/** The whole lines from one end that fit. */
function fitting(lines: readonly string[], bound: OutputBound, from: "head" | "tail"): string[] {
  const kept: string[] = [];
  let bytes = 0;
  for (let at = 0; at < Math.min(lines.length, bound.lines); at++) {
    const line = lines[from === "head" ? at : lines.length - 1 - at]!;
    // A UTF-16 unit is at least one byte: spares encoding a line of megabytes.
    if (bytes + line.length + 1 > bound.bytes) break;
    bytes += size(line) + 1;
    if (bytes > bound.bytes) break;
    kept.push(line);
  }
  return from === "head" ? kept : kept.reverse();
}

function partOf(line: string, bytes: number, from: "head" | "tail"): string {
  const room = Math.max(0, bytes);
  const near = from === "head" ? line.slice(0, room) : line.slice(-room);
  const encoded = encoder.encode(near);
  const part = from === "head" ? encoded.subarray(0, room) : encoded.subarray(-room);
  // Half a character at the cut decodes to U+FFFD.
  const text = withoutEnding(new TextDecoder().decode(part).replace(/^\ufffd+/, ""), "\ufffd");
  const note = `[line cut: ${size(text)} of its ${size(line)} bytes]`;
  return from === "head" ? `${text} ${note}` : `${note} ${text}`;
}

const roomIn = (kept: readonly string[], { bytes }: OutputBound) =>
  bytes - kept.reduce((sum, line) => sum + size(line) + 1, 0);

/** Whether it would not fit even alone, while there is room for a part of it. */
function isTooLong(line: string | undefined, kept: readonly string[], bound: OutputBound): boolean {
  if (line === undefined || kept.length >= bound.lines || roomIn(kept, bound) <= 0) return false;
  return line.length >= bound.bytes || size(line) >= bound.bytes;
}

/** `bound` does not count the notes of one line each on what is missing. */
export function boundOutput(
  text: string,
  keep: "head" | "tail",
  bound: OutputBound,
): BoundedOutput {
  const lines = text.replace(/\n$/, "").split("\n");
  const totalBytes = size(text);
  if (lines.length <= bound.lines && totalBytes <= bound.bytes) return { text };
  const total = { totalLines: lines.length, totalBytes };
  if (keep === "head") {
    const head = fitting(lines, bound, "head");
    const room = roomIn(head, bound);
    // A line that takes most of the room, such as JSON without line ends, may be all that there is to see.
    const part = room > bound.bytes / 2 && head.length < bound.lines
      ? [partOf(lines[head.length]!, room, "head")]
      : [];
    return { text: [...head, ...part].join("\n"), cut: { headLines: head.length, ...total } };
  }
  const share = (part: number) => ({
    lines: Math.floor(bound.lines * part),
    bytes: Math.floor(bound.bytes * part),
  });
  const ofTail = share(TAIL_SHARE);
  const ofHead = share(1 - TAIL_SHARE);
  const tail = fitting(lines, ofTail, "tail");
  const rest = lines.slice(0, lines.length - tail.length);
  const head = fitting(rest, ofHead, "head");
  const whole = head.length;
  const missing = lines.slice(whole, lines.length - tail.length);
  // A line that fits nowhere, such as JSON without line ends, may be all that there is to see.
  if (isTooLong(missing.at(-1), tail, ofTail)) {
    tail.unshift(partOf(missing.pop()!, roomIn(tail, ofTail), "tail"));
  }
  if (isTooLong(missing[0], head, ofHead)) {
    head.push(partOf(missing.shift()!, roomIn(head, ofHead), "head"));
  }
  const gap = missing.length === 0
    ? []
    : [`[${missing.length} lines, ${size(missing.join("\n"))} bytes left out]`];
  return {
    text: [...head, ...gap, ...tail].join("\n"),
    cut: { headLines: whole, ...total },
  };
}

/** Gives the absolute path of an owner-only file with `text`, which is already redacted. */
export type KeepArtefact = (tool: string, text: string) => Promise<string>;

/** Files are numbered by call: `<folder>/<n>-<tool>.txt`. */
export function artefactsIn({ folder, files }: ToolSession["artefacts"]): KeepArtefact {
  let kept = 0;
  return async (tool, text) => {
    // The number is taken first: calls run in parallel.
    const path = `${folder}/${++kept}-${tool.replaceAll(/\W/g, "_")}.txt`;
    await files.makeFolder(folder);
    await files.writeAtomic(path, text, { mode: 0o600 });
    return path;
  };
}
