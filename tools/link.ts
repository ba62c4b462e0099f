/**
 * Joins the files of `deno bundle --code-splitting`, which splits by every module that is loaded by path, so that one
 * start would read hundreds of files. Afterwards what is needed at the same moments is one file.
 */
import { dirname, resolve } from "node:path";
import { rolldown } from "rolldown";
import { eager } from "./eager.ts";

/** Entries by the moment that needs them; a file goes where the moments that reach it are the same. */
type Moments = Readonly<Record<string, readonly string[]>>;

/** What no moment needs stays a file of its own. */
const MOMENTS: Moments = {
  start: ["main"],
  small: ["src/cli/commands/version", "src/cli/help", "src/cli/help_data"],
  worker: ["src/cli/execute"],
  confined: [
    "src/cli/parser",
    "src/cli/given_by",
    "src/cli/commands/serve",
    "src/cli/commands/start",
    "src/wire",
    "src/platform/process/interrupt",
    "src/platform/terminal",
    "src/cli/confined/run_confined",
    "src/store/placement",
    "src/features/repos/repo_store",
    "src/features/repos/register",
    "src/features/repos/follow_move",
    "src/platform/files/folder",
    "src/platform/git/repo_lock",
  ],
  run: [
    "src/cli/commands/run",
    "src/platform/files/folder",
    "src/features/repos/register",
    "src/features/repos/follow_move",
    "src/platform/git/worktree",
  ],
  listening: [
    "src/cli/confined/worker",
    "src/cli/commands/serve",
    "src/cli/commands/start",
    "src/cli/service/run",
    "src/http/control",
    "src/platform/net/listen",
  ],
  zod: ["src/core/zod"],
  yaml: ["src/platform/yaml"],
  serving: ["src/runtime/service/service", "src/runtime/start/begin_start"],
  pages: ["src/http/dashboard", "src/runtime/views/open_reads", "src/http/page_files"],
  asked: ["src/cli/commands/mcp/serve"],
  mcp: ["src/cli/commands/mcp/serve", "src/mcp/serve"],
  session: ["src/runtime/session/repo_session"],
  job: [
    "src/cli/commands/run",
    "src/runtime/run/requested_run",
    "src/runtime/run/report_run",
    "src/features/settings/config_file",
    "src/features/models/client/client",
    "src/features/models/local/preflight",
  ],
};

/** Entries that do something when they are imported; they are joined with nothing, so that nobody else runs them. */
const ACTING = ["main", "src/cli/confined/worker", "src/features/scanner/scan_worker"];

/** What `deno bundle` (2.9.6) puts before CommonJS modules: it loads the half of Node, 15 ms of each thread's start. */
const REQUIRE = `import { createRequire as __deno_internal_createRequire } from "node:module";
var __require = __deno_internal_createRequire(import.meta.url);
`;
const LAZY_REQUIRE = `var __required;
var __require = (id) =>
  (__required ??= process.getBuiltinModule("node:module").createRequire(import.meta.url))(id);
`;

/** So does the process, which packages import for what svc never asks of them. */
const PROCESS = /^import (\S+) from "node:process";$/gm;
const LAZY_PROCESS = "const $1 = new Proxy({}, { get: (_, name) => globalThis.process[name] });";

const NODE = /"node:(?:module|process)"/;

/** @throws Error where `deno bundle` has changed its words */
function nodeWhenUsed(code: string): string {
  const lazy = code.replace(REQUIRE, LAZY_REQUIRE).replace(PROCESS, LAZY_PROCESS);
  if (!lazy.includes("__deno_internal_createRequire")) return lazy;
  throw new Error("deno bundle writes its require in another way: change REQUIRE in tools/link.ts");
}

/** V8 keeps a source with a single character beyond Latin-1 in two bytes each, in every thread. */
function inAscii(code: string): string {
  const raw = /String\.raw`[^`]*[^\0-\x7f]/.exec(code);
  if (raw) throw new Error(`Cannot escape what String.raw holds: write it in ASCII: ${raw[0]}`);
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const IMPORT = /^(?:import|export)\b[^;]*?(?:from )?"(\.[^"]+)";/gms;

async function filesOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) found.push(...await filesOf(`${folder}/${name}`));
    else if (name.endsWith(".js")) found.push(`${folder}/${name}`);
  }
  return found;
}

/** What every start reads is one file, what each thread of a service reads another: a file costs some 0.2 ms. */
function fileOf(group: string): string {
  const moments = group.split("-");
  for (const first of ["start", "worker"]) if (moments.includes(first)) return first;
  const threads = moments.filter((one) => one === "confined" || one === "listening");
  return threads.length === 0
    ? group
    : [...threads, ...moments.filter((one) => one === "mcp")].join("-");
}

/** The name of each file's group: the moments that reach it. */
async function groupsOf(folder: string, moments: Moments): Promise<Map<string, string>> {
  const imports = new Map<string, readonly string[]>();
  for (const file of await filesOf(folder)) {
    const text = await Deno.readTextFile(file);
    imports.set(file, [...text.matchAll(IMPORT)].map(([, to]) => resolve(dirname(file), to!)));
  }
  const groups = new Map<string, string>();
  for (const [moment, entries] of Object.entries(moments)) {
    const reached = new Set<string>();
    const visit = (file: string) => {
      if (reached.has(file)) return;
      reached.add(file);
      imports.get(file)!.forEach(visit);
    };
    for (const entry of entries) visit(`${folder}/${entry}.js`);
    for (const file of reached) {
      const before = groups.get(file);
      groups.set(file, before === undefined ? moment : `${before}-${moment}`);
    }
  }
  for (const [file, group] of groups) groups.set(file, fileOf(group));
  for (const entry of ACTING) groups.delete(`${folder}/${entry}.js`);
  return groups;
}

/**
 * No file imports another in a circle: what it imports is needed by every moment that needs the file itself.
 * @param entries paths without extension; each is a file of the same name afterwards
 * @param called names of functions that starts call (`tools/eager.ts`)
 */
export async function link(
  from: string,
  to: string,
  entries: readonly string[],
  called: ReadonlySet<string>,
  moments = MOMENTS,
): Promise<void> {
  const groups = await groupsOf(from, moments);
  const needed = new Set(groups.values());
  await using build = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, `${from}/${entry}.js`])),
    cwd: from,
    platform: "neutral",
    treeshake: false,
    external: /^node:/,
    preserveEntrySignatures: "allow-extension",
    checks: { eval: false, pluginTimings: false }, // the parser of tree-sitter has `eval`
    plugins: [{
      name: "node-when-used",
      transform: { filter: { code: NODE }, handler: nodeWhenUsed },
    }, {
      name: "eager",
      renderChunk: (code, { name, isEntry }) =>
        isEntry || needed.has(name) ? eager(code, called) : null,
    }, {
      name: "ascii",
      generateBundle(_, files) {
        for (const file of Object.values(files)) {
          if (file.type === "chunk") file.code = inAscii(file.code);
        }
      },
    }],
  });
  await build.write({
    dir: to,
    format: "es",
    // Each thread keeps its sources in memory.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: (id) => groups.get(id) ?? null }],
    },
  });
}
