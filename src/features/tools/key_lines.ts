/** Lines of private keys: a key is one secret over many lines, and some of them alone look like none. */
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { ToolSession } from "./tool.ts";

/** RFC 7468, RFC 9580 section 6.2, and what OpenSSH and OpenSSL write. */
export const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
export const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;

/** Base64, also quoted or commented in source code, or a header such as `Proc-Type: 4,ENCRYPTED`. */
export const BODY =
  /^[\s>*#/|+"'`-]{0,40}(?:(?:[A-Za-z0-9+/=]{4,})?(?:\\[nr])*[\s"'`,;+\\|]{0,20}|[A-Za-z][A-Za-z0-9-]{0,40}: .{0,200})$/;

interface KeyLine {
  /** Both from 1. */
  readonly line: number;
  readonly begin: number;
}

/** Those below a key's first line, up to its last. A text that only mentions such lines has none. */
export function keyLines(lines: readonly string[]): readonly KeyLine[] {
  const found: KeyLine[] = [];
  let key: KeyLine[] | undefined;
  for (const [at, text] of lines.entries()) {
    if (BEGIN.test(text)) {
      key = END.test(text) ? undefined : [];
      continue;
    }
    if (key === undefined) continue;
    key.push({ line: at + 1, begin: at - key.length });
    if (END.test(text)) found.push(...key);
    else if (BODY.test(text)) continue;
    key = undefined;
  }
  return found;
}

export const KEY_LINE = "[redacted:private-key]";

/** Lines as tools may show them one by one. */
export function shownLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  for (const { line } of keyLines(lines)) lines[line - 1] = KEY_LINE;
  return lines;
}

/** For tools that show single lines of a file. Undefined when it is gone or is no regular file. */
export async function linesWithoutKeys(
  { tree: { folder } }: Pick<ToolSession, "tree">,
  path: string,
): Promise<string[] | undefined> {
  try {
    const { bytes } = await folder.read(path, { maxBytes: FILE_WRITE_BYTES });
    return shownLines(new TextDecoder().decode(bytes));
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code !== "internal") return undefined;
    throw thrown;
  }
}
