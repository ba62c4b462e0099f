/** The models commands with a real model server, at a terminal, and with a key that must not show. */
import assert from "node:assert/strict";
import { svc } from "tests/kit/entrance.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { svcCommand } from "tests/kit/script.ts";
import { type TempFolder, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { PseudoTerminal } from "tests/shells/pseudo_terminal.ts";

const APPROVED = { disposition: "approved", evidence: "seen" };
const PATH = "/usr/local/bin:/usr/bin:/bin";

async function textBelow(folder: string): Promise<string> {
  let all = "";
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    if (isDirectory) all += await textBelow(`${folder}/${name}`);
    else if (isFile) all += await Deno.readTextFile(`${folder}/${name}`);
  }
  return all;
}

const envOf = (home: TempFolder) => ({ PATH, HOME: home.path, SVC_HOME: `${home.path}/.svc` });

verifies(
  ["4.5:models-list:provider", "4.5:models-list:local-runtime-is-evaluation-only"],
  "svc models list shows a server's models as an evaluation surface, and makes none a default",
  async () => {
    await using home = await tempFolder();
    await using repo = await tempRepo();
    const env = envOf(home);
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      () =>
        Response.json({
          data: [{ id: "qwen3:4b", owned_by: "library" }, { id: "evil\x1b[31m\u202e" }],
        }),
    );
    const endpoint = `http://127.0.0.1:${server.addr.port}/v1`;
    assert.equal((await svc(["init", "--yes"], { env, cwd: repo.path })).code, 0);
    const explain = () => svc(["models", "explain", "--role", "engineer"], { env, cwd: repo.path });
    const before = await explain();
    const list = ["models", "list", "--provider", "ollama", "--endpoint", endpoint];
    const { code, stdout, stderr } = await svc(list, { env });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^ollama at .*: evaluation surface, not promoted automatically$/m);
    assert.match(stdout, /^qwen3:4b +library$/m);
    for (const sign of ["\x1b", "\u202e"]) {
      assert.ok(!stdout.includes(sign), "a server's text does not drive the terminal");
    }
    const json = JSON.parse((await svc([...list, "--json"], { env })).stdout);
    assert.equal(json.standing, "evaluation surface, not promoted automatically");
    assert.deepEqual(json.models[0], { id: "qwen3:4b", owned_by: "library" });
    assert.deepEqual(await explain(), before);
    assert.equal(
      await repo.git("status", "--porcelain", "--", ".harness/model-overrides.yaml"),
      "",
    );
    await server.shutdown();
  },
);

Deno.test("overrides and keys that several svc write at once are all kept", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo();
  const keys = ["OPENAI", "ANTHROPIC", "OPENROUTER", "GEMINI"].map((of) => `${of}_API_KEY`);
  const values = keys.map((name) => [name, `canary-of-${name.toLowerCase()}-4711`]);
  const env = { ...envOf(home), ...Object.fromEntries(values) };
  const run = async (...args: string[]) => {
    const { code, stderr } = await svc(args, { env, cwd: repo.path });
    assert.equal(code, 0, stderr);
  };
  await run("init", "--yes");
  const roles = ["ceo", "orchestrator", "engineer", "qa", "gardener"];
  const override = (role: string) =>
    run("models", "override", "--role", role, "--provider", "ollama", "--model", `of-${role}`);
  const write = (name: string) =>
    run("models", "credentials", "write-local-env", "--api-key-env", name, "--yes");
  await Promise.all([...roles.map(override), ...keys.map(write)]);
  const overrides = await repo.read(".harness/model-overrides.yaml");
  for (const role of roles) assert.match(overrides, new RegExp(`model: of-${role}\n`));
  const kept = await repo.read(".harness/.env.local");
  for (const [name, value] of values) assert.match(kept, new RegExp(`^${name}=${value}$`, "m"));
});

