/** Finds the files related to a file: its imports and importers, its tests, and what changes with it. */
import { stemOf } from "svc/core/path_parts.ts";
import { CODE_CHANGED_WITH } from "svc/core/bounds.ts";
import { candidates, parsedFew, wholeWord } from "./candidates.ts";
import { type CodeScope, type ParsedFile, withCode } from "./code_file.ts";
import { type FileIndex, fileIndex } from "./file_index.ts";
import { folderPrefix, type Language } from "./language.ts";
import { languageOf } from "./languages/all.ts";
import { isTest, namesakes } from "./path_kind.ts";

interface Import {
  readonly specifier: string;
  readonly member: string | undefined;
  readonly call: string | undefined;
}

const unquoted = (text: string) => /^(["'`])(.*)\1$/s.exec(text)?.[2] ?? text;

/** The imports of a file in its order, each once. */
function importsOf({ syntax, language }: ParsedFile): readonly Import[] {
  const matches = syntax.matches(language.imports);
  if (typeof matches === "string") return [];
  const found = new Map<string, Import>();
  for (const { captures } of matches) {
    const from = captures.find(({ name }) => name === "from");
    if (from === undefined) continue;
    const member = captures.find(({ name }) => name === "member")?.text;
    const call = captures.find(({ name }) => name === "call")?.text;
    const written = unquoted(from.text);
    for (const specifier of language.each?.(written) ?? [written]) {
      found.set(JSON.stringify([specifier, member, call]), { specifier, member, call });
    }
  }
  return [...found.values()];
}

export interface RelatedFile {
  readonly path: string;
  readonly why: string;
}

export interface Related {
  readonly notParsed: string | undefined;
  readonly imports: readonly RelatedFile[];
  readonly packages: readonly string[];
  readonly importedBy: readonly RelatedFile[];
  readonly left: number;
  readonly tests: readonly RelatedFile[];
  /** Whether the file is a test itself; then `tests` lists the files that it tests. */
  readonly itself: boolean;
  readonly changedWith: readonly RelatedFile[];
}

type Neighbours = Omit<Related, "changedWith">;

interface GraphBounds {
  readonly index: FileIndex;
  /** Files that are parsed to see whether they import one of the paths. */
  readonly most?: number;
}

const said = ({ specifier, member }: Import) =>
  member === undefined ? specifier : `${specifier} (${member})`;

function filesOf(index: FileIndex, from: string, language: Language, one: Import) {
  return index.resolve(from, language.targets(from, one.specifier, one.member, one.call), language);
}

async function ownImports(scope: CodeScope, index: FileIndex, path: string) {
  const language = languageOf(path);
  return await withCode(scope, path, (file) => {
    const imports = new Map<string, string>();
    const packages: string[] = [];
    if ("why" in file || language === undefined) {
      return { imports, packages, notParsed: "why" in file ? file.why : undefined };
    }
    for (const one of importsOf(file)) {
      const files = filesOf(index, path, language, one).filter((other) => other !== path);
      if (files.length === 0) packages.push(one.specifier);
      for (const other of files) imports.set(other, imports.get(other) ?? `as "${said(one)}"`);
    }
    return { imports, packages: [...new Set(packages)], notParsed: undefined };
  });
}

function namesOf(path: string): readonly string[] {
  const folder = folderPrefix(path).split("/").at(-2);
  const language = languageOf(path)?.name;
  const stem = stemOf(path).replace(/\.d$/, "");
  if (folder === undefined) return [stem];
  if (language === "Go") return [folder];
  if (language === "C#") return [folder, stem];
  if (language === "Java") return [stem, `${folder}.*`];
  return /^(?:index|mod|__init__)$/.test(stem) ? [folder, stem] : [stem];
}

const BLANKS = "[[:space:]]";

/** Also the shell's dot, and a line of a list that began on an earlier one: `  cart::Cart,`. */
function importing(names: readonly string[]): string {
  const words = names.map(wholeWord).join("|");
  const word =
    `(import|from|require|use|using|include|source|mod|load|["'\`<]|^${BLANKS}*[.]${BLANKS})`;
  const listed =
    `^${BLANKS}+([A-Za-z0-9_]+::)*(${words})(::[^=;()]*| as [A-Za-z0-9_]+)?[,)]${BLANKS}*$`;
  return `${word}.*(${words})|${listed}`;
}

interface Importers {
  /** By imported path: who imports it, and as what. */
  readonly of: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly left: number;
}

async function importers(
  scope: CodeScope,
  imported: readonly string[],
  { index, most }: GraphBounds,
): Promise<Importers> {
  const found = new Map(imported.map((path) => [path, new Map<string, string>()]));
  const names = [...new Set(imported.flatMap(namesOf))];
  if (names.length === 0) return { of: found, left: 0 };
  const { hits } = await candidates(scope, { pattern: importing(names) });
  const parsed = parsedFew(
    [...hits.keys()].filter((other) => languageOf(other) !== undefined).sort(),
    most,
  );
  for (const other of parsed.few) {
    const language = languageOf(other)!;
    const imports = await withCode(scope, other, (file) => "why" in file ? [] : importsOf(file));
    for (const one of imports) {
      for (const path of filesOf(index, other, language, one)) {
        const as = found.get(path);
        if (path !== other && as?.has(other) === false) as.set(other, `as "${said(one)}"`);
      }
    }
  }
  return { of: found, left: parsed.left };
}

const isSameFamily = (one: string, other: string) =>
  languageOf(one) !== undefined && languageOf(one)?.targets === languageOf(other)?.targets;

const listed = (found: Iterable<readonly [string, string]>): RelatedFile[] =>
  [...found].map(([path, why]) => ({ path, why })).sort((a, b) => a.path < b.path ? -1 : 1);

async function changedWith(scope: CodeScope, index: FileIndex, path: string) {
  const { commits, counts } = await scope.git.changedWith(path);
  const there = new Set(index.paths);
  return [...counts]
    .filter(([other, count]) => count > 1 && there.has(other))
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .slice(0, CODE_CHANGED_WITH)
    .map(([other, count]) => ({ path: other, why: `in ${count} of ${commits} commits` }));
}

export async function indexOf(scope: Pick<CodeScope, "allowed" | "git">): Promise<FileIndex> {
  const { paths } = await scope.git.listFiles();
  return fileIndex(paths.filter((one) => scope.allowed(one)));
}

/** All but what the history tells, by path. */
export async function neighbours(
  scope: CodeScope,
  paths: readonly string[],
  bounds: GraphBounds,
): Promise<ReadonlyMap<string, Neighbours>> {
  const { of: importedBy, left } = await importers(scope, paths, bounds);
  const found = new Map<string, Neighbours>();
  for (const path of paths) {
    const { imports, packages, notParsed } = await ownImports(scope, bounds.index, path);
    const itself = isTest(path);
    const byName = namesakes(path, bounds.index.paths).filter((other) =>
      other !== path && isSameFamily(other, path)
    );
    const tests = new Map(byName.map((other) => [other, "by its name"]));
    const own = importedBy.get(path)!;
    for (const [other, as] of itself ? [] : own) {
      if (isTest(other) && !tests.has(other)) tests.set(other, `imports it ${as}`);
    }
    found.set(path, {
      ...{ notParsed, imports: listed(imports), packages, importedBy: listed(own), left },
      ...{ tests: listed(tests), itself },
    });
  }
  return found;
}

export async function relatedTo(scope: CodeScope, path: string): Promise<Related> {
  const index = await indexOf(scope);
  const near = (await neighbours(scope, [path], { index })).get(path)!;
  return { ...near, changedWith: await changedWith(scope, index, path) };
}
