/** Where a project's own files say its version. They are read as text; nothing of the repo runs. */
import { parseSemver } from "svc/core/semver.ts";
import { jsonObject } from "./json_text.ts";

interface Texts {
  paths(path: RegExp): readonly string[];
  text(path: string): string;
}

/** What stands in a manifest until a release writes the version there. */
const NO_VERSION_YET = /^0\.0\.0-/;

const MANIFESTS: readonly (readonly [file: string, version: RegExp])[] = [
  ["package.json", /(?:^[ \t]*|[{,]\s*)"version":\s*"(\d[\w.+!-]*)"/m],
  ["deno.json", /(?:^[ \t]*|[{,]\s*)"version":\s*"(\d[\w.+!-]*)"/m],
  ["Cargo.toml", /^version\s*=\s*"(\d[\w.+!-]*)"/m],
  ["pyproject.toml", /^version\s*=\s*"(\d[\w.+!-]*)"/m],
];

type Said = string | undefined;

const first = (pattern: RegExp) => (text: string): Said => pattern.exec(text)?.[1];

const COMMENT_END = "-->";

function withoutComments(xml: string): string {
  const [before = "", ...commented] = xml.split("<!--");
  return before + commented.map((part) => {
    const end = part.indexOf(COMMENT_END);
    return end === -1 ? "" : part.slice(end + COMMENT_END.length);
  }).join("");
}

/** The `version` right below `project`; others are those of a parent or a dependency (maven.apache.org/pom.html). */
function ofPom(text: string): Said {
  const xml = withoutComments(text);
  let depth = 0;
  for (const tag of xml.matchAll(/<(\/?)([A-Za-z][\w.-]{0,60})([^<>]{0,2000})>/g)) {
    const [whole, closes, name, rest] = tag;
    if (closes === "/") depth--;
    else if (!rest!.endsWith("/")) depth++;
    if (depth !== 2 || closes === "/" || name !== "version") continue;
    const at = tag.index + whole.length;
    return /^\s*(\d[\w.+-]*)\s*</.exec(xml.slice(at, at + 200))?.[1];
  }
  return undefined;
}

function ofComposer(text: string): Said {
  const { version } = jsonObject(text);
  return typeof version === "string" ? /^v?(\d[\w.+-]*)$/.exec(version)?.[1] : undefined;
}

/** In CMake and Meson a comment may hold an older call. */
const uncommented = (text: string) => text.replaceAll(/#.*/g, "");

const cmake = first(/\bproject\s*\([^)]*?\bVERSION\s+"?(\d+(?:\.\d+)*)/i);
const meson = first(/\bproject\s*\([^)]*?\bversion\s*:\s*'(\d[\w.+-]*)'/);

/** Python's own words for it (peps.python.org/pep-0396); `_version.py` and `__about__.py` are usual names. */
const PYTHON = first(/^__version__\s*(?::\s*\w+\s*)?=\s*["'](\d[\w.+!-]*)["']/m);

/**
 * In this order, where the manifests above say nothing. Files of one row that say different versions say none:
 * svc cannot know which is the project's.
 */
const OTHERS: readonly (readonly [files: RegExp, version: (text: string) => Said])[] = [
  [/^pom\.xml$/, ofPom],
  [/^build\.gradle(?:\.kts)?$/, first(/^version[ \t]{0,9}(?:=[ \t]{0,9})?["'](\d[\w.+-]*)["']/m)],
  [/^gradle\.properties$/, first(/^version\s*[=:]\s*(\d[\w.+-]*)\s*$/m)],
  [
    /(?:^Directory\.Build\.props|\.(?:cs|fs|vb)proj)$/,
    first(/<Version(?:Prefix)?>\s*(\d[\w.+-]*)\s*</),
  ],
  [/^setup\.cfg$/, first(/^version\s*=\s*(\d[\w.+!-]*)\s*$/m)],
  [/^setup\.py$/, first(/(?<![\w.])version\s*=\s*["'](\d[\w.+!-]*)["']/)],
  [/^(?:src\/)?[\w-]+\/(?:__init__|__about__|_version|__version__|version)\.py$/, PYTHON],
  [/^[\w-]+\.gemspec$/, first(/^[ \t]{0,20}\w{1,40}\.version\s*=\s*["'](\d[\w.+-]*)["']/m)],
  [/^lib\/(?:[\w-]+\/){1,3}version\.rb$/, first(/^[ \t]{0,20}VERSION\s*=\s*["'](\d[\w.+-]*)["']/m)],
  [/^composer\.json$/, ofComposer],
  [/^mix\.exs$/, first(/^[ \t]{0,20}(?:@version|version:)\s*"(\d[\w.+-]*)"/m)],
  [/^CMakeLists\.txt$/, (text) => cmake(uncommented(text))],
  [/^meson\.build$/, (text) => meson(uncommented(text))],
  [
    /^configure\.(?:ac|in)$/,
    first(/^AC_INIT\([^,\n]{1,200},\s{0,99}\[?(\d[\w.+-]*)\]?\s*[,)]/m),
  ],
];

/** A repo of many projects has as many files; they do not agree anyway. */
const FILES_A_ROW = 40;

const isSaid = (version: Said): version is string =>
  version !== undefined && !NO_VERSION_YET.test(version);

export const saysVersion = (path: string): boolean =>
  MANIFESTS.some(([file]) => file === path) || OTHERS.some(([files]) => files.test(path));

function otherVersion(root: Texts): Said {
  for (const [files, version] of OTHERS) {
    const paths = root.paths(files).slice(0, FILES_A_ROW);
    const said = new Set(paths.map((path) => version(root.text(path))).filter(isSaid));
    if (said.size === 1) return [...said][0];
  }
  return undefined;
}

/**
 * The version in the project's own form, such as 1.2rc1 in Python: two forms would be two versions.
 * @param released whether a tag says one; it is then believed before a file that says no semver
 */
export function versionSaid(root: Texts, released: boolean): Said {
  const manifest = MANIFESTS.map(([file, pattern]) => pattern.exec(root.text(file))?.[1])
    .find(isSaid);
  if (manifest !== undefined) return manifest;
  const other = otherVersion(root);
  return other === undefined || (released && parseSemver(other) === undefined) ? undefined : other;
}
