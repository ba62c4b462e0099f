/** Where the files of a project say its version: manifests, lock files and constants in source code. */
import type { ByteText } from "svc/core/marked_block.ts";
import { nameOf } from "svc/core/path_parts.ts";
import { parseSemver } from "svc/core/semver.ts";
import { jsonSpan, type Span } from "./json_span.ts";

/** Sections of TOML whose `version` is the project's (doc.rust-lang.org/cargo, PEP 621, python-poetry.org). */
const TOML_SECTION = /^\[(?:package|workspace\.package|project|tool\.poetry)\][ \t]*(?:#.*)?$/;
const TOML_VERSION = /^version[ \t]*=[ \t]*(["'])([^"'\r\n]*)\1/;

function tomlSpans(text: string): Span[] {
  const spans: Span[] = [];
  let within = false;
  let start = 0;
  for (const line of text.split("\n")) {
    if (line.startsWith("[")) within = TOML_SECTION.test(line.trimEnd());
    const match = within ? TOML_VERSION.exec(line) : null;
    if (match !== null) {
      const at = start + match[0].length - 1 - match[2]!.length;
      spans.push({ start: at, end: at + match[2]!.length, value: match[2]! });
    }
    start += line.length + 1;
  }
  return spans;
}

/** Longer lines are data. */
const LINE_CHARS = 300;

/** `const Version = "1.2.0"`, `VERSION: &str = "1.2.0"`, `__version__ = '1.2.0'`, `#define APP_VERSION "1.2.0"`. */
const CONSTANT =
  /(?<![\w.])(?:[A-Za-z][A-Za-z0-9_]*_)?(?:VERSION|Version|version|__version__)(?:[ \t]*:[ \t]*[\w&'.]+)?(?:[ \t]*:?=[ \t]*|[ \t]+)(["'`])v?(\d+\.\d+\.\d+[\w.+-]*)\1/g;

function constantSpans(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    for (
      const { 0: whole, 2: value, index } of line.length > LINE_CHARS ? [] : line.matchAll(CONSTANT)
    ) {
      const end = start + index + whole.length - 1;
      spans.push({ start: end - value!.length, end, value: value! });
    }
    start += line.length + 1;
  }
  return spans;
}

const some = (...spans: (Span | undefined)[]) => spans.filter((span) => span !== undefined);

/** Files of the root, by name. */
const MANIFESTS: Readonly<Record<string, (text: string) => Span[]>> = {
  "deno.json": (text) => some(jsonSpan(text, ["version"])),
  "deno.jsonc": (text) => some(jsonSpan(text, ["version"])),
  "jsr.json": (text) => some(jsonSpan(text, ["version"])),
  "package.json": (text) => some(jsonSpan(text, ["version"])),
  "package-lock.json": (text) =>
    some(jsonSpan(text, ["version"]), jsonSpan(text, ["packages", "", "version"])),
  "Cargo.toml": tomlSpans,
  "pyproject.toml": tomlSpans,
};

const CONSTANT_FILE =
  /(?:^|\/)(?:_{0,2}version_{0,2}\.(?:c|cc|cpp|cs|dart|ex|go|h|hpp|java|jl|js|kt|lua|mjs|php|pl|py|rb|rs|scala|swift|ts|zig)|__init__\.py)$/i;
/** A version there is another's, or an example. */
const FOREIGN =
  /(?:^|\/)(?:tests?|fixtures?|testdata|examples?|samples?|docs?|vendor|node_modules|third_party|deps|dist|build)\//i;

/** One package may have many modules; each is read. */
const CONSTANT_FILES = 200;

/** Those of a repo's files that may say its version, manifests first. */
export function versionFiles(paths: readonly string[]): string[] {
  const constants = paths.filter((path) => CONSTANT_FILE.test(path) && !FOREIGN.test(path));
  return [
    ...Object.keys(MANIFESTS).filter((path) => paths.includes(path)),
    ...constants.slice(0, CONSTANT_FILES),
  ];
}

export const isManifest = (path: string): boolean => Object.hasOwn(MANIFESTS, path);

/** Its three bytes in UTF-8. */
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;

/** Positions in bytes; empty where the file names no version. */
export function versionSpans(path: string, text: ByteText): Span[] {
  if (isManifest(path)) return MANIFESTS[path]!(text);
  if (/\.toml$/.test(path)) return tomlSpans(text);
  if (/\.jsonc?$/.test(nameOf(path))) return some(jsonSpan(text, ["version"]));
  const bare = text.replace(BYTE_ORDER_MARK, "").trim().replace(/^v/, "");
  if (parseSemver(bare) === undefined) return constantSpans(text);
  const start = text.indexOf(bare);
  return [{ start, end: start + bare.length, value: bare }];
}

/** The same text with another version at the places given, which are in order. */
export function withVersion(text: ByteText, spans: readonly Span[], version: string): ByteText {
  let edited = "";
  let at = 0;
  for (const { start, end } of spans) {
    edited += text.slice(at, start) + version;
    at = end;
  }
  return edited + text.slice(at);
}
