import assert from "node:assert/strict";
import { installHooks } from "svc/features/guardrails/hooks.ts";
import { METADATA_PATH } from "svc/features/harness/metadata.ts";
import { treeHash } from "tests/kit/script.ts";
import { type Files, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { checkoutAt } from "tests/unit/features/tickets/ticket_checkout.ts";
import type { Processes } from "svc/platform/process/process.ts";
import { eject, ejectPlan, init, siteAt } from "./harness_site.ts";

const LAYOUTS: Readonly<Record<string, Files>> = {
  "a node package with docs and guidance": {
    "package.json": '{"name": "x", "version": "1.0.0", "scripts": {"test": "node --test"}}',
    "package-lock.json": "{}",
    ".gitignore": "node_modules/\n",
    "AGENTS.md": "# Mine\n",
    "docs/guide.md": "# Guide\n",
    "src/index.js": "export {};\n",
  },
  "a python project whose .gitignore has no final line end": {
    "pyproject.toml": "[tool.poetry]\nname = 'x'\n",
    ".gitignore": "*.pyc\n.venv",
    "tests/test_x.py": "",
    "CHANGELOG.md": "# History\n",
  },
  "a rust crate with a VERSION and CRLF lines": {
    "Cargo.toml": '[package]\r\nversion = "0.3.0"\r\n',
    ".gitignore": "/target\r\n*.bak\r\n",
    "VERSION": "0.3.0\n",
    "src/lib.rs": "",
  },
  "a java project with a docs index and tickets of its own": {
    "pom.xml": "<project/>",
    "docs/README.md": "# Our docs\n",
    "docs/tickets/README.md": "ours\n",
    "docs/tickets/backlog/T-0001-ours.md": "---\nid: T-0001\n---\n",
  },
  "an empty repo but for an empty .gitignore": { ".gitignore": "", "README.md": "x" },
};

/** The repo with all of `.git` but svc's lock, which stays. */
async function look(path: string): Promise<string> {
  return (await treeHash(path)).split("\n").filter((line) => !line.includes("/.git/svc.lock "))
    .join("\n");
}

for (const [what, files] of Object.entries(LAYOUTS)) {
  verifies("4.5:eject:removes-harness", `eject after init gives back ${what}`, async () => {
    await using home = await tempFolder();
    await using repo = await tempRepo({ files, commit: true });
    const before = await look(repo.path);
    using site = await siteAt(repo.path, home.path);
    await init(site);
    assert.notEqual(await look(repo.path), before);
    await eject(site);
    assert.equal(await look(repo.path), before);
    const { plan } = await eject(site);
    assert.deepEqual([plan.steps, plan.changes], [[], []]);
  });
}

const OWN_HOOK = "#!/bin/sh\necho own\n";

Deno.test("eject takes svc's block out of hooks, and brings back one that was moved", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files: { "a.txt": "a" }, commit: true });
  await repo.write(".git/hooks/pre-commit", OWN_HOOK, { executable: true });
  await repo.write(".git/hooks/pre-push", "#!/usr/bin/env python3\n", { executable: true });
  const before = await look(repo.path);
  using site = await siteAt(repo.path, home.path);
  await init(site);
  await installHooks(site.files, site.git, undefined);
  const { plan } = await eject(site);
  assert.deepEqual(
    plan.changes.filter(({ path }) => path.startsWith("/")).map(({ path, change }) => [
      path.slice(path.lastIndexOf("/") + 1),
      change,
    ]),
    [["pre-commit", "edit"], ["pre-push", "edit"], ["pre-push.before-svc", "remove"]],
  );
  assert.equal(await look(repo.path), before);
});

Deno.test("eject keeps and names what somebody edited, and copies it from .harness/", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files: { "a.txt": "a" }, commit: true });
  using site = await siteAt(repo.path, home.path);
  await init(site);
  await repo.write("AGENTS.md", "# Mine now\n");
  await repo.write("docs/tickets/backlog/T-0001-x.md", "ticket");
  await repo.write(".harness/roles/qa.md", "my qa");
  await repo.write(".harness/.env.local", "KEY=value");
  const { plan, backups } = await eject(site);
  assert.deepEqual(plan.kept, [
    { path: "AGENTS.md", why: "somebody edited it since" },
    { path: "docs/tickets/backlog/T-0001-x.md", why: "it has changes that are not committed" },
  ]);
  assert.equal(await repo.read("AGENTS.md"), "# Mine now\n");
  assert.equal(await repo.read("docs/tickets/backlog/T-0001-x.md"), "ticket");
  await assert.rejects(Deno.stat(`${repo.path}/.harness`));
  assert.equal(await Deno.readTextFile(`${backups}/.harness/roles/qa.md`), "my qa");
  await assert.rejects(Deno.stat(`${backups}/.harness/.env.local`));
});

