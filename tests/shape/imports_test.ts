/** Imports within src: no circles, types included, and no file that the program never reaches. */
import assert from "node:assert/strict";

const root = decodeURIComponent(new URL("../..", import.meta.url).pathname);

/** Where the program begins; commands are loaded by their path. */
const isEntry = (path: string) =>
  path === "main.ts" || path === "src/dashboard/main.tsx" || path.startsWith("src/cli/commands/");

/** `import … from "x"`, `export … from "x"`, `import "x"`, `import("x")` and `typeof import("x")`. */
const IMPORT = /\b(?:from|import)\s*\(?\s*"([^"]+)"/g;

/** The types of the modules that are loaded by path: what it names is loaded, not imported. */
const MODULES = "src/modules.gen.ts";

/** A path without its extension, as `load` and `url` of the entrance take it. */
const LOADED = /"(src\/[\w/]+)"/g;

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(root + folder)) {
    if (name === "node_modules") continue;
    if (isDirectory) yield* sources(`${folder}/${name}`);
    else if (/\.tsx?$/.test(name)) yield `${folder}/${name}`;
  }
}

function resolved(from: string, specifier: string): string {
  if (specifier.startsWith("svc/")) return `src/${specifier.slice(4)}`;
  return from.slice(0, from.lastIndexOf("/") + 1) + specifier.replace(/^\.\//, "");
}

interface Links {
  /** Files that are imported, also for their types alone. */
  readonly imports: readonly string[];
  /** Files that are loaded by path while the program runs. */
  readonly loads: readonly string[];
}

async function linksOf(): Promise<ReadonlyMap<string, Links>> {
  const paths = ["main.ts", ...await Array.fromAsync(sources("src"))].sort();
  const known = new Set(paths);
  return new Map(
    await Promise.all(paths.map(async (path) => {
      const text = await Deno.readTextFile(root + path);
      const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!);
      const links: Links = {
        imports: path === MODULES
          ? []
          : named(IMPORT).map((name) => resolved(path, name)).filter((to) => known.has(to)),
        loads: named(LOADED).map((name) => `${name}.ts`).filter((to) => known.has(to)),
      };
      return [path, links] as const;
    })),
  );
}

/** Strongly connected components of more than one file (Tarjan's algorithm). */
function circlesIn(links: ReadonlyMap<string, Links>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string) => {
    order.set(path, order.size);
    low.set(path, order.get(path)!);
    stack.push(path);
    for (const to of links.get(path)!.imports) {
      if (!order.has(to)) visit(to);
      if (stack.includes(to)) low.set(path, Math.min(low.get(path)!, low.get(to)!));
    }
    if (low.get(path) !== order.get(path)) return;
    const circle = stack.splice(stack.indexOf(path));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const path of links.keys()) if (!order.has(path)) visit(path);
  return circles;
}

Deno.test("no file imports itself by way of others, not even for a type", async () => {
  assert.deepEqual(circlesIn(await linksOf()), []);
});

Deno.test("a circle of imports is found, whatever leads to it", () => {
  const links = (imports: readonly string[]): Links => ({ imports, loads: [] });
  const graph = new Map([
    ["a", links(["b"])],
    ["b", links(["c", "d"])],
    ["c", links(["d"])],
    ["d", links(["b"])],
    ["e", links(["a", "d"])],
  ]);
  assert.deepEqual(circlesIn(graph), [["b", "c", "d"]]);
});

Deno.test("the program reaches every source file", async () => {
  const links = await linksOf();
  const reached = new Set([...links.keys()].filter(isEntry));
  for (const path of reached) {
    const { imports, loads } = links.get(path)!;
    for (const to of [...imports, ...loads]) reached.add(to);
  }
  assert.deepEqual([...links.keys()].filter((path) => !reached.has(path)), []);
});
