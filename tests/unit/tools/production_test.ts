/** The settings of a build name what the program imports, and no package of tests. */
import assert from "node:assert/strict";
import { productionSettings } from "tools/production.ts";

Deno.test("a build fetches the packages of the product alone, in the versions of deno.json", async () => {
  const { imports } = JSON.parse(await productionSettings());
  const all = JSON.parse(await Deno.readTextFile("deno.json")).imports;
  for (const [name, where] of Object.entries(imports)) assert.equal(where, all[name], name);
  for (const name of ["kysely", "pg", "openai", "zod/whole", "yaml", "@vscode/tree-sitter-wasm"]) {
    assert.ok(name in imports, name);
  }
  // The first two are for tests, the third for the generated page; the others are words of the code, and no imports.
  for (const name of ["fast-check", "playwright-core", "preact", "ollama", "send"]) {
    assert.ok(!(name in imports), name);
  }
});
