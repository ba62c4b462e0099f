/** Bundles the program into `dist/bundle`: an entry for every module that is loaded by path. */
import { LANGUAGES } from "svc/features/code_intel/languages/all.ts";
import { link } from "./link.ts";
import { loadedModules, root } from "./modules.ts";
import { precompressed } from "./precompress.ts";

export const bundleFolder = `${root}dist/bundle`;

/** Names of functions that starts call, one a line; `make called` writes it. */
export const CALLED = `${root}tools/called_at_start.txt`;

export async function calledAtStart(): Promise<ReadonlySet<string>> {
  return new Set((await Deno.readTextFile(CALLED)).split("\n"));
}

export async function run(program: string, args: readonly string[], env = {}): Promise<void> {
  const { code } = await new Deno.Command(program, { args: [...args], cwd: root, env }).spawn()
    .status;
  if (code !== 0) throw new Error(`${program} ${args[0]} ended with exit status ${code}`);
}

/** The parser and its grammars, which the program reads as bytes from `wasm/` beside it. */
async function copyGrammars(): Promise<void> {
  const packages = `${root}node_modules`;
  const grammars = LANGUAGES.map(({ grammar }) =>
    `${packages}/@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`
  );
  await Deno.mkdir(`${bundleFolder}/wasm`, { recursive: true });
  for (const path of [`${packages}/web-tree-sitter/web-tree-sitter.wasm`, ...grammars]) {
    const copy = `${bundleFolder}/wasm/${path.slice(path.lastIndexOf("/") + 1)}`;
    await Deno.writeFile(copy, await Deno.readFile(path));
  }
}

/** The dashboard's pages, plain and compressed, which the program reads from `assets/dashboard/` beside it. */
export async function copyDashboard(folder: string): Promise<void> {
  const from = `${root}assets/dashboard`;
  const to = `${folder}/assets/dashboard`;
  await Deno.mkdir(to, { recursive: true });
  for await (const { name } of Deno.readDir(from)) {
    const bytes = await Deno.readFile(`${from}/${name}`);
    await Deno.writeFile(`${to}/${name}`, bytes);
    for (const [ending, packed] of precompressed(bytes)) {
      await Deno.writeFile(`${to}/${name}${ending}`, packed);
    }
  }
}

/**
 * Not minified by `deno bundle`: that drops `using` where the resource is used once (esbuild 0.25.5, which it
 * carries), so that nothing is ever closed. White space goes when files are joined.
 */
export async function bundle(called?: ReadonlySet<string>): Promise<void> {
  await Deno.remove(bundleFolder, { recursive: true }).catch((thrown) => {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
  });
  const entries = ["main", ...await loadedModules()];
  const split = await Deno.makeTempDir({ prefix: "svc-bundle-" });
  await run(Deno.execPath(), [
    "bundle",
    "--quiet",
    // On a new machine its packages alone are there (`build_packages.ts`); elsewhere this shows that they are enough.
    ...["--config=production.json", "--node-modules-dir=manual", "--no-lock"],
    "--platform=deno",
    "--code-splitting",
    `--outdir=${split}`,
    ...entries.map((path) => `${path}.ts`),
  ]);
  await link(split, bundleFolder, entries, called ?? await calledAtStart());
  await Deno.remove(split, { recursive: true });
  await Promise.all([copyGrammars(), copyDashboard(bundleFolder)]);
}
