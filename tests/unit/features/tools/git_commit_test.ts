import assert from "node:assert/strict";
import { keyFinder } from "svc/features/guardrails/known_keys.ts";
import { scanRepo } from "svc/features/guardrails/scan_repo.ts";
import { commitUnfinished } from "svc/features/tools/commit_unfinished.ts";
import { gitCommit } from "svc/features/tools/git_commit.ts";
import { isConventional, withTrailers } from "svc/features/tools/commit_message.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { toolPlace } from "tests/kit/tool_place.ts";
import { manifest, site } from "./session_site.ts";

const head = async (path: string) => (await plainGit(path, ["rev-parse", "HEAD"])).stdout;

Deno.test("git_commit keeps all that changed, new and removed files too, with trailers", async () => {
  await using repo = await tempRepo({ files: { a: "1\n", gone: "1\n" }, commit: true });
  await using tools = await site(repo, { ticket: "T-0007" });
  await repo.write("a", "2\n");
  await repo.write("new/run", "#!/bin/sh\n", { executable: true });
  await Deno.remove(`${repo.path}/gone`);
  const { ok, text, facts } = await tools.call(gitCommit, {
    message: "fix(a): two\n\nWhy.\nSvc-Role: root",
  });
  assert.ok(ok);
  assert.match(text, /^Committed 3 files as [0-9a-f]{12} on main$/);
  assert.equal(facts?.["commit"], (await head(repo.path)).trim());
  const body = await repo.git("log", "-1", "--format=%B");
  assert.equal(
    body.trim(),
    `fix(a): two\n\nWhy.\n\nSvc-Role: engineer\nSvc-Job: ${tools.session.job}\nSvc-Ticket: T-0007`,
  );
  assert.match(await repo.git("ls-tree", "-r", "HEAD"), /^100755 .*new\/run$/m);
  assert.equal(await repo.git("status", "--porcelain"), "");
  assert.match((await tools.call(gitCommit, { message: "x: y" })).text, /^Nothing to commit/);
});

Deno.test("git_commit has the commit stored as the session's own, whatever its message says", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  const stored: string[][] = [];
  const recordCommit = (...of: string[]) => Promise.resolve(void stored.push(of));
  await using tools = await site(repo, { recordCommit });
  await repo.write("a", "2\n");
  await tools.call(gitCommit, { message: "fix: a\n\nSvc-Role: gardener" });
  assert.deepEqual(stored, [["main", (await head(repo.path)).trim()]]);
  await tools.call(gitCommit, { message: "nothing" });
  assert.equal(stored.length, 1);
});

Deno.test("git_commit takes only the named files and folders", async () => {
  await using repo = await tempRepo({ files: { a: "1\n", "d/b": "1\n" }, commit: true });
  await using tools = await site(repo);
  for (const path of ["a", "d/b", "d/c", "dd"]) await repo.write(path, "2\n");
  const { ok, text } = await tools.call(gitCommit, { message: "no form", paths: ["./d/"] });
  assert.ok(ok);
  assert.match(text, /^Committed 2 files.*\nNext time write the subject as/);
  assert.equal(await repo.git("status", "--porcelain"), " M a\n?? dd\n");
  await assert.rejects(
    tools.call(gitCommit, { message: "x", paths: ["zzz"] }),
    /nothing changed there/,
  );
});

Deno.test("git_commit refuses a secret, by rule and line, and never tells its value", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using tools = await site(repo);
  const before = await head(repo.path);
  const secret = ["ghp", "_", "u8Xq2Lr5Vt9Zb3Nc6Md1Kf4Hs7Jp0GwEyTaB"].join("");
  await repo.write("config.ts", `export const a = 1;\nexport const token = "${secret}";\n`);
  const { ok, text } = await tools.call(gitCommit, { message: "feat: token" });
  assert.equal(ok, false);
  assert.match(text, /there are secrets[^]*- config\.ts:2: /);
  assert.ok(!text.includes(secret) && !text.includes(secret.slice(4, 20)));
  assert.equal(await head(repo.path), before);
});

