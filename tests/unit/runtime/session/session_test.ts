import assert from "node:assert/strict";
import { repoId, uuidV7 } from "svc/core/ids.ts";
import { TOOLS } from "svc/features/tools/all.ts";
import { definitionOf } from "svc/features/tools/definitions.ts";
import { approveTool } from "svc/features/tools/custom/approval_store.ts";
import { denialsSince } from "svc/features/trust/denial_store.ts";
import { setTrust, type TrustRequest } from "svc/features/trust/trust_store.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { manifest } from "tests/unit/features/tools/session_site.ts";
import { type PlanAt, sessionAt, sessionPorts } from "tests/unit/runtime/session_ports.ts";
import { checksOf } from "tests/unit/features/checks/sample_check.ts";

const plan = (repo: string, more: Partial<PlanAt> = {}): PlanAt => ({
  ...{ repo, manifest: undefined, role: undefined, profile: "host", job: uuidV7(Date.now()) },
  ...more,
});
const context = { signal: new AbortController().signal };

const withRole = (tools: readonly string[], more: Record<string, unknown> = {}) =>
  manifest({
    roles: { engineer: { prompt: "roles/e.md", trust: "contributor", tools } },
    ...more,
  });

Deno.test("a session's trust is read for each call, and refusals are recorded", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using ports = await sessionPorts();
  const asked = { manifest: withRole(["command_run", "git_status"]), role: "engineer" };
  using session = await sessionAt(ports, plan(repo.path, asked));
  const run = () => session.toolbox.call("command_run", { argv: ["true"] }, context);
  assert.equal((await run()).status, "ok");
  const id = await repoId(repo.path);
  const change: TrustRequest = {
    repoId: id,
    role: "engineer",
    level: "observer",
    manifestLevel: "contributor",
    reason: "test",
    who: "me",
  };
  await setTrust(ports.db, change, Date.now());
  const denied = await run();
  assert.deepEqual([denied.status, denied.deniedBy], ["denied", "role_trust"]);
  assert.equal((await session.toolbox.call("git_status", {}, context)).status, "ok");
  assert.equal((await session.toolbox.call("git_log", {}, context)).deniedBy, "role_tools");
  const denials = await denialsSince(ports.db, id, 0, 10);
  assert.deepEqual(denials.map(({ tool, part }) => [tool, part]), [
    ["git_log", "role_tools"],
    ["command_run", "role_trust"],
  ]);
});

Deno.test("a session without a role only reads unless its trust says otherwise", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using ports = await sessionPorts();
  const call = async (more: Partial<PlanAt>) => {
    using session = await sessionAt(ports, plan(repo.path, more));
    return (await session.toolbox.call("command_run", { argv: ["true"] }, context)).status;
  };
  assert.equal(await call({}), "denied");
  assert.equal(await call({ trust: "contributor" }), "ok");
  assert.equal(await call({ trust: "contributor", profile: "observer" }), "denied");
  const source = { sourceTrust: () => Promise.resolve("observer" as const) };
  assert.equal(await call({ trust: "contributor", ...source }), "denied");
  await assert.rejects(call({ role: "qa", manifest: manifest() }), { code: "not_found" });
});

Deno.test("what a program prints of the repo's own .env goes to no model", async () => {
  await using repo = await tempRepo({ files: { ".gitignore": ".env\n" }, commit: true });
  await repo.write(".env", "DB_PASSWORD=hard-to-guess-7\nPORT=8080\n");
  await using ports = await sessionPorts();
  using session = await sessionAt(ports, plan(repo.path, { trust: "contributor" }));
  const { text } = await session.toolbox.call("command_run", { argv: ["cat", ".env"] }, context);
  assert.match(text, /^DB_PASSWORD=\[redacted\]\nPORT=8080$/m);
});

Deno.test("a check that a session runs is in the database", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using ports = await sessionPorts();
  const project = { name: "app", checks: [{ name: "test", run: ["false"] }] };
  const asked = { manifest: withRole(["check_run"], { project }), role: "engineer" };
  using session = await sessionAt(ports, plan(repo.path, asked));
  const outcome = await session.toolbox.call("check_run", { name: "test" }, context);
  assert.deepEqual([outcome.status, outcome.text], [
    "failed",
    "--- failed: test ended with exit code 1",
  ]);
  const [check] = await checksOf(ports.db, await repoId(repo.path));
  assert.deepEqual([check?.name, check?.outcome, check?.role], [
    "test",
    "checks_failed",
    "engineer",
  ]);
});

