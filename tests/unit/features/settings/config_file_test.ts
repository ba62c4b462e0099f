import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { Config, readConfig } from "svc/features/settings/config_file.ts";
import { configMentions } from "svc/features/settings/config_mentions.ts";
import { planConfig } from "svc/features/settings/edit_config.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

async function read(text: string | undefined) {
  await using temp = await tempFolder();
  const path = `${temp.path}/config.yaml`;
  if (text !== undefined) await Deno.writeTextFile(path, text);
  return await readConfig(denoFiles(), path);
}

async function refusal(text: string): Promise<Failure> {
  const thrown = await read(text).then(() => undefined, (error) => error);
  assert.ok(thrown instanceof Failure, `expected a Failure for ${text}`);
  assert.equal(thrown.exit, 5);
  assert.match(thrown.detail.remedy!, /^Edit .*config\.yaml/);
  return thrown;
}

Deno.test("a missing or empty config is the defaults", async () => {
  const config = await read(undefined);
  assert.deepEqual(config, await read("# nothing\n"));
  assert.deepEqual(config.ports, { control: 9090, dashboard: 9091, collector: 9092 });
  assert.equal(config.telemetry.reporting, "off");
  assert.deepEqual(config.models.allowed_origins, []);
});

Deno.test("a config keeps what it says", async () => {
  const config = await read(
    "ports:\n  control: 7000\nmodels:\n  allowed_origins: [https://m.example]\n",
  );
  assert.deepEqual(config.ports, { control: 7000, dashboard: 9091, collector: 9092 });
  assert.deepEqual(config.models.allowed_origins, ["https://m.example"]);
});

Deno.test("a config says how models are sampled, by the pattern of a name", async () => {
  const { models } = await read(
    'models:\n  sampling:\n    "qwen3-coder*": {temperature: 0.3, reasoning_effort: low}\n',
  );
  assert.deepEqual(models.sampling, {
    "qwen3-coder*": { temperature: 0.3, reasoning_effort: "low" },
  });
});

const BROKEN: readonly (readonly [name: string, text: string, where: RegExp, why: RegExp])[] = [
  ["broken YAML", "ports: {control: 1\n", /line \d+, column \d+/, /./],
  ["an unknown key", "prots:\n  control: 1\n", /line 1, column 1/, /"prots".*Did you mean "ports"/],
  [
    "an unknown inner key",
    "# c\nports:\n  contrl: 1\n",
    /line 3, column 3/,
    /"ports\.contrl".*"control"/,
  ],
  ["a port out of range", "ports:\n  control: 70000\n", /line 2, column 3/, /ports\.control/],
  ["a port that is text", 'ports:\n  control: "x"\n', /line 2, column 3/, /expected number/],
  ["a wrong choice", "telemetry:\n  reporting: all\n", /line 2, column 3/, /"off"\|"anonymous"/],
  [
    "an origin with a path",
    "models:\n  allowed_origins:\n    - https://a.example/x\n",
    /line 3/,
    /origin/,
  ],
  [
    "a temperature that no server takes",
    "models:\n  sampling:\n    a*: {temperature: 7}\n",
    /line 3/,
    /models\.sampling\.a\*\.temperature/,
  ],
  [
    "a pattern that takes long",
    'models:\n  sampling:\n    "*a*b*": {temperature: 1}\n',
    /line 3/,
    /with \* for any part/,
  ],
  [
    "a key that is the code host's",
    "models:\n  allowed_key_envs:\n    - OPENAI_API_KEY\n    - GITHUB_TOKEN\n",
    /line 4, column 7/,
    /"models.allowed_key_envs.1": "GITHUB_TOKEN" is a credential of svc or of the code host.*; leave it out/,
  ],
  [
    "a key that is svc's own",
    "models:\n  allowed_key_envs: [SVC_TELEMETRY_TOKEN]\n",
    /line 2/,
    /"SVC_TELEMETRY_TOKEN" is a credential of svc/,
  ],
  ["a duplicate key", "ports: {}\nports: {}\n", /line 2, column 1/, /unique/],
  ["a list at the top", "- a\n", /line 1, column 1/, /expected object/],
  [
    "an alias bomb",
    "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n",
    /./,
    /aliases do not resolve/,
  ],
];
for (const [name, text, where, why] of BROKEN) {
  Deno.test(`a config with ${name} says where and why`, async () => {
    const { message } = await refusal(text);
    assert.match(message, where);
    assert.match(message, why);
  });
}

