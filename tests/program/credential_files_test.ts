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

const LOOKED = {
  always: true,
  reply: {
    calls: [{ name: "finish", args: { disposition: "no_work", evidence: "looked" } }],
  },
};

Deno.test("a .env that git ignores or does not track reaches no model, trace or output of a tool", async () => {
  await using site = await runSite({
    scenario: {
      roles: {
        engineer: [
          { reply: { calls: [...CALLS, { name: "file_read", args: { path: ".env.example" } }] } },
          LOOKED,
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

Deno.test("whatever documents and prompts a repo names, no credential file comes into a prompt", async () => {
  await using site = await runSite({ scenario: { roles: { engineer: [LOOKED] } } });
  const named = [".env", ".git/config", ".harness/.env.local", "certs/id_rsa"];
  const routes = [
    "version: 1",
    "routes:",
    '  - match: ["**"]',
    `    read: ${JSON.stringify(named)}`,
  ];
  await site.repo.write(".harness/knowledge/routes.yaml", `${routes.join("\n")}\n`);
  for (const path of named) {
    const before = path === ".git/config" ? await site.repo.read(path) : "";
    await site.repo.write(path, `${before}# ${VALUE}\n`);
  }
  const task = ["engineer", "--task", "look"];
  for (const profile of [[], HOST]) {
    const ran = await site.run(...task, ...profile);
    assert.equal(ran.code, 0, ran.stderr);
  }
  assert.ok(site.model.requests.some(({ text }) => text.includes("# Role: engineer")));

  const manifest = await site.repo.read(".harness/manifest.yaml");
  await site.repo.write(
    ".harness/manifest.yaml",
    manifest.replace("prompt: roles/engineer.md", "prompt: .env.local"),
  );
  const unfit =
    /Cannot brief role "engineer" from "\.harness\/\.env\.local": it may hold credentials/;
  const way = /Correct roles\.engineer\.prompt in \.harness\/manifest\.yaml/;
  for (const how of [[], ["--dry-run"]]) {
    const { code, stdout, stderr } = await site.run(...task, ...how);
    assert.notEqual(code, 0);
    assert.match(stdout + stderr, unfit);
    assert.match(stdout + stderr, way);
  }
  const sent = site.model.requests.map(({ text }) => text).join("\n");
  assert.ok(!sent.includes(VALUE), "a model was sent it");
  for (const [path, text] of await filesBelow(site.home)) assert.ok(!text.includes(VALUE), path);
});
