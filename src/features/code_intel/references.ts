/** Finds the uses of a name and tells their kind: definition, call, type, import, text, or other. */
import { CODE_REFERENCES } from "svc/core/bounds.ts";
import type { GrepHit } from "svc/platform/git/grep.ts";
import type { SyntaxStep } from "svc/platform/tree_sitter.ts";
import { candidates, wholeWord } from "./candidates.ts";
import {
  type CodeScope,
  lineOf,
  type ParsedFile,
  type SourceText,
  type UnparsedFile,
  withCode,
} from "./code_file.ts";
import { outlineOf } from "./outline.ts";

export type Use = "definition" | "call" | "type" | "import" | "text" | "use" | "?";

interface Reference {
  readonly line: number;
  readonly use: Use;
  readonly text: string;
}

interface FileReferences {
  readonly path: string;
  readonly references: readonly Reference[];
  readonly why?: string;
}

export interface References {
  readonly files: readonly FileReferences[];
  readonly moreLines: number;
  readonly moreFiles: number;
  /** False when git found more than the limit. */
  readonly complete: boolean;
}

const COMMENT = /comment/;
const STRING = /string|heredoc|char_literal|character_literal|raw_text|text_content|quasi/;
const INSIDE_STRING = /substitution|interpolation|expansion/;
const CALL =
  /call|invocation|new_expression|object_creation|macro_invocation|^command$|^decorator$/;
const CALLED = ["function", "method", "name", "constructor", "macro", "type"];
const MEMBER =
  /member|attribute|selector|field_expression|scoped|qualified|command_name|^generic_name$/;
const LAST_OF_MEMBER = ["property", "attribute", "field", "name"];
const TYPE = /type|heritage|superclass|base_list|extends|implements|^trait_bounds$/;
const TYPE_FIELDS = [
  "type",
  "return_type",
  "superclass",
  "superclasses",
  "interfaces",
  "trait",
];
const OWNERS = [
  "object",
  "value",
  "operand",
  "expression",
  "scope",
  "path",
  "argument",
  "receiver",
];
const FIELDS = [...new Set([...CALLED, ...LAST_OF_MEMBER, ...TYPE_FIELDS, ...OWNERS])];
/** A type may contain the name this many nodes up. */
const TYPE_STEPS = 4;
const DEPTH = 64;

function isCall(steps: readonly SyntaxStep[]): boolean {
  for (const [at, { field }] of steps.entries()) {
    const above = steps[at + 1];
    if (above === undefined) return false;
    if (CALL.test(above.type) && (CALLED.includes(field ?? "") || above.type === "decorator")) {
      return true;
    }
    if (!MEMBER.test(above.type) || (field !== undefined && !LAST_OF_MEMBER.includes(field))) {
      return false;
    }
  }
  return false;
}

function isType(steps: readonly SyntaxStep[]): boolean {
  return steps.slice(0, TYPE_STEPS).some(({ type, field }) =>
    TYPE.test(type) && !/typeof|type_definition|alias/.test(type) ||
    TYPE_FIELDS.includes(field ?? "")
  );
}

function isString(steps: readonly SyntaxStep[]): boolean {
  for (const { type } of steps) {
    if (INSIDE_STRING.test(type)) return false;
    if (STRING.test(type)) return true;
  }
  return false;
}

function useAt(file: ParsedFile, at: number, length: number, defined: ReadonlySet<number>): Use {
  if (defined.has(at)) return "definition";
  const steps = file.syntax.around({ start: at, end: at + length, depth: DEPTH, fields: FIELDS });
  if (steps.some(({ type }) => COMMENT.test(type))) return "text";
  if (steps.some(({ type }) => file.language.importNodes.includes(type))) return "import";
  if (isString(steps)) return "text";
  if (isCall(steps)) return "call";
  return isType(steps) ? "type" : "use";
}

const RANK: readonly Use[] = ["definition", "call", "type", "import", "use", "text", "?"];

function placesIn(source: SourceText, line: number, name: RegExp): number[] {
  const start = source.lineStarts[line - 1] ?? source.text.length;
  return [...lineOf(source, line).matchAll(name)].map(({ index }) => start + index);
}

function referencesIn(
  file: ParsedFile | UnparsedFile,
  name: string,
  hits: readonly GrepHit[],
): Omit<FileReferences, "path"> {
  const word = new RegExp(wholeWord(name), "g");
  if ("why" in file) {
    const { source, why } = file;
    if (source === undefined) return { references: [], why };
    const references = hits.filter(({ line }) => placesIn(source, line, word).length > 0)
      .map(({ line }): Reference => ({ line, use: "?", text: lineOf(source, line) }));
    return { references, why };
  }
  const defined = new Set((outlineOf(file) ?? []).map(({ at }) => at));
  const references = hits.flatMap(({ line }): Reference[] => {
    const uses = placesIn(file, line, word).map((at) => useAt(file, at, name.length, defined));
    const use = RANK.find((one) => uses.includes(one));
    return use === undefined ? [] : [{ line, use, text: lineOf(file, line) }];
  });
  return { references };
}

export async function findReferences(
  scope: CodeScope,
  { name, path }: { readonly name: string; readonly path?: string },
): Promise<References> {
  const { hits, complete } = await candidates(scope, {
    pattern: wholeWord(name),
    ...(path !== undefined && { paths: [path] }),
  });
  const files: FileReferences[] = [];
  let [room, moreLines, moreFiles] = [CODE_REFERENCES, 0, 0];
  for (const [path, inFile] of hits) {
    if (room === 0) {
      moreLines += inFile.length;
      moreFiles++;
      continue;
    }
    const shown = inFile.slice(0, room);
    const found = await withCode(scope, path, (file) => referencesIn(file, name, shown));
    files.push({ path, ...found });
    room -= found.references.length;
    moreLines += inFile.length - shown.length;
  }
  return { files, moreLines, moreFiles, complete };
}