Deno.test("an unknown key lists what is allowed", async () => {
  const { detail } = await refusal("telemetry:\n  reportin: off\n");
  assert.match(detail.remedy!, /Allowed keys: reporting, endpoint, token, interval\./);
});

Deno.test("a config that is not UTF-8 or far too large is refused", async () => {
  await using temp = await tempFolder();
  const path = `${temp.path}/config.yaml`;
  await Deno.writeFile(path, Uint8Array.of(0x61, 0xff, 0xfe));
  await assert.rejects(() => readConfig(denoFiles(), path), Failure);
  await Deno.writeFile(path, new Uint8Array(300 * 1024).fill(0x20));
  await assert.rejects(() => readConfig(denoFiles(), path), Failure);
});

Deno.test("a config that is there and cannot be read is a matter of the machine", async () => {
  await using temp = await tempFolder();
  const path = (name: string) => `${temp.path}/${name}`;
  await Deno.mkdir(path("folder"));
  await Deno.symlink("ring", path("ring"));
  await Deno.writeFile(path("bytes"), new Uint8Array([0xff, 0xfe]));
  for (const name of ["folder", "ring", "bytes"]) {
    const thrown = await readConfig(denoFiles(), path(name)).catch((error) => error);
    assert.ok(thrown instanceof Failure, name);
    assert.deepEqual([thrown.code, thrown.exit], ["environment", 5], name);
    assert.match(thrown.message, /^Cannot read /);
    assert.ok(thrown.detail.remedy, name);
  }
});

Deno.test("a link whose file is gone is no empty config: it is not read, written or replaced", async () => {
  await using temp = await tempFolder();
  const files = denoFiles();
  const path = `${temp.path}/config.yaml`;
  const read = () => readConfig(files, path);
  const write = () => planConfig(files, path, [{ path: ["install_dir"], value: "/opt" }]);
  assert.deepEqual(await read(), Config.parse({}), "nothing there: the defaults");
  await Deno.symlink("dotfiles/svc.yaml", path);
  const home = { config: path };
  assert.ok(await configMentions({ files, home }, "mcp"), "who then reads it says what is wrong");
  for (const act of [read, write]) {
    await assert.rejects(act(), {
      ...{ code: "environment" },
      message: `Cannot read "${path}": it is a link to a file that does not exist`,
    });
  }
  assert.equal(await Deno.readLink(path), "dotfiles/svc.yaml");
  await temp.write("dotfiles/svc.yaml", "# mine\n");
  await (await write()).write();
  assert.equal(
    await Deno.readTextFile(`${temp.path}/dotfiles/svc.yaml`),
    "# mine\ninstall_dir: /opt\n",
  );
});

Deno.test("programs of jobs are contained where the config says so, and reach what it says", () => {
  const { execution } = Config.parse({});
  assert.equal(execution.sandbox, "off");
  const reach = { set_up: "full", checks: "loopback", commands: "loopback", servers: "loopback" };
  assert.deepEqual(execution.network, reach);
  const bad = [
    { sandbox: "docker" },
    { network: { checks: "lan" } },
    { caches: ["~/.npm"] },
    { caches: ["/"] },
    { toolchains: [".nvm"] },
    { limits: { memory_mb: 0 } },
    { isolated: true },
  ];
  for (const one of bad) {
    assert.equal(Config.safeParse({ execution: one }).success, false, JSON.stringify(one));
  }
});
