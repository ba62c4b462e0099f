import assert from "node:assert/strict";
import { codeReferences } from "svc/features/tools/code_references.ts";
import { codeRelated } from "svc/features/tools/code_related.ts";
import { codeSymbols } from "svc/features/tools/code_symbols.ts";
import { namesCredentials } from "svc/features/tools/credential_files.ts";
import { fileEdit } from "svc/features/tools/file_edit.ts";
import { fileList } from "svc/features/tools/file_list.ts";
import { fileRead } from "svc/features/tools/file_read.ts";
import { fileWrite } from "svc/features/tools/file_write.ts";
import { gitCommit } from "svc/features/tools/git_commit.ts";
import { gitDiff } from "svc/features/tools/git_diff.ts";
import { glob } from "svc/features/tools/glob.ts";
import { grep } from "svc/features/tools/grep.ts";
import { knowledgeRead } from "svc/features/tools/knowledge_read.ts";
import { leftovers } from "svc/features/tools/leftovers.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import { mayBeHinted } from "svc/runtime/job/code_hint.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { toolPlace } from "tests/kit/tool_place.ts";
import { confined } from "tests/unit/platform/confined_ports.ts";
import { site } from "./session_site.ts";

/** In no shape that a rule knows. */
const VALUE = "opensesame42";
const LINE = `DB_HOST=${VALUE}\n`;
/** Letters of a key, without the head by which redaction knows one. */
const KEY = `-----BEGIN PRIVATE KEY-----\n${VALUE}\n-----END PRIVATE KEY-----\n`;
const REFUSED = /^Cannot read ".*": its name says that it holds credentials, and git does not/;

const CREDENTIALS = [
  ...[".env", ".env.local", ".env.production", ".env~", ".envrc", "deploy/prod.env", ".ENV"],
  ...["id_rsa", "keys/id_ed25519", "id_rsa.old", "server.key", "tls/site.p12", "a.pfx", "b.jks"],
  ...["release.keystore", ".npmrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc", ".pgpass"],
  ...["credentials.json", "credentials-prod.json", "service-account.json", "client_secret.json"],
  ...[
    "infra/prod.tfvars",
    "prod.auto.tfvars.json",
    "terraform.tfstate",
    "terraform.tfstate.backup",
  ],
  ...[".aws/credentials", ".kube/config", "kubeconfig", "dev.kubeconfig", ".docker/config.json"],
  ...["server.pem", ".git-credentials", ".dev.vars", "secrets.yaml", "secrets.prod.json"],
  ...[".bundle/config", "NuGet.Config"],
];
/** Told by their names as well. */
const MORE = [
  ...["serviceAccountKey.json", "prod-service-account.json", "gcp-credentials.json"],
  ...["app-firebase-adminsdk-x1y2z-0123456789.json", "gha-creds-0123456789abcdef.json"],
  ...["android/key.properties", "keystore.properties", "sentry.properties", ".sentryclirc"],
  ...[".vault_pass", "vault-password.txt", "rclone.conf", "office.ovpn", ".m2/settings.xml"],
  ...[".dockerconfigjson", ".databrickscfg", ".clasprc.json", ".config/gh/hosts.yml"],
];
const OTHERS = [
  ...[".env.example", ".env.sample", "example.env", ".env.local.template", "prod.tfvars.example"],
  ...["id_rsa.pub", "server.crt", "src/env.ts", ".environment.ts", "secrets.ts", "keys.json"],
  ...["credentials.ts", "src/credentials/store.ts", "config", "config.json", ".envoy.yaml"],
  ...[".env/lib/site.py", "main.tf", "environment", "monkey", "package.json", "docs/secrets.md"],
  ...["gradle/wrapper/gradle-wrapper.properties", "gradle.properties", "src/vault_pass.ts"],
  ...["google-services.json", "firebase.json", "settings.xml", "src/serviceAccountKey.ts"],
  ...["credentials.example.json", "hosts.yml", "bundle/config", "src/accounts.json"],
];

Deno.test("names that say that they hold credentials are told from others", () => {
  for (const path of [...CREDENTIALS, ...MORE]) assert.equal(namesCredentials(path), true, path);
  for (const path of OTHERS) assert.equal(namesCredentials(path), false, path);
});