const TOOL = `version: 1
name: repo_show
about: Shows a file
argv: [cat, -n, "{path}"]
args: {path: {type: string, about: A file}}
`;

Deno.test("a tool of the repo runs once it is approved, and as it was approved alone", async () => {
  await using repo = await tempRepo({
    files: { a: "one\n", ".harness/tools/repo_show.yaml": TOOL },
    commit: true,
  });
  await using ports = await sessionPorts();
  const id = await repoId(repo.path);
  const open = () => sessionAt(ports, plan(repo.path, { trust: "contributor" }));
  {
    using session = await open();
    assert.deepEqual(session.custom.map(({ state }) => state), ["not_approved"]);
    const outcome = await session.toolbox.call("repo_show", { path: "a" }, context);
    assert.equal(outcome.status, "unknown");
    assert.equal(ports.started.length, 0);
  }
  const { loadCustomTool } = await import("svc/features/tools/custom/file.ts");
  using reader = await ports.folder(repo.path);
  const { sha256 } = await loadCustomTool(reader, "repo_show");
  const approval = { repo_id: id, name: "repo_show", sha256, approved_by: "person" };
  assert.equal(await approveTool(ports.db, { ...approval, approved_at: 1 }), true);
  assert.equal(await approveTool(ports.db, { ...approval, approved_at: 2 }), false);
  using session = await open();
  const call = (args: unknown) => session.toolbox.call("repo_show", args, context);
  assert.match((await call({ path: "a" })).text, /1\tone/);
  assert.match((await call({ path: "--help" })).text, /must not start with "-"/);
  assert.equal((await call({ path: "a\nb" })).status, "invalid");
  assert.equal((await call({ path: "a", more: 1 })).status, "invalid");
  await repo.write(".harness/tools/repo_show.yaml", TOOL.replace("-n", "-A"));
  const runs = ports.started.length;
  assert.match((await call({ path: "a" })).text, /changed since it was approved/);
  assert.equal(ports.started.length, runs);
});

Deno.test("no value of a repo's tool becomes an option behind an empty one", async () => {
  const text = (args: string) =>
    `version: 1\nname: repo_say\nabout: Says it\nargv: [printf, "<%s>", ${args}]\n` +
    "args: {before: {type: string}, word: {type: string}}\n";
  for (const argv of ['"{before}{word}"', '"{before}-{word}"']) {
    const files = { ".harness/tools/repo_say.yaml": text(argv) };
    await using repo = await tempRepo({ files, commit: true });
    await using ports = await sessionPorts();
    const { loadCustomTool } = await import("svc/features/tools/custom/file.ts");
    using reader = await ports.folder(repo.path);
    const { sha256 } = await loadCustomTool(reader, "repo_say");
    const approval = { repo_id: await repoId(repo.path), name: "repo_say", sha256 };
    await approveTool(ports.db, { ...approval, approved_by: "person", approved_at: 1 });
    using session = await sessionAt(ports, plan(repo.path, { trust: "contributor" }));
    const say = async (before: string, word: string) =>
      (await session.toolbox.call("repo_say", { before, word }, context)).text;
    assert.match(await say("a", "-b"), /<a-+b>/);
    assert.match(await say("", "-b"), /must not start with "-"/);
    assert.match(await say("-", "b"), /"before" must not start with "-"/);
    assert.equal(ports.started.length, 1);
  }
});

Deno.test("braces of a repo's tool that name no argument stay as they are", async () => {
  const TOOL = "version: 1\nname: repo_say\nabout: Says it\n" +
    'argv: [printf, "<%s>", "[0-9]{4}-{word}", "{0}{Word}"]\nargs: {word: {type: string}}\n';
  const files = { ".harness/tools/repo_say.yaml": TOOL };
  await using repo = await tempRepo({ files, commit: true });
  await using ports = await sessionPorts();
  const { loadCustomTool } = await import("svc/features/tools/custom/file.ts");
  using reader = await ports.folder(repo.path);
  const { sha256 } = await loadCustomTool(reader, "repo_say");
  const approval = { repo_id: await repoId(repo.path), name: "repo_say", sha256 };
  await approveTool(ports.db, { ...approval, approved_by: "person", approved_at: 1 });
  using session = await sessionAt(ports, plan(repo.path, { trust: "contributor" }));
  const { text } = await session.toolbox.call("repo_say", { word: "{Word}" }, context);
  assert.match(text, /<\[0-9\]\{4\}-\{Word\}><\{0\}\{Word\}>/);
});

