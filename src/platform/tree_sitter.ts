/** The parser of source code: WebAssembly grammars beside the program, read as bytes when first used. */
import { Language, type Node, Parser, Query, type Tree } from "web-tree-sitter";
import { Failure } from "svc/core/failure.ts";
import type { Entrance } from "./entrance.ts";

/** What parsing one file of source may take; usual is 7 MB/s, hostile text is far slower. */
const CODE_PARSE_MS = 1_000;

/** A stretch of source; offsets count UTF-16 code units from 0, lines from 1. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  /** Of its last character. */
  readonly endLine: number;
}

export interface Capture extends Stretch {
  /** As the query names it. */
  readonly name: string;
  readonly text: string;
}

/** What one pattern of a query found at one place, in the order of the source. */
export interface Match {
  /** Position of the pattern in its query, from 0. */
  readonly pattern: number;
  readonly captures: readonly Capture[];
}

/** A node on the way from a token up to the file; `field` is what it is to the node above it. */
export interface Step {
  readonly type: string;
  readonly field: string | undefined;
}

/** A parsed file; holds memory until it is disposed. */
export interface Syntax extends Disposable {
  /** The source is not valid in some place; the rest is as good as it can be told. */
  readonly broken: boolean;
  /** @param query of the language tree-sitter.github.io/tree-sitter/using-parsers/queries */
  matches(query: string): readonly Match[] | Unparsed;
  /** The node of the stretch, and the nodes around it, innermost first. */
  around(at: Around): readonly Step[];
}

export interface Around {
  readonly start: number;
  readonly end: number;
  /** How many nodes are told of, at most. */
  readonly depth: number;
  /** Fields that are of interest. */
  readonly fields: readonly string[];
}

/** What could not be parsed: it took too long, or the parser itself gave up. */
export type Unparsed = "too_slow" | "parser_failed";

export interface Parsers {
  /** @param grammar name of a file of the grammar package, such as "typescript" */
  parse(grammar: string, source: string): Promise<Syntax | Unparsed>;
}

/** @param runtime where the program stands: built, its grammars are beside it */
function grammarFolder({ build, root }: Pick<Entrance["runtime"], "build" | "root">): string {
  return build === "source" ? `${root}node_modules/@vscode/tree-sitter-wasm/wasm` : `${root}wasm`;
}

function runtimeFile({ build, root }: Pick<Entrance["runtime"], "build" | "root">): string {
  const name = "web-tree-sitter.wasm";
  return build === "source" ? `${root}node_modules/web-tree-sitter/${name}` : `${root}wasm/${name}`;
}

async function readWasm(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await Deno.readFile(path);
  } catch (cause) {
    throw new Failure("environment", `Cannot read the parser file "${path}"`, {
      cause,
      remedy: "Install svc again; until then use grep and file_read",
    });
  }
}

const stretch = (node: Node): Stretch => ({
  start: node.startIndex,
  end: node.endIndex,
  line: node.startPosition.row + 1,
  // A node that takes its line end ends in column 0 of the line after.
  endLine: Math.max(
    node.startPosition.row + 1,
    node.endPosition.row + (node.endPosition.column === 0 ? 0 : 1),
  ),
});

/** @param guarded gives undefined where the parser gives up */
function syntax(
  tree: Tree,
  queryOf: (text: string) => Query,
  guarded: <T>(work: () => T) => T | undefined,
): Syntax {
  const root = tree.rootNode;
  return {
    broken: root.hasError,
    matches(query) {
      const until = performance.now() + CODE_PARSE_MS;
      // Quadratic in the width of a node: text that is all errors is one wide node.
      let ended = false;
      const progressCallback = () => ended = performance.now() > until;
      const found = guarded(() => queryOf(query).matches(root, { progressCallback }));
      if (found === undefined) return "parser_failed";
      if (ended) return "too_slow";
      return found.map(({ patternIndex, captures }) => ({
        pattern: patternIndex,
        captures: captures.map(({ name, node }) => ({
          name,
          text: node.text,
          ...stretch(node),
        })),
      }));
    },
    around: (at) => guarded(() => steps(root, at)) ?? [],
    [Symbol.dispose]: () => guarded(() => tree.delete()),
  };
}

/** Steps whose field is told; finding it costs a call for each name. */
const FIELD_STEPS = 8;

function steps(root: Node, at: Around): readonly Step[] {
  const found: Step[] = [];
  let node = root.descendantForIndex(at.start, Math.max(at.start, at.end - 1));
  while (node !== null && found.length < at.depth) {
    const above: Node | null = node.parent;
    const field = found.length < FIELD_STEPS ? fieldOf(above, node, at.fields) : undefined;
    found.push({ type: node.type, field });
    node = above;
  }
  return found;
}

/** By name, not by number: a node of a text that is all errors has a million children. */
function fieldOf(above: Node | null, node: Node, fields: readonly string[]): string | undefined {
  return fields.find((field) => above?.childForFieldName(field)?.id === node.id);
}

/**
 * Starts the parser; a grammar is loaded at its first file. It holds some MB until the program ends.
 * @throws Failure `environment` when a file of the parser cannot be read
 */
export async function openParsers(
  runtime: Pick<Entrance["runtime"], "build" | "root">,
): Promise<Parsers> {
  await Parser.init({ wasmBinary: await readWasm(runtimeFile(runtime)) });
  const parser = new Parser();
  const grammars = new Map<string, Promise<Language>>();
  const queries = new Map<Language, Map<string, Query>>();
  /** After a fault inside WebAssembly its memory cannot be trusted. */
  let failed = false;

  function guarded<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (thrown) {
      if (!(thrown instanceof WebAssembly.RuntimeError)) throw thrown;
      failed = true;
      return undefined;
    }
  }

  async function load(grammar: string): Promise<Language> {
    return await Language.load(
      await readWasm(`${grammarFolder(runtime)}/tree-sitter-${grammar}.wasm`),
    );
  }

  function queryOf(language: Language, text: string): Query {
    const known = queries.get(language) ?? new Map<string, Query>();
    queries.set(language, known);
    const query = known.get(text) ?? new Query(language, text);
    known.set(text, query);
    return query;
  }

  function parse(language: Language, source: string): Tree | null {
    const until = performance.now() + CODE_PARSE_MS;
    try {
      return parser.setLanguage(language).parse(source, null, {
        progressCallback: () => performance.now() > until,
      });
    } finally {
      parser.reset();
    }
  }

  return {
    async parse(grammar, source) {
      const loaded = grammars.get(grammar) ?? load(grammar);
      grammars.set(grammar, loaded);
      const language = await loaded;
      const tree = failed ? undefined : guarded(() => parse(language, source));
      if (tree === undefined) return "parser_failed";
      return tree === null ? "too_slow" : syntax(tree, (text) => queryOf(language, text), guarded);
    },
  };
}