Deno.test("eject removes nothing that only a doctored record names", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files: { "src/main.ts": "main" }, commit: true });
  using site = await siteAt(repo.path, home.path);
  await init(site);
  const record = JSON.parse(await repo.read(METADATA_PATH));
  const sum = new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode("main")),
  ).toHex();
  for (const path of ["src/main.ts", "../outside", "/etc/hostname", ".git/HEAD"]) {
    record.files[path] = { sha256: sum, text: "main" };
  }
  record.folders.push("src", "..", ".git/refs/tags");
  await repo.write(METADATA_PATH, JSON.stringify(record));
  await eject(site);
  assert.equal(await repo.read("src/main.ts"), "main");
  assert.ok((await Deno.stat(`${repo.path}/.git/refs/tags`)).isDirectory);
});

Deno.test("eject leaves a link in .harness/ and what it leads to", async () => {
  await using home = await tempFolder();
  await using outside = await tempFolder();
  await outside.write("notes.md", "notes");
  await using repo = await tempRepo({ files: { "a.txt": "a" }, commit: true });
  using site = await siteAt(repo.path, home.path);
  await init(site);
  await Deno.symlink(outside.path, `${repo.path}/.harness/notes`);
  const { plan } = await eject(site);
  assert.deepEqual(plan.kept.map(({ path }) => path), [".harness/notes", ".harness/"]);
  assert.equal(await outside.read("notes.md"), "notes");
  assert.deepEqual(
    (await Array.fromAsync(Deno.readDir(`${repo.path}/.harness`))).map(({ name }) => name),
    ["notes"],
  );
});

const ownTicket = (id: string) => `---\nid: ${id}\nsource: scan\n---\n# ${id}\n`;
const placeOf = (id: string) => `docs/tickets/backlog/${id}-gap.md`;

Deno.test("eject removes tickets that only svc's commits changed, and names those of others", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files: { "a.txt": "a" }, commit: true });
  using site = await siteAt(repo.path, home.path);
  const ids = ["T-0001", "T-0002", "T-0003", "T-0004", "T-0005"];
  for (const id of ids) {
    await repo.commit(`chore(tickets): add ${id}`, { [placeOf(id)]: ownTicket(id) });
  }
  await repo.commit("docs: say more of é", { [placeOf("T-0002")]: `${ownTicket("T-0002")}more\n` });
  // The commit that merges changes one more ticket itself.
  await repo.git("checkout", "--quiet", "-b", "side");
  await repo.commit("chore(tickets): note", {
    [placeOf("T-0003")]: `${ownTicket("T-0003")}side\n`,
  });
  await repo.git("checkout", "--quiet", "main");
  await repo.commit("chore(tickets): note", {
    [placeOf("T-0004")]: `${ownTicket("T-0004")}main\n`,
  });
  await repo.git("merge", "--quiet", "--no-ff", "--no-commit", "side");
  await repo.commit("Merge side", { [placeOf("T-0005")]: `${ownTicket("T-0005")}merged\n` });
  await repo.write(".gitignore", "*-new.md\n");
  await repo.write("docs/tickets/backlog/T-0006-new.md", ownTicket("T-0006"));
  await repo.commit("chore: ignore");
  const { plan } = await eject(site);
  assert.deepEqual(plan.kept.filter(({ path }) => path.includes("T-")), [
    { path: placeOf("T-0002"), why: "somebody edited it since" },
    { path: placeOf("T-0005"), why: "somebody edited it since" },
    { path: "docs/tickets/backlog/T-0006-new.md", why: "git does not have it yet" },
  ]);
  const gone = plan.changes.map(({ path }) => path).filter((path) => path.includes("T-"));
  assert.deepEqual(gone, ["T-0001", "T-0003", "T-0004"].map(placeOf));
});

Deno.test("eject asks git as often for a hundred tickets as for one", async () => {
  const asked = async (tickets: number) => {
    await using home = await tempFolder();
    await using repo = await tempRepo({ files: { "a.txt": "a" }, commit: true });
    const ids = Array.from({ length: tickets }, (_, n) => `T-${1000 + n}`);
    const files = Object.fromEntries(ids.map((id) => [placeOf(id), ownTicket(id)]));
    await repo.commit("chore(tickets): add", files);
    let calls = 0;
    const processes = (real: Processes): Processes => ({
      ...real,
      run: (command) => (calls++, real.run(command)),
    });
    const { git } = await checkoutAt(repo.path, { processes });
    using site = await siteAt(repo.path, home.path);
    const before = calls;
    const { changes } = await ejectPlan(site, git);
    assert.equal(changes.length, tickets);
    return calls - before;
  };
  assert.equal(await asked(100), await asked(1));
});