Deno.test("tool_create makes a tool that the next session has, once, and no shell", async () => {
  await using repo = await tempRepo({ files: { a: "one\n" }, commit: true });
  await using ports = await sessionPorts();
  const open = () => sessionAt(ports, plan(repo.path, { trust: "contributor" }));
  const wish = {
    name: "repo_say",
    about: "Says: a word",
    argv: ["printf", "%s-%s", "{word}", "{kind}", "{times}"],
    args: ["word: string = What to say", "kind: choice(loud|low)", "times?: integer"],
  };
  {
    using session = await open();
    const create = (more: Record<string, unknown> = {}) =>
      session.toolbox.call("tool_create", { ...wish, ...more }, context);
    const bad: Record<string, unknown>[] = [
      ...[{ argv: ["sh", "-c", "{word}"] }, { argv: ["{word}"] }, { argv: ["../x", "{word}"] }],
      ...[{ argv: ["a/b"], args: [] }, { argv: ["./../x"], args: [] }, { args: ["word"] }],
      ...[{ args: ["word: text"] }, { argv: ["echo", "{no}"], args: [] }, { name: "file_read" }],
      ...[{ name: "repo_../x" }, { args: [...wish.args, "more: string"] }, { argv: ["/x\n"] }],
    ];
    for (const more of bad) {
      assert.notEqual((await create(more)).status, "ok", JSON.stringify(more));
    }
    assert.equal((await create()).status, "ok");
    assert.equal((await create()).status, "failed");
  }
  using session = await open();
  assert.deepEqual(session.custom.map(({ state }) => state), ["approved"]);
  const call = async (args: unknown) =>
    (await session.toolbox.call("repo_say", args, context)).text;
  assert.match(await call({ word: "a;b $(id)", kind: "low" }), /a;b \$\(id\)-low\n/);
  assert.match(await call({ word: "a", kind: "soft" }), /"kind" is "soft"/);
});

Deno.test("a program of the repo is approved with the tool that names it", async () => {
  const yaml = "version: 1\nname: repo_x\nabout: x\nargv: [./x.sh]\n";
  await using repo = await tempRepo({
    files: { ".harness/tools/repo_x.yaml": yaml },
    commit: true,
  });
  await repo.write("x.sh", "#!/bin/sh\necho one\n", { executable: true });
  await using ports = await sessionPorts();
  const { loadCustomTool } = await import("svc/features/tools/custom/file.ts");
  using reader = await ports.folder(repo.path);
  const { sha256 } = await loadCustomTool(reader, "repo_x");
  const approval = {
    repo_id: await repoId(repo.path),
    name: "repo_x",
    sha256,
    approved_by: "person",
  };
  await approveTool(ports.db, { ...approval, approved_at: 1 });
  using session = await sessionAt(ports, plan(repo.path, { trust: "contributor" }));
  assert.match((await session.toolbox.call("repo_x", {}, context)).text, /one/);
  await repo.write("x.sh", "#!/bin/sh\necho two\n", { executable: true });
  assert.match((await session.toolbox.call("repo_x", {}, context)).text, /changed since/);
});

Deno.test("files that are no tools are told of and never run", async () => {
  await using repo = await tempRepo({
    files: {
      ".harness/tools/repo_bad.yaml": "version: 1\nname: repo_bad\nargv: 7\n",
      ".harness/tools/repo_other.yaml": TOOL,
      ".harness/tools/git_status.yaml": TOOL.replace("repo_show", "git_status"),
      ".harness/tools/notes.md": "x",
    },
    commit: true,
  });
  await Deno.symlink("/etc/hostname", `${repo.path}/.harness/tools/repo_link.yaml`);
  await using ports = await sessionPorts();
  using session = await sessionAt(ports, plan(repo.path));
  assert.deepEqual(session.custom.map(({ name, state }) => `${name} ${state}`), [
    "git_status broken",
    "repo_bad broken",
    "repo_link broken",
    "repo_other broken",
  ]);
  assert.equal(session.tools.length, TOOLS.length);
});

Deno.test("the tools of an engineer take little room, and their shapes are flat", () => {
  let bytes = 0;
  for (const tool of TOOLS) {
    const definition = definitionOf(tool);
    bytes += JSON.stringify(definition).length;
    assert.ok(definition.function.description.length < 200, tool.name);
    const { properties = {} } = definition.function.parameters;
    for (const [name, shape] of Object.entries(properties as Record<string, { type?: string }>)) {
      assert.notEqual(shape.type, "object", `${tool.name}.${name}`);
    }
  }
  assert.ok(bytes < 14_000, String(bytes));
});