Deno.test("write-local-env asks at a terminal before it writes", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files: { ".gitignore": ".harness/.env.local\n" } });
  const env = {
    ...envOf(home),
    PATH: Deno.env.get("PATH") ?? PATH,
    HOME: Deno.env.get("HOME") ?? "/",
    TERM: "xterm",
    OPENAI_API_KEY: "sk-terminal-canary-77",
    ...(Deno.env.get("DENO_DIR") !== undefined && { DENO_DIR: Deno.env.get("DENO_DIR")! }),
  };
  const line = `${
    svcCommand().join(" ")
  } models credentials write-local-env --api-key-env OPENAI_API_KEY`;
  {
    await using terminal = new PseudoTerminal({ line, cwd: repo.path, env });
    await terminal.seen(/Write OPENAI_API_KEY in .*\/\.harness\/\.env\.local\?/);
    await terminal.type("n\r");
    await terminal.seen(/the answer was no; nothing was written/);
  }
  await assert.rejects(repo.read(".harness/.env.local"), Deno.errors.NotFound);
  await using terminal = new PseudoTerminal({ line, cwd: repo.path, env });
  await terminal.seen(/Write OPENAI_API_KEY in/);
  await terminal.type("y\r");
  await terminal.seen(/OPENAI_API_KEY: added in/);
  assert.equal(await repo.read(".harness/.env.local"), "OPENAI_API_KEY=sk-terminal-canary-77\n");
});

Deno.test("a key's variable that the user's config allows reaches the model from the environment", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  await using model = await modelEndpoint({
    roles: { qa: [{ reply: { calls: [{ name: "finish", args: APPROVED }] } }] },
  });
  const env = { ...envOf(home), ACME_TOKEN: "quiet-river-8125" };
  const { origin } = new URL(model.url);
  await home.write(
    ".svc/config.yaml",
    `models: {allowed_key_envs: [ACME_TOKEN], allowed_origins: ["${origin}"]}\n`,
  );
  assert.equal((await svc(["init", "--yes"], { env, cwd: repo.path })).code, 0);
  const route = ["--provider", "acme", "--endpoint", model.url, "--api-key-env", "ACME_TOKEN"];
  await svc(["models", "override", "--role", "qa", ...route], { env, cwd: repo.path });
  const ran = await svc(["run", "qa", "--task", "x"], { env, cwd: repo.path });
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.equal(model.requests.at(-1)?.headers.get("authorization"), "Bearer quiet-river-8125");
  assert.ok(!`${ran.stdout}${ran.stderr}`.includes("quiet-river"));
});

/** No shape that a rule knows: only care keeps it out of outputs. */
const CANARY = "tangerine.meadow.4711";

Deno.test("the key of a provider shows in no output, log, database or other file", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo();
  const bare = envOf(home);
  const rich = { ...bare, OPENAI_API_KEY: CANARY };
  await home.write(".svc/config.yaml", 'models: {allowed_origins: ["https://api.openai.com"]}\n');
  assert.equal((await svc(["init", "--yes"], { env: bare, cwd: repo.path })).code, 0);
  const override = ["models", "override", "--provider", "openai", "--model", "gpt-5"];
  const write = ["models", "credentials", "write-local-env", "--api-key-env", "OPENAI_API_KEY"];
  let all = "";
  const run = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
    for (const modes of [[], ["--json"], ["--plain"]]) {
      const { code, stdout, stderr } = await svc([...args, ...modes], { env, cwd: repo.path });
      all += stdout + stderr;
      assert.ok(code < 70, stderr);
    }
  };
  await run([...override, "--role", "engineer"], rich);
  await run(write, rich);
  await run([...write, "--dry-run"], rich);
  await run([...write, "--yes"], rich);
  // From here on the file alone holds it: this process never had it in its environment.
  for (const mode of [0o600, 0o644]) {
    await Deno.chmod(`${repo.path}/.harness/.env.local`, mode);
    await run(["models", "explain", "--role", "engineer"], bare);
    await run([...override, "--tier", "deep"], bare);
    await run(["doctor"], bare);
  }
  await repo.git("add", "--force", ".harness/.env.local");
  await run(["models", "explain", "--role", "engineer"], bare);
  await run([...write, "--yes"], { ...bare, OPENAI_API_KEY: `${CANARY} ${CANARY}` });
  await repo.git("rm", "--quiet", "--cached", ".harness/.env.local");
  assert.equal(await repo.read(".harness/.env.local"), `OPENAI_API_KEY=${CANARY}\n`);
  await Deno.remove(`${repo.path}/.harness/.env.local`);
  // git's own object of the forced add is the test's doing.
  await Deno.remove(`${repo.path}/.git`, { recursive: true });
  const left = await textBelow(home.path) + await textBelow(repo.path);
  for (const form of [CANARY, btoa(CANARY).replace(/=+$/, ""), encodeURIComponent(CANARY)]) {
    assert.ok(!all.includes(form), "outputs");
    assert.ok(!left.includes(form), "files");
  }
  assert.ok(all.includes("OPENAI_API_KEY"), "the name shows");
});
