/**
 * Changes that a check has to notice. Each keeps code from running, or ends it at once; code with a changed
 * meaning is never run, since it would have the full authority of the user.
 */
import { folderOf, joinPath, nameOf, stemOf } from "svc/core/path_parts.ts";
import { languageOf } from "svc/features/code_intel/languages/all.ts";
import { isTest } from "svc/features/code_intel/path_kind.ts";

export interface Breakage {
  /** Completes "passes although …". */
  readonly what: string;
  /** Path → its broken text. */
  readonly files: ReadonlyMap<string, string>;
}

/** Most files that are broken; one that the check runs is expected to be among them. */
const BROKEN_FILES = 2_000;

const MARK = "svc broke this file to see whether the check notices it (((";

/** A program that has it ends before its `main` (GCC and Clang: constructor, __builtin_trap). */
const TRAP =
  "\n__attribute__((constructor)) static void svc_broke_this(void) { __builtin_trap(); }\n";

const isC = (path: string) => /\.(?:c|cc|cpp|cxx|m)$/i.test(path);
/** A header is not a program of its own; its text becomes part of the files that include it. */
const isHeader = (path: string) => /\.(?:h|hh|hpp|hxx|inc|d\.ts)$/i.test(path);

function unreadable(path: string, text: string): string {
  if (isC(path)) return text + TRAP;
  // What stands before the first tag is printed as it is.
  if (path.endsWith(".php")) return text.replace("<?php", `<?php ${MARK}`);
  const [first = ""] = text.split("\n", 1);
  // A shell or an interpreter is still found by its first line.
  return first.startsWith("#!")
    ? `${first}\n${MARK}\n${text.slice(first.length + 1)}`
    : `${MARK}\n${text}`;
}

/** Configuration of tools: without these files any check fails. */
const CONFIG =
  /(?:\.config|^\.\w+rc)\.\w+$|^(?:grunt|gulp|jake|nox|rake)file\.\w+$|^(?:setup|conftest|build)\.\w+$/i;

/**
 * Languages whose projects svc finds, or that stand beside them, and whose symbols it does not read. Where
 * these did not count, a script beside them would be all that is broken, and no test of theirs notices it.
 */
const OTHER_CODE =
  /\.(?:t|p[lm]|exs?|l?hs|ml|erl|lua|swift|fs|vb|kt|scala|groovy|clj[cs]?|dart|jl|r|bats)$/i;

const isCode = (path: string) =>
  (languageOf(path) !== undefined || OTHER_CODE.test(path)) && !isHeader(path) &&
  !CONFIG.test(nameOf(path));

/** Perl's are in `t`, and its maintainers' own in `xt`, where nobody else runs them. */
const isPerlTest = (path: string) => /(?:^|\/)t\/(?:.*\/)?[^/]+\.t$/.test(path);

/** `test.c`, `tests.js`, `test-all.js`: tests of a project that has no folder for them. */
const isLoneTest = (path: string) => /^(?:tests?|specs?)(?:[-_.].*)?$/i.test(stemOf(path));

function testsAmong(paths: readonly string[]): string[] {
  const code = paths.filter(isCode);
  const named = code.filter((path) => isTest(path) || isPerlTest(path));
  return named.length > 0 ? named : code.filter(isLoneTest);
}

export interface BreakableTree {
  /** Tracked files. */
  readonly paths: readonly string[];
  /** Undefined for what is no text of a usual size. */
  read(path: string): Promise<string | undefined>;
}

async function textsOf(
  { read }: BreakableTree,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const path of paths.slice(0, BROKEN_FILES)) {
    const text = await read(path);
    if (text !== undefined) texts.set(path, text);
  }
  return texts;
}

const few = (paths: readonly string[], what: string) =>
  paths.length === 1 ? `${paths[0]} does not run` : `none of ${paths.length} ${what} runs`;

const broken = (texts: ReadonlyMap<string, string>) =>
  new Map([...texts].map(([path, text]) => [path, unreadable(path, text)]));

const IMPORTED = /\b(?:require\(|from|import)\s?["'](\.{1,2}(?:\/[\w.@/-]*)?)["']/g;
const ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", "/index.js", "/index.ts"];

/** The file that most tests load by its path. */
function mostLoaded(tests: ReadonlyMap<string, string>, paths: readonly string[]) {
  const known = new Set(paths);
  const counts = new Map<string, number>();
  for (const [from, text] of tests) {
    const loaded = new Set(
      [...text.matchAll(IMPORTED)].map(([, to]) => joinPath(folderOf(from), to!)),
    );
    for (const to of loaded) {
      if (to === undefined) continue;
      const path = ENDINGS.map((ending) => to === "" ? ending.slice(1) : to + ending)
        .find((one) => known.has(one) && !tests.has(one) && /\.[cm]?[jt]sx?$/.test(one));
      if (path !== undefined) counts.set(path, (counts.get(path) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** By the check's name: what runs tests must notice broken tests, all else a broken source. */
export async function breakagesFor(check: string, tree: BreakableTree): Promise<Breakage[]> {
  const tests = await textsOf(
    tree,
    /(?:^|-)(?:test|check)$/.test(check) ? testsAmong(tree.paths) : [],
  );
  if (tests.size === 0) {
    const sources = await textsOf(tree, tree.paths.filter(isCode));
    if (sources.size === 0) return [];
    return [{ what: few([...sources.keys()], "source files"), files: broken(sources) }];
  }
  const found = [{ what: few([...tests.keys()], "test files"), files: broken(tests) }];
  // A runner that counts failures and ends well is seen by tests that run and fail.
  const main = mostLoaded(tests, tree.paths);
  if (main !== undefined) found.push({ what: `${main} is empty`, files: new Map([[main, ""]]) });
  return found;
}
