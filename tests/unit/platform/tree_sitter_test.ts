import { CODE_FILE_BYTES } from "svc/features/code_intel/code_file.ts";
import assert from "node:assert/strict";
import { LANGUAGES } from "svc/features/code_intel/languages/all.ts";
import { openParsers, type QueryMatch, type SyntaxTree } from "svc/platform/tree_sitter.ts";

const runtime = {
  build: "source",
  root: decodeURIComponent(new URL("../../../", import.meta.url).pathname),
} as const;
const parsers = await openParsers(runtime);

async function parsed(grammar: string, source: string, by = parsers): Promise<SyntaxTree> {
  const syntax = await by.parse(grammar, source);
  if (typeof syntax === "string") throw new Error(syntax);
  return syntax;
}

Deno.test("parsers have each grammar, and its queries are valid for it", async () => {
  for (const { name, grammar, definitions, imports } of LANGUAGES) {
    using syntax = await parsed(grammar, "\n");
    assert.deepEqual(syntax.matches(definitions), [], name);
    assert.deepEqual(syntax.matches(imports), [], name);
  }
});

Deno.test("a parsed file tells places in letters and lines, beyond ASCII too", async () => {
  const source = 'const é = "🎉";\nf(x);\n';
  using syntax = await parsed("typescript", source);
  const [match] = syntax.matches("(call_expression function: (_) @f)") as readonly QueryMatch[];
  const at = source.indexOf("f(");
  assert.deepEqual(match?.captures, [
    { name: "f", text: "f", start: at, end: at + 1, line: 2, endLine: 2 },
  ]);
  const around = syntax.around({ start: at, end: at + 1, depth: 9, fields: ["function"] });
  assert.deepEqual(around.map(({ type }) => type), [
    ...["identifier", "call_expression", "expression_statement", "program"],
  ]);
  assert.deepEqual(around.map(({ field }) => field), [
    "function",
    ...[undefined, undefined, undefined],
  ]);
});

Deno.test("text that is all errors ends in time, and the parser goes on after it", async () => {
  const openers = "(".repeat(CODE_FILE_BYTES / 4);
  const syntax = await parsers.parse("typescript", openers);
  if (typeof syntax !== "string") {
    assert.equal(syntax.broken, true);
    assert.equal(syntax.matches("(function_declaration name: (_) @name)"), "too_slow");
    syntax.around({ start: 10, end: 11, depth: 64, fields: ["function", "name"] });
    syntax[Symbol.dispose]();
  }
  using after = await parsed("typescript", "f();");
  assert.equal(after.broken, false);
});

Deno.test("a file has its time whatever else the machine does, and no more", async () => {
  const source = "function price() {}\n".repeat(2_000);
  const query = "(function_declaration name: (_) @name)";
  /** An hour passes between any two looks; of that the process works `worked` ms. */
  const busy = (worked: number) => {
    let looks = 0;
    return { monotonic: () => ++looks * 3_600_000, processor: () => looks * worked };
  };
  using syntax = await parsed("typescript", source, await openParsers(runtime, busy(0)));
  assert.equal(syntax.matches(query).length, 2_000);
  const slow = await openParsers(runtime, busy(1_001));
  assert.equal(await slow.parse("typescript", source), "too_slow");
});

Deno.test("a missing parser file is a failure that says which", async () => {
  const empty = await Deno.makeTempDir();
  try {
    await assert.rejects(
      openParsers({ build: "portable", root: `${empty}/` }),
      /Cannot read the parser file ".*\/wasm\/web-tree-sitter.wasm"/,
    );
  } finally {
    await Deno.remove(empty);
  }
});

Deno.test("the parser works in a Worker that may only read the program", async () => {
  const worker = new Worker(new URL("parser_worker.ts", import.meta.url), {
    type: "module",
    deno: {
      permissions: {
        ...{ net: false, write: false, run: false, env: false, sys: false, ffi: false },
        ...{ import: false, read: [runtime.root] },
      },
    },
  });
  try {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    worker.postMessage(runtime);
    assert.equal((await promise as QueryMatch[]).length, 1);
  } finally {
    worker.terminate();
  }
});
