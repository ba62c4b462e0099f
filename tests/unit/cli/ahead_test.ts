/** What a Worker loads ahead is declared by path: each one must be there. */
import assert from "node:assert/strict";
import { TREE } from "svc/cli/tree.gen.ts";

const root = new URL("../../../", import.meta.url);

Deno.test("the modules that commands load ahead are modules of the program", async () => {
  const modules = Object.entries(TREE.commands).flatMap(([path, { ahead = [] }]) =>
    ahead.map((module) => ({ path, module }))
  );
  for (const { path, module } of modules) {
    const { isFile } = await Deno.stat(new URL(`${module}.ts`, root));
    assert.ok(isFile, `${module} of svc ${path}`);
  }
  assert.ok(modules.length > 10);
});
