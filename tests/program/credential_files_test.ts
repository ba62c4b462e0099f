/** Files of a repo that hold a person's credentials: what an agent is asked to read of them reaches no model. */
import assert from "node:assert/strict";
import { filesBelow } from "tests/kit/canaries.ts";
import { HOST, runSite } from "tests/kit/run_site.ts";

/** In no shape that a rule knows. */
const VALUE = "opensesame42";

const CALLS = [
  { name: "file_read", args: { path: ".env" } },
  { name: "file_read", args: { path: ".env.production" } },
  { name: "grep", args: { pattern: "DB_|open" } },
  { name: "grep", args: { pattern: "open", path: ".env" } },
  { name: "code_references", args: { name: "DB_HOST" } },
  { name: "git_diff", args: {} },
];

Deno.test("a .env that git ignores or does not track reaches no model, trace or output of a tool", async () => {
  const finish = [{ name: "finish", args: { disposition: "no_work", evidence: "looked" } }];
  await using site = await runSite({
    scenario: {
      roles: {
        engineer: [
          { reply: { calls: [...CALLS, { name: "file_read", args: { path: ".env.example" } }] } },
          { always: true, reply: { calls: finish } },
        ],
      },
    },
  });
  await site.repo.write(".git/info/exclude", ".env\n");
  await site.repo.write(".env", `DB_HOST=${VALUE}\n`);
  await site.repo.write(".env.production", `DB_HOST=${VALUE}\n`);
  await site.repo.write(".env.example", "DB_HOST=\n");
  for (const profile of [[], HOST]) {
    const ran = await site.run("engineer", "--task", "look", "--debug", ...profile);
    assert.equal(ran.code, 0, ran.stderr);
    assert.ok(!(ran.stdout + ran.stderr).includes(VALUE), ran.stderr);
    for (const { name, args } of CALLS) {
      const given = ["--args-json", JSON.stringify(args), ...profile];
      const { code, stdout, stderr } = await site.svc("tools", "run", name, ...given);
      assert.ok(!(stdout + stderr).includes(VALUE), name);
      if (name !== "file_read") continue;
      assert.equal(code, 1, stdout + stderr);
      assert.match(stdout + stderr, /Cannot read "\.env.*its name says that it holds credentials/);
    }
    const sample = JSON.stringify({ path: ".env.example" });
    const { stdout } = await site.svc("tools", "run", "file_read", "--args-json", sample);
    assert.match(stdout, /^DB_HOST=$/m);
  }
  const sent = site.model.requests.map(({ text }) => text).join("\n");
  assert.ok(!sent.includes(VALUE), "a model was sent it");
  for (const [path, text] of await filesBelow(site.home)) {
    assert.ok(!text.includes(VALUE), path);
  }
  // For a person these files are read as before.
  const scan = await site.svc("guardrails", "secret-scan");
  assert.doesNotMatch(scan.stdout + scan.stderr, /Cannot read/);
});
