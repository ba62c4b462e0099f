/** The parser of source code: WebAssembly grammars beside the program, read as bytes when first used. */
import { Language, type Node, Parser, Query, type Tree } from "web-tree-sitter";
import { CODE_PARSE_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Entrance } from "./entrance.ts";

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
  readonly named: boolean;
}

/** A parsed file; holds memory until it is disposed. */
export interface Syntax extends Disposable {
  /** The source is not valid in some place; the rest is as good as it can be told. */
  readonly broken: boolean;
  /** @param query of the language tree-sitter.github.io/tree-sitter/using-parsers/queries */
  matches(query: string): readonly Match[] | Unparsed;
  /** The node of the stretch, and the nodes around it, innermost first; at most `depth`. */
  around(start: number, end: number, depth: number): readonly Step[];
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

function syntax(tree: Tree, queryOf: (text: string) => Query): Syntax {
  const root = tree.rootNode;
  return {
    broken: root.hasError,
    matches(query) {
      const until = performance.now() + CODE_PARSE_MS;
      // Quadratic in the width of a node: text that is all errors is one wide node.
      const late = () => performance.now() > until;
      const found = queryOf(query).matches(root, { progressCallback: late });
      if (late()) return "too_slow";
      return found.map(({ patternIndex, captures }) => ({
        pattern: patternIndex,
        captures: captures.map(({ name, node }) => ({
          ...{ name, text: node.text },
          ...stretch(node),
        })),
      }));
    },
    around: (start, end, depth) => steps(tree, { start, end, depth }),
    [Symbol.dispose]: () => tree.delete(),
  };
}

/** Down from the file with a cursor: a node's own way up looks at all children of each node above it. */
function steps(tree: Tree, at: { start: number; end: number; depth: number }): readonly Step[] {
  const cursor = tree.walk();
  const found: Step[] = [];
  try {
    do {
      if (cursor.startIndex > at.start || cursor.endIndex < at.end) break;
      found.push({
        type: cursor.nodeType,
        field: cursor.currentFieldName ?? undefined,
        named: cursor.nodeIsNamed,
      });
      if (found.length > at.depth) found.shift();
    } while (cursor.gotoFirstChildForIndex(at.start));
    return found.reverse();
  } finally {
    cursor.delete();
  }
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
      if (failed) return "parser_failed";
      try {
        const tree = parse(language, source);
        return tree === null ? "too_slow" : syntax(tree, (text) => queryOf(language, text));
      } catch (thrown) {
        if (!(thrown instanceof WebAssembly.RuntimeError)) throw thrown;
        failed = true;
        return "parser_failed";
      }
    },
  };
}
