/** The other reader is npm's skills-ref, which validates the published format. */
import assert from "node:assert/strict";
import { readProperties, validate } from "skills-ref";
import { HARNESS_TEXTS } from "svc/features/harness/defaults.ts";
import { listSkills, skillText } from "svc/features/harness/skills.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

async function skillsIn(files: Readonly<Record<string, string>>) {
  const at = await tempFolder();
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(`${at.path}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${at.path}/${path}`, text);
  }
  const folder = await openFolder(at.path);
  return {
    folder,
    path: at.path,
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]();
      await at[Symbol.asyncDispose]();
    },
  };
}

Deno.test("svc's own skills keep to the format, and svc reads of them what skills-ref does", async () => {
  const own = Object.entries(HARNESS_TEXTS).filter(([path]) => path.endsWith("/SKILL.md"));
  await using site = await skillsIn(Object.fromEntries(own));
  const listed = await listSkills(site.folder);
  assert.deepEqual(listed.map(({ name }) => name), [
    "fix-a-bug",
    "keep-docs-true",
    "review-a-change",
    "split-a-ticket",
  ]);
  for (const { name, description } of listed) {
    const folder = `${site.path}/.harness/skills/${name}`;
    assert.deepEqual(await validate(folder), []);
    const theirs = await readProperties(folder);
    assert.deepEqual({ name, description }, {
      name: theirs.name,
      description: theirs.description,
    });
  }
});

Deno.test("a description that other programs read is the one that svc reads", async () => {
  const fronts: Readonly<Record<string, string>> = {
    "one-line": "description: Mends it",
    "folded": "description: >-\n  Mends it\n  in steps",
    "quoted": 'license: MIT\ndescription: "Mends: it"\nmetadata:\n  author: someone',
    "windows": "description: Mends it\r\nallowed-tools: Read",
  };
  const files = Object.entries(fronts).map(([name, front]) => {
    const end = front.includes("\r") ? "\r\n" : "\n";
    const text = ["---", `name: ${name}`, front, "---", "# Steps", ""].join(end);
    return [`.harness/skills/${name}/SKILL.md`, text];
  });
  await using site = await skillsIn(Object.fromEntries(files));
  for (const { name, description } of await listSkills(site.folder)) {
    const theirs = await readProperties(`${site.path}/.harness/skills/${name}`);
    assert.equal(description, theirs.description.replaceAll("\n", " ").trim(), name);
  }
  assert.equal((await listSkills(site.folder)).length, files.length);
});

Deno.test("a skill without front matter has its first line; what is no skill is left out", async () => {
  await using site = await skillsIn({
    ".harness/skills/plain/SKILL.md": "# Release a version\n\n1. Tag it.\n",
    ".harness/skills/broken/SKILL.md": "---\ndescription: [\n---\nBroken all the same\n",
    ".harness/skills/hostile/SKILL.md": `---\ndescription: "x\\u202e\\e[2J ${
      "y".repeat(2_000)
    }"\n---\n`,
    ".harness/skills/empty/notes.md": "no SKILL.md here\n",
    ".harness/skills/README.md": "# Skills\n",
    ".harness/skills/.git/SKILL.md": "no name for a skill\n",
    "outside/SKILL.md": "---\ndescription: secret\n---\n",
  });
  await Deno.symlink("../../outside", `${site.path}/.harness/skills/linked`);
  const listed = await listSkills(site.folder);
  assert.deepEqual(listed.map(({ name }) => name), ["broken", "hostile", "plain"]);
  assert.equal(listed[0]!.description, "Broken all the same");
  assert.equal(listed[2]!.description, "Release a version");
  assert.ok(!listed[1]!.description.includes("\x1b"));
  assert.ok(listed[1]!.description.length <= 300);
});

Deno.test("skillText reads a skill and files beside it, and nothing outside or hidden", async () => {
  await using site = await skillsIn({
    ".harness/skills/deploy/SKILL.md": "steps",
    ".harness/skills/deploy/references/hosts.md": "hosts",
    ".harness/skills/deploy/.env": "KEY=1",
    ".harness/.env": "KEY=2",
    "README.md": "outside",
  });
  assert.equal(await skillText(site.folder, "deploy"), "steps");
  assert.equal(await skillText(site.folder, "deploy/references/hosts.md"), "hosts");
  for (
    const asked of [
      "none",
      "deploy/.env",
      "../.env",
      "..",
      "deploy/../../.env",
      "deploy/references",
    ]
  ) assert.equal(await skillText(site.folder, asked), undefined, asked);
});
