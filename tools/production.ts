/**
 * `production.json`: the settings of a build. They are those of `deno.json`, without the packages that only
 * tests and generated files need: a new machine that builds svc fetches a third of all files.
 */
import { root } from "./modules.ts";

/** Their files are read, and not imported. */
const READ: readonly string[] = ["@vscode/tree-sitter-wasm", "yaml"];
/** The pages are generated, so that a build takes them as they are. */
const GENERATED_FROM = "src/dashboard";

async function texts(folder: string): Promise<string[]> {
  if (folder === GENERATED_FROM) return [];
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(root + folder)) {
    if (isDirectory) found.push(...await texts(`${folder}/${name}`));
    else if (name.endsWith(".ts")) found.push(await Deno.readTextFile(`${root}${folder}/${name}`));
  }
  return found;
}

export async function productionSettings(): Promise<string> {
  const { nodeModulesDir, unstable, imports } = JSON.parse(
    await Deno.readTextFile(`${root}deno.json`),
  );
  const code = [...await texts("src"), await Deno.readTextFile(`${root}tools/link.ts`)].join("\n");
  const imported = new Set(
    [...code.matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, name]) => name!),
  );
  const isImported = (name: string) =>
    imported.values().some((one) => one === name || one.startsWith(`${name}/`));
  const needed = Object.entries<string>(imports).filter(([name, where]) =>
    !where.startsWith("npm:") || READ.includes(name) || isImported(name)
  );
  const settings = { nodeModulesDir, unstable, imports: Object.fromEntries(needed) };
  return `${JSON.stringify(settings, null, 2)}\n`;
}
