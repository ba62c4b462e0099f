import assert from "node:assert/strict";
import { uuidV7 } from "svc/core/ids.ts";
import { readManifest } from "svc/features/harness/manifest.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { type PlanAt, sessionAt, sessionPorts } from "tests/unit/runtime/session_ports.ts";

const context = { signal: new AbortController().signal };

interface Said {
  readonly trust?: string;
  readonly tools?: string;
  readonly guardrails?: string;
}

const ALL = "[file_read, file_write, git_commit, command_run]";

const manifestText = ({ trust = "contributor", tools = ALL, guardrails = "{}" }: Said = {}) =>
  `version: 1
project: {name: app, default_branch: release}
roles:
  engineer: {prompt: roles/e.md, trust: ${trust}, tools: ${tools}}
guardrails: ${guardrails}
`;

/** A session of the engineer, whose manifest a person edits with `say`. */
async function siteOf(more: Partial<PlanAt> = {}) {
  await using held = new AsyncDisposableStack();
  const repo = held.use(
    await tempRepo({
      files: { a: "1\n", [MANIFEST_PATH]: manifestText() },
      commit: true,
    }),
  );
  const ports = held.use(await sessionPorts());
  const manifest = readManifest(manifestText());
  const session = held.use(
    await sessionAt(ports, {
      ...{ repo: repo.path, manifest, role: "engineer", profile: "host" },
      ...{ job: uuidV7(Date.now()), ...more },
    }),
  );
  const call = async (tool: string, args: Record<string, unknown>) => {
    const { status, deniedBy, text } = await session.toolbox.call(tool, args, context);
    return { by: deniedBy ?? status, text };
  };
  const parts = held.move();
  return {
    ...{ repo, ports, session, call },
    say: (said: Said | string) =>
      repo.write(MANIFEST_PATH, typeof said === "string" ? said : manifestText(said)),
    write: (path: string) => call("file_write", { path, content: "x\n" }),
    touch: () => call("command_run", { argv: ["touch", "z"] }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

Deno.test("an edit of the manifest counts from the next call on, in each of its parts", async () => {
  await using at = await siteOf();
  const offered = async () =>
    (await at.session.toolbox.offered()).map(({ function: { name } }) => name);
  const before = await at.session.toolbox.offered();
  assert.equal((await at.write("infra/a")).by, "ok");
  assert.equal((await at.touch()).by, "ok");
  assert.equal(await at.session.toolbox.offered(), before, "the same while the rules are the same");
  await at.say({ guardrails: '{deny_paths: ["infra/**"], deny_commands: [touch]}' });
  assert.equal((await at.write("infra/b")).by, "guardrails");
  assert.equal((await at.touch()).by, "guardrails");
  assert.match((await at.call("git_commit", { message: "feat: x" })).text, /infra\/a.*deny_paths/);
  await at.say({ tools: "[file_read, file_write]" });
  assert.deepEqual(await offered(), ["file_read", "file_write", "finish"]);
  assert.equal((await at.touch()).by, "role_tools");
  await at.say({ trust: "observer" });
  assert.equal((await at.write("c")).by, "role_trust");
  assert.deepEqual(await offered(), ["file_read", "finish"]);
  await at.say({});
  assert.equal((await at.write("c")).by, "ok");
});

Deno.test("while the manifest cannot be read, its last rules hold and roles only read", async () => {
  await using at = await siteOf();
  const guarded = { guardrails: "{deny_paths: [infra]}", trust: "contributor" };
  await at.say(guarded);
  assert.equal((await at.write("b")).by, "ok");
  for (const broken of ["roles: [", "version: 1\n", manifestText().replace("engineer", "qa")]) {
    await at.say(broken);
    const { by, text } = await at.write("b");
    assert.equal(by, "guardrails", broken);
    assert.match(
      text,
      /the rules of this repo are not known.*\nWhat would change it: Mend \.harness/,
    );
    assert.equal((await at.touch()).by, "guardrails");
    assert.equal((await at.call("file_read", { path: "a" })).by, "ok");
    assert.equal((await at.call("grep", { pattern: "a" })).by, "role_tools", "as it last said");
  }
  await Deno.remove(`${at.repo.path}/${MANIFEST_PATH}`);
  assert.match((await at.write("b")).text, /there is no \.harness\/manifest\.yaml any more/);
  await at.say(guarded);
  assert.equal((await at.write("infra/b")).by, "guardrails");
  assert.match((await at.call("file_read", { path: "b" })).text, /x/);
});

Deno.test("a session without a harness is held by one as soon as there is one", async () => {
  await using at = await siteOf();
  await Deno.remove(`${at.repo.path}/${MANIFEST_PATH}`);
  using session = await sessionAt(at.ports, {
    ...{ repo: at.repo.path, manifest: undefined, role: undefined, profile: "host" },
    ...{ job: uuidV7(Date.now()), trust: "contributor" },
  });
  const write = async () =>
    (await session.toolbox.call("file_write", { path: "infra/a", content: "" }, context)).status;
  assert.equal(await write(), "ok");
  await at.say({ guardrails: "{deny_paths: [infra]}" });
  assert.equal(await write(), "denied");
});

Deno.test("a job goes by the checkout's manifest, not by that of its own work tree", async () => {
  await using other = await tempFolder();
  await using at = await siteOf();
  const root = `${other.path}/job`;
  await at.repo.git("worktree", "add", "-q", "-b", "svc/x", root);
  using session = await sessionAt(at.ports, {
    ...{ repo: at.repo.path, root, role: "engineer", profile: "host", job: uuidV7(Date.now()) },
    manifest: readManifest(manifestText()),
  });
  const write = async (path: string) =>
    (await session.toolbox.call("file_write", { path, content: "" }, context)).status;
  await Deno.writeTextFile(`${root}/${MANIFEST_PATH}`, "broken: [");
  assert.equal(await write("infra/a"), "ok");
  await at.say({ guardrails: "{deny_paths: [infra]}" });
  assert.equal(await write("infra/b"), "denied");
});

Deno.test("a hook of the work tree is neither written nor committed", async () => {
  await using at = await siteOf();
  await at.repo.git("config", "core.hooksPath", "tools/hooks");
  await at.repo.write("tools/hooks/pre-commit", "#!/bin/sh\n", { executable: true });
  await at.repo.commit("hooks");
  using session = await sessionAt(at.ports, {
    ...{ repo: at.repo.path, role: "engineer", profile: "host", job: uuidV7(Date.now()) },
    manifest: readManifest(manifestText()),
  });
  const call = async (tool: string, args: Record<string, unknown>) => {
    const { deniedBy, text } = await session.toolbox.call(tool, args, context);
    return [deniedBy, text];
  };
  for (const path of ["tools/hooks/pre-commit", ".githooks/pre-commit", ".husky/pre-commit"]) {
    const [by, text] = await call("file_write", { path, content: "touch pwned\n" });
    assert.equal(by, "guardrails", path);
    assert.match(text!, /is a hook that git runs for whoever commits/);
  }
  await at.repo.write("tools/hooks/pre-commit", "#!/bin/sh\ntouch pwned\n");
  const [, text] = await call("git_commit", { message: "feat: x" });
  assert.match(text!, /Cannot commit these files.*\n- "tools\/hooks\/pre-commit" is a hook/);
});