const READERS: readonly (readonly [AnyTool, (path: string) => Record<string, unknown>])[] = [
  [fileRead, (path) => ({ path })],
  [fileRead, (path) => ({ path, offset: 1, limit: 1 })],
  [grep, (path) => ({ pattern: VALUE, path })],
  [codeReferences, (path) => ({ name: VALUE, path })],
  [codeSymbols, (path) => ({ path })],
  [codeRelated, (path) => ({ path })],
  [fileEdit, (path) => ({ path, old: VALUE, new: "x" })],
  [fileWrite, (path) => ({ path, content: LINE })],
];

for (const ignored of [true, false]) {
  const which = ignored ? "ignores" : "does not track";
  Deno.test(`no tool shows, or tells hits in, a credential file that git ${which}`, async () => {
    const rules = ignored ? `${CREDENTIALS.join("\n")}\n` : "";
    await using at = await toolPlace({ files: { "a.txt": `${VALUE}\n`, ".gitignore": rules } });
    await at.repo.git("config", "core.excludesFile", "/dev/null");
    const there = CREDENTIALS.filter((path) => !/npmrc|yarnrc|bundle|NuGet|\.pem$/.test(path));
    for (const path of there) await at.repo.write(path, LINE);
    await at.repo.write("server.pem", KEY);
    await at.repo.write(".npmrc", `//registry.npmjs.org/:_authToken=${VALUE}\n`);
    await at.repo.write(".yarnrc.yml", `npmAuthToken: "${VALUE}"\n`);
    await at.repo.write(".bundle/config", `---\nBUNDLE_GEMS__EXAMPLE__COM: "ada:${VALUE}"\n`);
    await at.repo.write("NuGet.Config", `<add key="ClearTextPassword" value="${VALUE}" />\n`);
    for (const path of CREDENTIALS) {
      for (const [tool, args] of READERS) {
        const { status, text } = await at.call(tool, args(path));
        assert.equal(status, "failed", `${tool.name} ${path}: ${text}`);
        assert.match(text, REFUSED, `${tool.name} ${path}`);
        assert.match(text, /\.env\.example.* finish and say what you need.*git add$/);
      }
    }
    assert.equal((await at.call(grep, { pattern: "open.*42" })).text, "a.txt\n1:" + VALUE);
    const counted = await at.call(grep, { pattern: VALUE, max: 1 });
    assert.deepEqual([counted.text, counted.facts["matches"], counted.facts["files"]], [
      `a.txt\n1:${VALUE}`,
      1,
      1,
    ]);
    for (const query of [{ glob: "*.env" }, { path: "keys" }, { path: "infra", context: 3 }]) {
      assert.equal((await at.call(grep, { pattern: VALUE, ...query })).text, "No line matches");
    }
    assert.match(
      (await at.call(codeReferences, { name: VALUE })).text,
      /^a\.txt \[not parsed: .*\]\n1: \?: opensesame42$/,
    );
    assert.match((await at.call(codeSymbols, { name: VALUE })).text, /^No definition/);
    for (const args of [{}, { since: "HEAD" }, { path: ".env" }]) {
      assert.ok(!(await at.call(gitDiff, args)).text.includes(VALUE));
    }
  });
}

Deno.test("lists name credential files, and a folder of such a name is no file", async () => {
  await using at = await toolPlace({ files: { "a.txt": "1\n" } });
  await at.repo.write(".env", LINE);
  await at.repo.write("venv.env/a.py", `${VALUE} = 1\n`);
  assert.match((await at.call(fileList, {})).text, /^\.env$/m);
  assert.match((await at.call(glob, { pattern: ".env" })).text, /^\.env$/);
  assert.match((await at.call(fileRead, { path: "venv.env" })).text, /is a folder:\n.*\na\.py/);
  assert.match((await at.call(grep, { pattern: VALUE, path: "venv.env" })).text, /^venv\.env\/a/);
  assert.match((await at.call(fileRead, { path: "none.env" })).text, /^There is no file/);
});

