/** The harness that smoke tests run with: the repo's roles and guardrails, and nothing of its project or keys. */
import assert from "node:assert/strict";
import { readManifest } from "svc/features/harness/manifest.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { harnessUnderTest } from "svc/runtime/smoke/harness_under_test.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const MANIFEST = `
version: 1
project:
  name: big
  default_branch: trunk
  setup: [{ name: install, run: [npm, ci] }]
  checks: [{ name: all, run: [npm, test] }]
dispatch: { mode: manual, merge: pull_request }
roles:
  scribe:
    prompt: roles/scribe.md
    trust: contributor
    tools: [file_read, finish]
    limits: { max_turns: 90, budget_tokens: 400k }
    routes: { reported: { stop: done } }
guardrails: { deny_paths: ["secret/**"] }
`;

Deno.test("a repo's roles and guardrails are copied; its project, keys, tools and links are not", async () => {
  await using place = await tempFolder();
  await place.write(".harness/manifest.yaml", MANIFEST);
  await place.write(".harness/roles/scribe.md", "# Role: scribe\n");
  await place.write(".harness/skills/a/SKILL.md", "---\nname: a\n---\n");
  await place.write(".harness/.env.local", "OPENAI_API_KEY=sk-canary-0001\n");
  await place.write(".harness/tools/x.yaml", "name: x\n");
  await Deno.symlink("/etc/hostname", `${place.path}/.harness/roles/link.md`);
  using folder = await openFolder(place.path);
  const { manifest, from, texts } = await harnessUnderTest(folder, place.path);
  assert.equal(from, "repo");
  assert.deepEqual(Object.keys(manifest.roles), ["scribe"]);
  assert.deepEqual(Object.keys(texts).sort(), [
    ".harness/manifest.yaml",
    ".harness/roles/scribe.md",
    ".harness/skills/a/SKILL.md",
  ]);
  const smoke = readManifest(texts[".harness/manifest.yaml"]!);
  assert.deepEqual(smoke.project.checks.map(({ run }) => run), [["sh", "test.sh"]]);
  assert.deepEqual(smoke.project.setup, []);
  assert.deepEqual([smoke.project.default_branch, smoke.dispatch.merge], ["main", "local"]);
  assert.deepEqual(smoke.guardrails.deny_paths, ["secret/**"]);
  const { limits, tools, trust } = smoke.roles["scribe"]!;
  assert.deepEqual([limits.max_turns, limits.timeout_minutes], [20, 10]);
  assert.equal(limits.budget_tokens, "400k");
  assert.deepEqual([tools, trust], [["file_read", "finish"], "contributor"]);
});

Deno.test("without a harness svc's own is tested", async () => {
  await using place = await tempFolder();
  using folder = await openFolder(place.path);
  for (const repo of [folder, undefined]) {
    const { from, manifest, texts } = await harnessUnderTest(repo, place.path);
    assert.equal(from, "bundled");
    assert.ok(Object.hasOwn(manifest.roles, "engineer"));
    assert.ok(texts[".harness/roles/qa.md"]!.includes("# Role: qa"));
    assert.equal(readManifest(texts[".harness/manifest.yaml"]!).project.name, "smoke");
  }
});
