/** `make demo`, which ends by itself under DEMO_EXIT=1: a whole team through the real program and the API. */
import assert from "node:assert/strict";
import { repoRoot, svcCommand } from "tests/kit/script.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { demoSite, removeSite } from "demo/site.ts";

Deno.test("the demo takes three tickets from backlog to done, one of them by way of rework", async () => {
  await using temp = await tempFolder("svc-demo-test-");
  const folder = temp.path;
  const svc = `${folder}/svc`;
  const words = svcCommand().map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(svc, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "demo/run.ts"],
    cwd: repoRoot,
    env: {
      ...{ SVC_BIN: svc, DEMO_EXIT: "1", DEMO_PACE_MS: "0", TMPDIR: folder, HOME: folder },
      ...{ DENO_NO_PROMPT: "1", DEMO_KEEP: "1" },
    },
    stdin: "null",
  }).output();
  const said = new TextDecoder().decode(stderr);
  assert.equal(code, 0, said);
  const summary = said.slice(said.indexOf("\ndone "));
  assert.match(summary, /^\ndone {7}3 tickets in \d+ s$/m);
  const merged = [
    "fix(stats): sort numbers as numbers in the median",
    "feat(stats): add the mode",
    "fix(stats): the mode of nothing is null, and tested",
    "feat(stats): add percentiles",
  ];
  for (const subject of merged) {
    assert.match(summary, new RegExp(`[0-9a-f]{7} ${RegExp.escape(subject)}`));
  }
  assert.match(summary, /qa: changes_requested; T-0002 review → in-progress; then engineer/);
  assert.match(summary, /model: scripted-demo \(fixture\)/);
  const [repo = ""] = /(?<=git -C )\S+/.exec(summary) ?? [];
  const check = await new Deno.Command("npm", { args: ["test"], cwd: repo }).output();
  assert.equal(check.code, 0, "the merged work passes its tests");
  const [secret = ""] = /(?<=log in with )\S+/.exec(said) ?? [];
  assert.equal(said.split(secret).length, 2, "the secret is told once, by the demo alone");
});

Deno.test("the demo's folder goes whole, and a repo that it cloned stays", async () => {
  const own = await demoSite(undefined);
  const clone = await demoSite(own.repo);
  await Deno.mkdir(`${clone.home}/cache`, { recursive: true });
  await Deno.writeTextFile(`${clone.home}/cache/x`, "");
  await Deno.chmod(`${clone.home}/cache`, 0o500);
  await removeSite(clone);
  const there = (path: string) => Deno.stat(path).then(() => true, () => false);
  assert.deepEqual([await there(clone.folder), await there(own.repo)], [false, true]);
  await removeSite(own);
  assert.equal(await there(own.folder), false);
});