Deno.test("git_commit knows a secret that a person accepted in the checkout, and none that a role did", async () => {
  const sample = ["ghp", "_", "u8Xq2Lr5Vt9Zb3Nc6Md1Kf4Hs7Jp0GwEyTaB"].join("");
  const before = `export const sample = "${sample}";\n`;
  await using repo = await tempRepo({ files: { "sample.ts": before }, commit: true });
  await using beside = await tempFolder();
  const root = `${beside.path}/tree`;
  await repo.git("worktree", "add", "--quiet", "-b", "svc/T-0007", root);
  await using tools = await site(repo, { root, byHand: false });
  await Deno.writeTextFile(`${root}/sample.ts`, `${before}export const more = 1;\n`);
  const commit = () => tools.call(gitCommit, { message: "feat: more", paths: ["sample.ts"] });
  assert.match(
    (await commit()).text,
    /A person, never a role, accepts it .*: svc guardrails secret-scan --write-baseline$/,
  );
  const accept = async ({ root, folder, clock }: typeof tools.session.tree) => {
    const bytes = new TextEncoder().encode(before);
    const each = (visit: (file: { path: string; bytes: Uint8Array }) => void) =>
      Promise.resolve(visit({ path: "sample.ts", bytes }));
    await scanRepo({ each }, { root, folder, clock, writeBaseline: true });
  };
  await accept(tools.session.tree);
  assert.match((await commit()).text, /there are secrets/);
  await accept(tools.session.repo);
  assert.match((await commit()).text, /there are secrets/, "not on the default branch yet");
  await repo.commit("chore: known secrets");
  assert.ok((await commit()).ok);
});

Deno.test("git_commit takes no marker and no baseline of the role's own, and says what a person accepted", async () => {
  const secret = ["ghp", "_", "u8Xq2Lr5Vt9Zb3Nc6Md1Kf4Hs7Jp0GwEyTaB"].join("");
  const known = `export const token = "${secret}"; // svc:allow\n`;
  await using repo = await tempRepo({ files: { a: "1\n", "known.ts": known }, commit: true });
  await using tools = await site(repo);
  await repo.write("new.ts", known);
  const own = await tools.call(gitCommit, { message: "feat: token", paths: ["new.ts"] });
  assert.match(own.text, /there are secrets[^]*- new\.ts:1: /);
  await repo.write("a", "2\n");
  const said = await tools.call(gitCommit, { message: `fix: x\n\n${known}`, paths: ["a"] });
  assert.match(said.text, /there are secrets[^]*- the commit message:\d: /);
  await repo.write("known.ts", `// a comment\n${known}`);
  const { ok, text } = await tools.call(gitCommit, { message: "docs: x", paths: ["known.ts"] });
  assert.ok(ok, text);
  assert.match(text, /\nSecrets in them that the default branch accepts: 1$/);
});