Deno.test("what git tracks stays readable, and so do samples and what holds no secret", async () => {
  const files = { "tests/fixtures/site.key": KEY, ".env": "PORT=8080\n", ".npmrc": "a=b\n" };
  await using at = await toolPlace({ files });
  const text = async (tool: AnyTool, args: unknown) => (await at.call(tool, args)).text;
  assert.match(await text(fileRead, { path: ".env" }), /PORT=8080/);
  assert.match(await text(grep, { pattern: "PORT" }), /^\.env\n1:PORT=8080/);
  // Lines of a private key are not told of, whoever tracks it.
  assert.equal(await text(grep, { pattern: VALUE }), "No line matches");
  assert.match(await text(fileEdit, { path: ".env", old: "8080", new: "80" }), /^Changed/);
  assert.match(await text(gitDiff, {}), /^\+PORT=80$/m);
  await at.repo.write(".env.example", `A=${VALUE}\n`);
  await at.repo.write("ca.pem", `-----BEGIN CERTIFICATE-----\n${VALUE}\n`);
  await at.repo.write("web/.bundle/config", `---\nBUNDLE_PATH: "${VALUE}"\n`);
  await at.repo.write("web/.npmrc", `//npm.example/:_authToken=\${NPM_TOKEN}\n# ${VALUE}\n`);
  for (const path of [".env.example", "ca.pem", "web/.npmrc", "web/.bundle/config"]) {
    assert.match(await text(fileRead, { path }), new RegExp(VALUE), path);
    assert.match(await text(grep, { pattern: VALUE, path }), new RegExp(VALUE), path);
  }
  // A person has git track it, or take it out again.
  await at.repo.write("local.env", LINE);
  assert.match(await text(fileRead, { path: "local.env" }), REFUSED);
  await at.repo.git("add", "--force", "local.env");
  assert.match(await text(fileRead, { path: "local.env" }), new RegExp(VALUE));
  await at.repo.git("rm", "--quiet", "--cached", "local.env");
  await at.repo.write("local.env", `${LINE}# filled in since\n`);
  assert.match(await text(fileRead, { path: "local.env" }), REFUSED);
});

for (const flag of ["--skip-worktree", "--assume-unchanged"]) {
  Deno.test(`a tracked .env whose own version git was told to leave alone is refused: ${flag}`, async () => {
    await using at = await toolPlace({ files: { ".env": "DB_HOST=\n" } });
    await at.repo.git("update-index", flag, ".env");
    await at.repo.write(".env", LINE);
    assert.match((await at.call(fileRead, { path: ".env" })).text, REFUSED);
    assert.equal((await at.call(grep, { pattern: VALUE })).text, "No line matches");
  });
}

Deno.test("a session reads what it wrote itself, until somebody else has written there", async () => {
  await using at = await toolPlace({ files: { "a.txt": "1\n" } });
  const made = await at.call(fileWrite, { path: "fixtures/site.key", content: "made up\n" });
  assert.match(made.text, /^Made/);
  assert.match((await at.call(fileRead, { path: "fixtures/site.key" })).text, /made up/);
  const edit = { path: "fixtures/site.key", old: "made up", new: "made-up" };
  assert.match((await at.call(fileEdit, edit)).text, /^Changed/);
  assert.match((await at.call(grep, { pattern: "made-up" })).text, /^fixtures\/site\.key\n1:/);
  await at.repo.write("fixtures/site.key", LINE);
  assert.match((await at.call(fileRead, { path: "fixtures/site.key" })).text, REFUSED);
  assert.equal((await at.call(grep, { pattern: VALUE })).text, "No line matches");
});

Deno.test("a role replaces no credential file that it may not read; a person does by hand", async () => {
  await using at = await toolPlace({ files: { "a.txt": "1\n" }, session: { byHand: true } });
  await at.repo.write(".env", LINE);
  const args = { path: ".env", content: "new\n" };
  const role = at.box([fileWrite], { session: { ...at.session, byHand: false } });
  const { signal } = new AbortController();
  assert.match((await role.call("file_write", args, { signal })).text, REFUSED);
  assert.equal(await at.repo.read(".env"), LINE);
  assert.match((await at.call(fileWrite, args)).text, /^Replaced/);
});

