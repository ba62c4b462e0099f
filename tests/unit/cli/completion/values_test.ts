import assert from "node:assert/strict";
import { rolesOf, valuesFrom } from "svc/cli/completion/values.ts";
import type { ValueSource } from "svc/cli/flags.ts";
import type { Env } from "svc/platform/entrance.ts";
import { denoFiles } from "svc/platform/files/files.ts";

async function folder() {
  const root = await Deno.makeTempDir({ prefix: "svc-values-" });
  return { root, [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }) };
}

async function put(path: string, text = ""): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, text);
}

function envOf(values: Readonly<Record<string, string>>): Env {
  return { get: (name) => values[name], all: () => values, forget() {} };
}

async function ask(source: ValueSource, root: string) {
  const env = envOf({ HOME: `${root}/home` });
  return await valuesFrom(source, { files: denoFiles(), env, repo: `${root}/repo` });
}

const MANIFESTS: readonly (readonly [name: string, text: string, roles: readonly string[]])[] = [
  ["plain", "version: 1\nroles:\n  ceo: {tier: deep}\n  qa:\n    tier: small\nguardrails: {}\n", [
    "ceo",
    "qa",
  ]],
  ["deep", "roles:\n      a:\n        routes:\n          b: {}\n      c: {}\n", ["a", "c"]],
  ["commented", "roles:   # who works\n\n  # the first\n  a: {}\n# far left\n  b: {}\n", [
    "a",
    "b",
  ]],
  ["quoted", `roles:\n  "say \\"hi\\"": {}\n  'it''s': {}\n  q a: {}\n  a:b: {}\n`, [
    'say "hi"',
    "it's",
    "q a",
    "a:b",
  ]],
  ["block text", "roles:\n  a:\n    prompt: |\n      not: a role\n  b: {}\n", ["a", "b"]],
  ["line ends of Windows", "roles:\r\n  a: {}\r\n  b: {}\r\nproject:\r\n  c: {}\r\n", ["a", "b"]],
  ["another block first", "project:\n  roles:\n    x: {}\nroles:\n  a: {}\n", ["a"]],
  ["flow style", "roles: {a: {}, b: {}}\n", []],
  ["a list", "roles:\n  - a: 1\n  - b: 2\n", []],
  ["none", "version: 1\n", []],
  ["empty", "", []],
];

for (const [name, text, roles] of MANIFESTS) {
  Deno.test(`rolesOf finds the roles of a manifest: ${name}`, () => {
    assert.deepEqual(rolesOf(text), roles);
  });
}

Deno.test("valuesFrom reads the roles of the repo, and none that looks like a flag", async () => {
  await using here = await folder();
  await put(
    `${here.root}/repo/.harness/manifest.yaml`,
    'roles:\n  qa lead: {}\n  "--apply": {}\n',
  );
  assert.deepEqual(await ask("roles", here.root), [{ value: "qa lead", about: "" }]);
});

Deno.test("valuesFrom reads tickets in order of their ids, with state and slug", async () => {
  await using here = await folder();
  const tickets = `${here.root}/repo/docs/tickets`;
  await put(`${tickets}/done/T-0001-first-step.md`);
  await put(`${tickets}/backlog/T-0003.md`);
  await put(`${tickets}/in-progress/T-0002-second.md`);
  await put(`${tickets}/in-progress/README.md`);
  await put(`${tickets}/T-0009-no-state.md`);
  assert.deepEqual(await ask("tickets", here.root), [
    { value: "T-0001", about: "done: first step" },
    { value: "T-0002", about: "in-progress: second" },
    { value: "T-0003", about: "backlog" },
  ]);
});

Deno.test("valuesFrom reads the repos that have a database", async () => {
  await using here = await folder();
  await put(`${here.root}/home/.svc/db/web/svc.db`);
  await put(`${here.root}/home/.svc/db/my repo/svc.db`);
  await put(`${here.root}/home/.svc/db/foundation-telemetry/intake.db`);
  await put(`${here.root}/home/.svc/db/stray`);
  assert.deepEqual((await ask("repos", here.root)).map(({ value }) => value), ["my repo", "web"]);
});

Deno.test("valuesFrom knows the bundles", async () => {
  await using here = await folder();
  const bundles = await ask("bundles", here.root);
  assert.deepEqual(bundles.map(({ value }) => value), [
    "local-cpu-q3",
    "local-balanced-q4",
    "local-quality-q8",
  ]);
});

for (const source of ["roles", "repos", "tickets", "commands"] as const) {
  Deno.test(`valuesFrom gives no ${source} where there is nothing to read`, async () => {
    await using here = await folder();
    assert.deepEqual(await ask(source, here.root), []);
  });
}

Deno.test("valuesFrom gives no roles of a manifest that is no file", async () => {
  await using here = await folder();
  await Deno.mkdir(`${here.root}/repo/.harness/manifest.yaml`, { recursive: true });
  assert.deepEqual(await ask("roles", here.root), []);
});