Deno.test("in a job's own tree git_commit takes what a program made there by its exact name alone", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using beside = await tempFolder();
  const root = `${beside.path}/tree`;
  await repo.git("worktree", "add", "--quiet", "-b", "svc/T-0007", root);
  await using tools = await site(repo, { root, byHand: false });
  const files = ["test.p12", "node_modules/p/index.js", "web/node_modules/q/index.js", "b"];
  for (const path of files) {
    await Deno.mkdir(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${root}/${path}`, "1\n");
  }
  const commit = (paths?: string[]) =>
    tools.call(gitCommit, { message: "fix: a", ...(paths && { paths }) });
  const { ok, text } = await commit();
  assert.equal(ok, false, text);
  assert.match(text, /\n- test\.p12: its name says .*; add it to \.gitignore; or name it/);
  assert.match(text, /\n- node_modules\/ \(1 new files\): what a package manager installs/);
  assert.match(text, /\n- web\/node_modules\/ \(1 new files\)/);
  assert.match((await commit(["web"])).text, /web\/node_modules/);
  const named = await commit(["b", "test.p12", "web/node_modules/q"]);
  assert.ok(named.ok, named.text);
  const rest = await plainGit(root, ["status", "--porcelain"]);
  assert.equal(rest.stdout, "?? node_modules/\n");
});

Deno.test("unfinished work is committed without credential files and installed packages", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await repo.git("switch", "--quiet", "--create", "topic");
  await using tools = await site(repo, { byHand: false });
  for (const path of ["a", ".env", "node_modules/p/index.js"]) await repo.write(path, "2\n");
  const said = { subject: "chore: unfinished", body: "", trailers: {} };
  const { signal } = new AbortController();
  const { leftOut } = await commitUnfinished(tools.session, said, signal);
  assert.deepEqual(leftOut.map((line) => line.split(" ")[0]), [".env:", "node_modules/"]);
  const rest = (await repo.git("status", "--porcelain")).trim().split("\n");
  assert.deepEqual(rest, ["?? .env", "?? node_modules/"]);
});

Deno.test("git_commit refuses protected and denied files, and commits the others by name", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using tools = await site(repo, {
    manifest: manifest({ guardrails: { deny_paths: ["vendor/**"] } }),
  });
  const bad = [
    ".harness/manifest.yaml",
    "docs/tickets/backlog/T-0001-x.md",
    ".github/workflows/ci.yml",
    "vendor/x",
    ".harness/secret-baseline.json",
  ];
  for (const path of bad) {
    await repo.write(path, "x\n");
    const { ok, text } = await tools.call(gitCommit, { message: "chore: x" });
    assert.deepEqual([ok, text.includes(path)], [false, true], text);
    await Deno.remove(`${repo.path}/${path}`);
  }
  await repo.write(bad[0]!, "x\n");
  await repo.write("b", "1\n");
  assert.equal((await tools.call(gitCommit, { message: "chore: b", paths: ["b"] })).ok, true);
});

Deno.test("git_commit of a job stays on the job's branch", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using trees = await tempFolder();
  const root = `${trees.path}/job`;
  await repo.git("worktree", "add", "--quiet", "-b", "svc/T-0001-x", root);
  await using tools = await site(repo, { root, manifest: manifest() });
  await Deno.writeTextFile(`${root}/a`, "2\n");
  const before = await head(repo.path);
  assert.equal((await tools.call(gitCommit, { message: "fix: a" })).ok, true);
  assert.equal(await head(repo.path), before);
  await plainGit(root, ["checkout", "--quiet", "-b", "elsewhere"]);
  await Deno.writeTextFile(`${root}/a`, "3\n");
  const { ok, text } = await tools.call(gitCommit, { message: "fix: a" });
  assert.deepEqual([ok, /on its own branch svc\/… alone/.test(text)], [false, true]);
});

Deno.test("git_commit refuses what a driver would change, and follows no link", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using tools = await site(repo);
  await repo.write(".gitattributes", "*.bin filter=lfs\n");
  await repo.write("x.bin", "1\n");
  await assert.rejects(tools.call(gitCommit, { message: "feat: x" }), { code: "refused" });
  await Deno.remove(`${repo.path}/x.bin`);
  await Deno.symlink("/etc/hostname", `${repo.path}/link`);
  const { ok, text } = await tools.call(gitCommit, { message: "feat: x" });
  assert.deepEqual([ok, /link: a symbolic link/.test(text)], [false, true], text);
});

Deno.test("git_commit names links and nested repos, and commits the others by name", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await Deno.symlink("a", `${repo.path}/ln`);
  await repo.git("add", "ln");
  await repo.git("commit", "--quiet", "-m", "link");
  await Deno.remove(`${repo.path}/ln`);
  await Deno.symlink("b", `${repo.path}/ln`);
  await repo.git("init", "--quiet", "inner");
  await repo.git("-C", "inner", "commit", "--quiet", "--allow-empty", "-m", "x");
  await repo.write("a", "2\n");
  await using tools = await site(repo);
  const { ok, text } = await tools.call(gitCommit, { message: "fix: all" });
  assert.equal(ok, false);
  assert.match(text, /name the others with paths:\n- ln: a symbolic link.*\n- inner: a repo of/);
  assert.equal((await tools.call(gitCommit, { message: "fix: a", paths: ["a"] })).ok, true);
});

Deno.test("git_commit records what the policy keeps out of a commit as a refusal", async () => {
  await using at = await toolPlace({ session: { byHand: true } });
  await at.repo.write(".github/workflows/x.yml", "x\n");
  await at.repo.write("b", "1\n");
  for (const args of [{}, { paths: [".github"] }, { paths: [".github/workflows/x.yml"] }]) {
    const { status, text, deniedBy } = await at.call(gitCommit, { message: "ci: x", ...args });
    assert.deepEqual([status, deniedBy], ["denied", "guardrails"], text);
    assert.match(text, /^Denied: ".github\/workflows\/x.yml" is run by CI/);
    assert.match(text, /^What would change it: .*allow_ci_roles in/m);
  }
  assert.equal(at.denials.length, 3);
  assert.deepEqual(
    new Set(at.denials.map(({ tool, by }) => `${tool} ${by}`)),
    new Set(["git_commit guardrails"]),
  );
  const { text } = await at.call(gitCommit, { message: "ci: x" });
  assert.match(text, /or commit the other files, by paths\n[^]*\nCannot commit these files;/);
});

Deno.test("git_commit of a model takes no commit on the default branch of a checkout", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using tools = await site(repo, { byHand: false, manifest: manifest() });
  await repo.write("a", "2\n");
  const onMain = await tools.call(gitCommit, { message: "fix: a" });
  assert.equal(onMain.ok, false);
  assert.match(onMain.text, /^Cannot commit on "main": the default branch .* git switch -c svc\//);
  await repo.git("checkout", "--quiet", "--detach");
  const detached = await tools.call(gitCommit, { message: "fix: a" });
  assert.match(detached.text, /^Cannot commit: HEAD is on no branch\. Switch to a branch first/);
  await repo.git("checkout", "--quiet", "-b", "topic");
  assert.equal((await tools.call(gitCommit, { message: "fix: a" })).ok, true);
  const other = { project: { name: "app", default_branch: "topic" } };
  await using there = await site(repo, { byHand: false, manifest: manifest(other) });
  assert.match(
    (await there.call(gitCommit, { message: "fix: a" })).text,
    /on "topic": the default/,
  );
  await using without = await site(repo, { byHand: false });
  await repo.git("checkout", "--quiet", "-b", "master");
  assert.match((await without.call(gitCommit, { message: "fix: a" })).text, /on "master": the def/);
});

Deno.test("withTrailers joins trailers that are there, and isConventional knows the form", () => {
  const trailers = { "Svc-Role": "qa" };
  assert.equal(withTrailers("a: b", trailers), "a: b\n\nSvc-Role: qa\n");
  assert.equal(
    withTrailers("a: b\r\n\r\nRefs: #1\n", trailers),
    "a: b\n\nRefs: #1\nSvc-Role: qa\n",
  );
  assert.equal(withTrailers("svc-job: mine", trailers), "chore: changes\n\nSvc-Role: qa\n");
  for (const good of ["feat: x", "fix(a b)!: x", "docs(x): y\n\nz"]) {
    assert.ok(isConventional(good));
  }
  for (const bad of ["feat:x", "Feat: x", "add x", "feat(): x", ": x"]) {
    assert.equal(isConventional(bad), false, bad);
  }
});

Deno.test("git_commit refuses a key that svc uses, in any form, whatever its shape", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  const key = "Zq7plainKEY/with+chars9";
  await using tools = await site(repo, { withoutKeys: keyFinder([key]) });
  for (const form of [key, btoa(`x${key}`), encodeURIComponent(key)]) {
    await repo.write("a", `one\nkey = ${form}\n`);
    const { ok, text } = await tools.call(gitCommit, { message: "fix: a" });
    assert.equal(ok, false, form);
    assert.match(text, /^- a:2: a key that svc uses$/m);
    assert.equal(text.includes(form), false);
    assert.doesNotMatch(text, /baseline/, "no baseline accepts it");
  }
  await repo.write("a", "sk-no-key-required\n");
  assert.ok((await tools.call(gitCommit, { message: "fix: a" })).ok);
  await repo.write(encodeURIComponent(key), "1\n");
  const { ok, text } = await tools.call(gitCommit, { message: "fix: b" });
  assert.equal(ok, false);
  assert.match(text, /^- a file's name: a key that svc uses$/m);
});

Deno.test("keyFinder passes over words, addresses and what is short", () => {
  for (const value of ["ollama", "sk-no-key-required", "short-1", "http://127.0.0.1:8080/v1"]) {
    assert.equal(keyFinder([value]), undefined, value);
  }
});
