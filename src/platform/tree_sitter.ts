/** The parser of source code: WebAssembly grammars beside the program, read as bytes when first used. */
import { Language, type Node, Parser, Query, type Tree } from "web-tree-sitter";
import { Failure } from "svc/core/failure.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Entrance } from "./entrance.ts";

/** Processor time for one file; usual text parses at 7 MB/s, hostile text far slower. */
const CODE_PARSE_MS = 1_000;

type WorkClock = Pick<Clock, "monotonic" | "processor">;

/** True once `CODE_PARSE_MS` have passed in which the process worked: a busy machine takes no file's time away. */
function outOfTime({ monotonic, processor }: WorkClock): () => boolean {
  const [began, worked] = [monotonic(), processor()];
  // The time that has passed costs less to ask for.
  return () => monotonic() - began > CODE_PARSE_MS && processor() - worked > CODE_PARSE_MS;
}

/** Offsets count UTF-16 code units from 0, lines from 1. */
interface SourceSpan {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly endLine: number;
}

export interface QueryCapture extends SourceSpan {
  readonly name: string;
  readonly text: string;
}

export interface QueryMatch {
  readonly pattern: number;
  readonly captures: readonly QueryCapture[];
}

/** `field` is the node's role in the one above it. */
export interface SyntaxStep {
  readonly type: string;
  readonly field: string | undefined;
}

/** Holds memory until it is disposed. */
export interface SyntaxTree extends Disposable {
  /** A part of the source is not valid; the rest is parsed as far as possible. */
  readonly broken: boolean;
  /** @param query of the language tree-sitter.github.io/tree-sitter/using-parsers/queries */
  matches(query: string): readonly QueryMatch[] | Unparsed;
  around(at: NodeQuery): readonly SyntaxStep[];
}

interface NodeQuery {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  readonly fields: readonly string[];
}

type Unparsed = "too_slow" | "parser_failed";

export interface Parsers {
  /** `grammar` names a file of the grammar package, such as "typescript". */
  parse(grammar: string, source: string): Promise<SyntaxTree | Unparsed>;
}

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

const spanOf = (node: Node): SourceSpan => ({
  start: node.startIndex,
  end: node.endIndex,
  line: node.startPosition.row + 1,
  // A node that includes its line end ends in column 0 of the next line.
  endLine: Math.max(
    node.startPosition.row + 1,
    node.endPosition.row + (node.endPosition.column === 0 ? 0 : 1),
  ),
});

function syntax(
  tree: Tree,
  queryOf: (text: string) => Query,
  guarded: <T>(work: () => T) => T | undefined,
  clock: WorkClock,
): SyntaxTree {
  const root = tree.rootNode;
  return {
    broken: root.hasError,
    matches(query) {
      // A query is compiled once for all files, so that time is not charged to one file.
      const compiled = guarded(() => queryOf(query));
      // Time is quadratic in the width of a node, and text that is all errors is one wide node.
      let ended = false;
      const late = outOfTime(clock);
      const progressCallback = () => ended = late();
      const found = guarded(() => compiled?.matches(root, { progressCallback }));
      if (found === undefined) return "parser_failed";
      if (ended) return "too_slow";
      return found.map(({ patternIndex, captures }) => ({
        pattern: patternIndex,
        captures: captures.map(({ name, node }) => ({
          name,
          text: node.text,
          ...spanOf(node),
        })),
      }));
    },
    around: (at) => guarded(() => steps(root, at)) ?? [],
    [Symbol.dispose]: () => guarded(() => tree.delete()),
  };
}

/** Steps whose field is looked up, which costs a call for each name. */
const FIELD_STEPS = 8;

function steps(root: Node, at: NodeQuery): readonly SyntaxStep[] {
  const found: SyntaxStep[] = [];
  let node = root.descendantForIndex(at.start, Math.max(at.start, at.end - 1));
  while (node !== null && found.length < at.depth) {
    const above: Node | null = node.parent;
    const field = found.length < FIELD_STEPS ? fieldOf(above, node, at.fields) : undefined;
    found.push({ type: node.type, field });
    node = above;
  }
  return found;
}

/** Asks by name, not by position: in a text that is all errors a node has a million children. */
function fieldOf(above: Node | null, node: Node, fields: readonly string[]): string | undefined {
  return fields.find((field) => above?.childForFieldName(field)?.id === node.id);
}

/** Holds some MB until the program ends. @throws Failure `environment` when a parser file is missing */
export async function openParsers(
  runtime: Pick<Entrance["runtime"], "build" | "root">,
  clock: WorkClock = systemClock,
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
    const progressCallback = outOfTime(clock);
    try {
      return parser.setLanguage(language).parse(source, null, { progressCallback });
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
      if (tree === null) return "too_slow";
      return syntax(tree, (text) => queryOf(language, text), guarded, clock);
    },
  };
}
