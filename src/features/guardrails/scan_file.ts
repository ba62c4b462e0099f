/** Scans one file for secrets: its name, its text in whatever encoding, and what gzip holds. */
import { SECRET_FILE_BYTES } from "svc/core/bounds.ts";
import { gunzip } from "svc/platform/gunzip.ts";
import { allRules } from "./all_rules.ts";
import { type DecodedText, decodeFile } from "./decode_text.ts";
import { type ScanOptions, scanText } from "./scan_text.ts";

/** The name that replaces a rule's if rules ran out of time; such a finding can be accepted by a person. */
export const GAVE_UP = "gave-up";

export interface RawSecret {
  readonly rule: string;
  /** Without the secret that it may hold itself. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly secret: string;
  /** In place of the secret's first characters. */
  readonly shown?: string;
}

export interface FileScan {
  readonly hits: readonly RawSecret[];
  readonly allowed: number;
  /** What these rules would have found is not known. */
  readonly timedOut: readonly string[];
  /** Known by the bytes of the file: any change of them is a new finding. */
  readonly unfinished?: Promise<RawSecret>;
  readonly skipped?: "binary" | "too_large";
  /** Undefined for bytes that are no text. */
  readonly text?: DecodedText;
}

interface GivenFile {
  readonly path: string;
  /** Not read after the call. */
  readonly bytes: Uint8Array;
}

/** Shorter names hold no secret that could be told from a word. */
const NAME_CHARS = 16;

type Where = Omit<RawSecret, "path">;

/** A name with a secret in it is told without it. */
export function scanName(
  name: string,
  options: ScanOptions,
): { readonly path: string; readonly hits: readonly RawSecret[] } {
  if (name.length < NAME_CHARS) return { path: name, hits: [] };
  const { hits } = scanText(name, allRules(), { ...options, allow: false, path: "" });
  let path = "";
  let last = 0;
  for (const { start, end, rule } of hits) {
    path += `${name.slice(last, start)}[${rule.id}]`;
    last = end;
  }
  path += name.slice(last);
  return {
    path,
    hits: hits.map(({ rule, column, secret }) => ({
      rule: rule.id,
      path,
      line: 1,
      column,
      secret,
    })),
  };
}

/** A text of a file, by the rules that fit it. */
class FileParts {
  readonly found: Where[] = [];
  readonly timedOut = new Set<string>();
  allowed = 0;

  constructor(readonly options: ScanOptions) {}

  look(text: DecodedText, shapesOnly: boolean): void {
    const { hits, allowed, timedOut } = scanText(text, allRules(), { ...this.options, shapesOnly });
    this.allowed += allowed;
    for (const rule of timedOut) this.timedOut.add(rule);
    for (const { rule, line, column, secret } of hits) {
      this.found.push({ rule: rule.id, line, column, secret });
    }
  }

  lookIn(bytes: Uint8Array): { binary: boolean; text: DecodedText } {
    const { text, binary, wide } = decodeFile(bytes);
    this.look(text, binary);
    if (wide !== undefined) this.look(wide, true);
    return { binary, text };
  }
}

const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;

async function unfinished(
  path: string,
  bytes: Uint8Array,
  rules: readonly string[],
): Promise<RawSecret> {
  // The digest reads the bytes before this call returns (Web Cryptography API, section 14.3.5).
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  return {
    rule: GAVE_UP,
    path,
    line: 1,
    column: 1,
    secret: new Uint8Array(digest).toHex(),
    shown: `not searched for ${rules.join(", ")}`,
  };
}

export function scanFile({ path: name, bytes }: GivenFile, given: ScanOptions): FileScan {
  const options = { ...given, path: name, gunzip };
  const { path, hits: inName } = scanName(name, options);
  const parts = new FileParts(options);
  const seen = { hits: inName, allowed: 0, timedOut: [] };
  if (bytes.length > SECRET_FILE_BYTES) return { ...seen, skipped: "too_large" };
  const packed = isGzip(bytes) ? gunzip(bytes, SECRET_FILE_BYTES) : undefined;
  if (packed === "too_large") return { ...seen, skipped: "too_large" };
  const { binary, text } = parts.lookIn(bytes);
  if (packed !== undefined) parts.lookIn(packed);
  const timedOut = [...parts.timedOut];
  return {
    hits: [...inName, ...parts.found.map((one) => ({ ...one, path }))],
    allowed: parts.allowed,
    timedOut,
    ...(timedOut.length > 0 && { unfinished: unfinished(path, bytes, timedOut) }),
    ...(binary ? { skipped: "binary" } : { text }),
  };
}
