import assert from "node:assert/strict";
import type { Files } from "tests/kit/temp_repo.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { GO_MODULE, NODE_LIBRARY, PYTHON_PACKAGE } from "./layouts.ts";
import { scanned } from "./scanned.ts";

async function rulesThatFind(files: Files): Promise<string[]> {
  await using repo = await tempRepo({ files, commit: true });
  await using home = await tempFolder();
  const { findings } = await scanned(repo.path, home.path);
  return findings.map(({ rule, severity, path, title }) => `${severity} ${rule} ${path}: ${title}`);
}

Deno.test("scan finds nothing in a healthy Node library", async () => {
  assert.deepEqual(await rulesThatFind(NODE_LIBRARY), []);
});

Deno.test("scan finds nothing in a healthy Python package", async () => {
  assert.deepEqual(await rulesThatFind(PYTHON_PACKAGE), []);
});

Deno.test("scan finds only that a healthy Go module has no AGENTS.md", async () => {
  const findings = await rulesThatFind(GO_MODULE);
  assert.deepEqual(findings, ["low agents-missing undefined: The repo has no AGENTS.md"]);
});