Deno.test("git_commit leaves a person's credential files out, so that they stay untracked", async () => {
  await using repo = await tempRepo({ files: { "a.txt": "1\n" }, commit: true });
  await repo.git("checkout", "--quiet", "-b", "topic");
  for (const path of [".env", "keys/id_rsa"]) await repo.write(path, LINE);
  await repo.write("a.txt", "2\n");
  for (const byHand of [true, false]) {
    await using tools = await site(repo, { byHand });
    const commit = async (paths?: readonly string[]) =>
      await tools.call(gitCommit, { message: "feat(a): two", ...(paths && { paths }) });
    const named = await commit(["keys", "./.env"]);
    assert.equal(named.ok, false);
    assert.match(
      named.text,
      /^Cannot commit "\.env": its name says that it holds credentials, .* Leave it where it is/,
    );
    const all = await commit();
    assert.equal(all.ok, byHand, "the second time nothing else is there");
    assert.match(
      all.text,
      /^(?:Committed 1 files|Nothing to commit: no other file)[^]*\nLeft out, since each is a person's file of credentials:\n- \.env\n- keys\/id_rsa/,
    );
    assert.match((await commit(["keys"])).text, /^Nothing to commit: no other file/);
    await assert.rejects(tools.call(fileRead, { path: ".env" }), /its name says that it holds/);
  }
  await using tools = await site(repo);
  await tools.call(fileWrite, { path: "fixtures/site.key", content: "made up\n" });
  assert.match(
    (await tools.call(gitCommit, { message: "test: a key" })).text,
    /^Committed 1 files/,
  );
  await repo.git("add", ".env");
  assert.match((await tools.call(gitCommit, { message: "feat: it" })).text, /^Committed 1 files/);
});

Deno.test("knowledge_read shows no credential file, whatever the routes or a skill name", async () => {
  const routes = 'version: 1\nroutes:\n  - match: ["**"]\n    read: [".env", "docs/a.md"]\n';
  const files = {
    ".harness/knowledge/routes.yaml": routes,
    ".harness/skills/deploy/SKILL.md": "steps\n",
    "docs/a.md": "a document\n",
  };
  await using at = await toolPlace({ files });
  await at.repo.write(".env", LINE);
  await at.repo.write(".harness/skills/deploy/site.key", LINE);
  const { text } = await at.call(knowledgeRead, { path: "a.txt" });
  assert.match(text, /^=== \.env: Cannot read[^]*=== docs\/a\.md\na document/);
  assert.ok(!text.includes(VALUE));
  assert.match((await at.call(knowledgeRead, { topic: VALUE })).text, /^No document fits/);
  assert.match((await at.call(knowledgeRead, { skill: "deploy/site.key" })).text, REFUSED);
  assert.match((await at.call(knowledgeRead, { skill: "deploy" })).text, /^steps/);
});

Deno.test("leftovers shows no credential file that git does not track", async () => {
  await using at = await toolPlace({ files: { "a.txt": "1\n", "kept.env": "PORT=1\n" } });
  const base = (await at.repo.git("rev-parse", "HEAD")).trim();
  await at.repo.git("checkout", "--quiet", "-b", "left");
  await at.repo.commit("left", { ".env": LINE, "a.txt": "2\n", "kept.env": "PORT=2\n" });
  const ref = (await at.repo.git("rev-parse", "HEAD")).trim();
  await at.repo.git("checkout", "--quiet", "main");
  const left = { job: "J-0", ref, base, notes: [] } as never;
  const box = at.box([leftovers], { session: { ...at.session, leftovers: [left] } });
  const { signal } = new AbortController();
  for (const args of [{}, { path: ".env" }]) {
    const { text } = await box.call("leftovers", args, { signal });
    assert.match(text, /\[1 files are not shown: they may hold credentials/);
    assert.ok(!text.includes(VALUE), text);
  }
  assert.match((await box.call("leftovers", {}, { signal })).text, /^\+PORT=2$/m);
});

Deno.test("a prompt's hint of where to look names no credential file", () => {
  assert.deepEqual([".env", "server.key", ".env.example", "a.ts"].filter(mayBeHinted), [
    ".env.example",
    "a.ts",
  ]);
});

Deno.test("a confined run refuses them too, through the broker", async () => {
  await using at = await toolPlace({ files: { "a.txt": "1\n", "kept.env": LINE } });
  await at.repo.write(".env", LINE);
  await using app = confined({ repos: [at.repo.path], home: at.repo.path, profile: "observer" });
  const git = await app.git.open(at.repo.path);
  const session = { ...at.session, tree: { ...at.session.tree, git } };
  const box = at.box([fileRead, grep], { session });
  const { signal } = new AbortController();
  assert.match((await box.call("file_read", { path: ".env" }, { signal })).text, REFUSED);
  assert.match((await box.call("grep", { pattern: VALUE }, { signal })).text, /^kept\.env\n1:.*$/);
});
