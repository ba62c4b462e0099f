import assert from "node:assert/strict";
import { readManifest } from "svc/features/harness/manifest.ts";
import { readMetadata } from "svc/features/harness/metadata.ts";
import { readTicket } from "svc/features/tickets/ticket_file.ts";
import { carryOut } from "svc/features/harness/operate.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { init, initPlan, siteAt } from "./harness_site.ts";

const forced = { force: true };

verifies(
  ["2.1:harness-directory:contents", "2.2:role:named-roles"],
  "init writes a manifest that is valid, with every role and its prompt",
  async () => {
    await using home = await tempFolder();
    await using repo = await tempRepo({ files: { "Makefile": "test:\n\ttrue\n" }, commit: true });
    using site = await siteAt(repo.path, home.path);
    await init(site);
    const text = await repo.read(".harness/manifest.yaml");
    assert.match(text, /^# yaml-language-server: \$schema=\.\/manifest\.schema\.json\n/);
    const manifest = readManifest(text);
    assert.deepEqual(Object.keys(manifest.roles), [
      "ceo",
      "orchestrator",
      "engineer",
      "qa",
      "gardener",
    ]);
    assert.deepEqual(manifest.project.checks, [
      { name: "test", run: ["make", "test"], timeout_seconds: 600 },
    ]);
    for (const [name, { prompt, tools }] of Object.entries(manifest.roles)) {
      const lines = (await repo.read(`.harness/${prompt}`)).split("\n");
      assert.equal(lines[0], `# Role: ${name}`);
      assert.ok(lines.length < 60, `${name} has ${lines.length} lines`);
      assert.ok(tools.includes("finish"));
    }
    const schema = JSON.parse(await repo.read(".harness/manifest.schema.json"));
    assert.deepEqual(schema.required, ["version", "project", "roles"]);
  },
);

Deno.test("the ticket that docs/tickets/README.md shows can be put into the backlog as it is", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files: { "a.txt": "a" }, commit: true });
  using site = await siteAt(repo.path, home.path);
  await init(site);
  const page = await repo.read("docs/tickets/README.md");
  const [, example = ""] = /^```markdown\n(.*?)^```$/ms.exec(page) ?? [];
  const path = "docs/tickets/backlog/T-0001-reject-an-empty-name.md";
  const { title, acceptance } = readTicket(new TextEncoder().encode(example), path);
  assert.equal(title, "Reject an empty name");
  assert.deepEqual(acceptance, ["POST /users with an empty name answers 400"]);
  const without = example.replace("role: engineer\n", "");
  assert.throws(
    () => readTicket(new TextEncoder().encode(without), path),
    /"role": is missing/,
  );
});

Deno.test("every prompt names only tools and dispositions that its role has", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files: { "a.txt": "a" }, commit: true });
  using site = await siteAt(repo.path, home.path);
  await init(site);
  const { roles } = readManifest(await repo.read(".harness/manifest.yaml"));
  for (const [name, { prompt, tools, routes }] of Object.entries(roles)) {
    const text = await repo.read(`.harness/${prompt}`);
    const named = new Set(
      [...text.matchAll(/`((?:file|ticket|git|check|command|record|code)_[a-z]+|grep|glob)`/g)]
        .map(([, tool]) => tool!),
    );
    const lacking = [...named].filter((tool) => !tools.includes(tool));
    assert.deepEqual(lacking, [], `${name} names tools that it does not have`);
    const ends = [...text.matchAll(/^\| `([a-z_]+)`/gm)].map(([, end]) => end!);
    // A question ends as blocked.
    assert.ok(!ends.includes("question") || "blocked" in routes, name);
    const routed = ends.filter((end) => end !== "question");
    assert.deepEqual(routed.sort(), Object.keys(routes).sort(), name);
  }
});

Deno.test("init names a repo whose name is hard to quote", async () => {
  await using home = await tempFolder();
  await using place = await tempFolder();
  await using repo = await tempRepo({ files: { "a.txt": "a" }, commit: true });
  const path = `${place.path}/it's "a": {b} # {{name}} $&`;
  await Deno.rename(repo.path, path);
  await Deno.mkdir(repo.path);
  using site = await siteAt(path, home.path);
  await init(site);
  const manifest = readManifest(await Deno.readTextFile(`${path}/.harness/manifest.yaml`));
  assert.equal(manifest.project.name, `it's "a": {b} # {{name}} $&`);
});

Deno.test("init --force shows the diff, keeps a copy, and leaves the user's files", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({
    files: { "AGENTS.md": "mine\n", "docs/README.md": "mine\n" },
    commit: true,
  });
  using site = await siteAt(repo.path, home.path);
  await init(site);
  await repo.write(".harness/roles/qa.md", "my qa\n");
  const record = await readMetadata(site);
  const { plan, backups } = await carryOut(site, "init", () => initPlan(site, forced));
  assert.deepEqual(plan.changes.map(({ path, change }) => [path, change]), [
    [".harness/roles/qa.md", "replace"],
  ]);
  assert.match(plan.changes[0]?.diff ?? "", /^-my qa$/m);
  assert.equal(await Deno.readTextFile(`${backups}/.harness/roles/qa.md`), "my qa\n");
  assert.equal(await repo.read("AGENTS.md"), "mine\n");
  assert.equal(await repo.read("docs/README.md"), "mine\n");
  assert.deepEqual(await readMetadata(site), record);
});

Deno.test("init does not write through a link", async () => {
  await using home = await tempFolder();
  await using outside = await tempFolder();
  await using repo = await tempRepo({ files: { "a.txt": "a" }, commit: true });
  await Deno.symlink(outside.path, `${repo.path}/.harness`);
  using site = await siteAt(repo.path, home.path);
  await assert.rejects(init(site));
  assert.deepEqual(await Array.fromAsync(Deno.readDir(outside.path)), []);
  await assert.rejects(Deno.stat(`${repo.path}/VERSION`), "nothing is left of the attempt");
});

Deno.test("readMetadata says that a damaged record is damaged", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files: { ".harness/metadata.json": '{"format": 1}' } });
  using site = await siteAt(repo.path, home.path);
  await assert.rejects(readMetadata(site), /Cannot read "\.harness\/metadata\.json"/);
});

Deno.test("a record without languages is damaged, and one of an older svc without a set-up is not", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files: { "a.txt": "a" }, commit: true });
  using site = await siteAt(repo.path, home.path);
  await init(site);
  const path = ".harness/metadata.json";
  const { project, ...rest } = JSON.parse(await repo.read(path));
  const { languages, setup: _, ...known } = project;
  const write = (project: object) => repo.write(path, JSON.stringify({ ...rest, project }));
  await write({ ...known, languages });
  assert.deepEqual((await readMetadata(site))?.project.languages, languages);
  for (const languages of [undefined, "go", [1]]) {
    await write({ ...known, languages });
    await assert.rejects(readMetadata(site), /metadata\.json": it is damaged/);
  }
});

Deno.test("init says of a harness behind a link that it is one, and not that it is damaged", async () => {
  await using home = await tempFolder();
  await using elsewhere = await tempFolder();
  await using repo = await tempRepo({ files: { "a.txt": "a" }, commit: true });
  await Deno.symlink(elsewhere.path, `${repo.path}/.harness`);
  using site = await siteAt(repo.path, home.path);
  await assert.rejects(init(site), {
    code: "environment",
    message: 'Cannot read ".harness/metadata.json": no plain folders lead to it',
  });
  await Deno.remove(`${repo.path}/.harness`);
  await repo.write(".harness/metadata.json", "{");
  await assert.rejects(init(site), /it is damaged/);
});
