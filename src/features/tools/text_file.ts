/** A file as the file tools see it: its text, and what a change must leave as it is. */
import { folderOf } from "svc/core/path_parts.ts";
import { sha256 } from "svc/core/digest.ts";
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { FileStamp } from "svc/platform/files/folder.ts";
import type { ToolSession } from "./tool.ts";

type LineEnding = "LF" | "CRLF" | "mixed" | "none";

export interface TextFile {
  readonly stamp: FileStamp;
  /** Without the byte order mark; U+FFFD for bytes that are not UTF-8. */
  readonly text: string;
  readonly bom: boolean;
  readonly lineEnds: LineEnding;
  readonly utf8: boolean;
  /** Counted in the read part, at most FILE_WRITE_BYTES. */
  readonly lines: number;
  readonly truncated: boolean;
}

/** Git takes a file with a NUL in its first 8,000 bytes for binary. */
const PROBE_BYTES = 8000;

/** Undefined for a binary file. A file read whole counts as seen. */
export async function readText(
  { tree: { folder }, seen }: Pick<ToolSession, "tree" | "seen">,
  path: string,
): Promise<TextFile | undefined> {
  const { bytes, size, mtimeMs, sha256, truncated } = await folder.read(path, {
    maxBytes: FILE_WRITE_BYTES,
  });
  const stamp = { size, mtimeMs, sha256 };
  if (!truncated) seen.set(path, stamp);
  if (bytes.subarray(0, PROBE_BYTES).includes(0)) return undefined;
  const whole = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const bom = whole.startsWith("\ufeff");
  const text = bom ? whole.slice(1) : whole;
  return {
    stamp,
    text,
    bom,
    truncated,
    lineEnds: lineEndsOf(text),
    utf8: !whole.includes("\ufffd") || isUtf8(bytes),
    lines: linesOf(text).length,
  };
}

/** Why a file cannot be changed as text, such as "is binary". */
export function notText(file: TextFile | undefined): string | undefined {
  if (file === undefined) return "is binary";
  if (file.truncated) return `has more than ${FILE_WRITE_BYTES} bytes`;
  return file.utf8 ? undefined : "is not UTF-8";
}

/** A final line end begins no line. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

export function lineEndsOf(text: string): LineEnding {
  const all = text.split("\n").length - 1;
  if (all === 0) return "none";
  const long = text.split("\r\n").length - 1;
  return long === 0 ? "LF" : long === all ? "CRLF" : "mixed";
}

function isUtf8(bytes: Uint8Array<ArrayBuffer>): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

interface TextWrite {
  readonly path: string;
  readonly text: string;
  readonly bom: boolean;
  /** The present content; null when the file must not exist. */
  readonly expected: FileStamp | null;
}

/** Makes missing folders; the file counts as seen then. */
export async function writeText(
  { tree: { folder }, seen }: Pick<ToolSession, "tree" | "seen">,
  { path, text, bom, expected }: TextWrite,
): Promise<void> {
  const bytes = new TextEncoder().encode(bom ? `\ufeff${text}` : text);
  if (bytes.length > FILE_WRITE_BYTES) {
    const why = `it would have ${bytes.length} bytes`;
    throw new Failure("refused", `Cannot write ${quoted(path)}: ${why}`, {
      remedy: `Write at most ${FILE_WRITE_BYTES} bytes to one file`,
    });
  }
  const above = folderOf(path);
  if (expected === null && above !== "") await folder.makeFolder(above);
  seen.delete(path);
  await folder.write(path, bytes, { expected });
  const now = await folder.read(path, { maxBytes: FILE_WRITE_BYTES });
  // Another program may have written in between.
  if (now.sha256 !== await sha256(bytes)) return;
  seen.set(path, { size: now.size, mtimeMs: now.mtimeMs, sha256: now.sha256 });
}

export function sameStamp(one: FileStamp, other: FileStamp): boolean {
  return one.size === other.size && one.mtimeMs === other.mtimeMs && one.sha256 === other.sha256;
}
