/** Repos whose projects lie below a root that has none. */
import assert from "node:assert/strict";
import { readManifest } from "svc/features/harness/manifest.ts";
import { detect } from "svc/features/harness/detect.ts";
import { initHarness } from "svc/features/harness/init_harness.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { siteAt } from "./harness_site.ts";

type Texts = Readonly<Record<string, string>>;

async function found(files: Texts) {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files, commit: true });
  using site = await siteAt(repo.path, home.path);
  const { project } = await detect(site);
  const lines = (commands: typeof project.checks) =>
    commands.map(({ name, run }) => `${name}: ${run.join(" ")}`);
  return { ...project, checks: lines(project.checks), setup: lines(project.setup) };
}

const NODE = JSON.stringify({ scripts: { test: "node --test", lint: "eslint ." } });

Deno.test("init finds checks and set-up of each project below a root that has none", async () => {
  const { checks, setup, languages, package_managers } = await found({
    "README.md": "",
    "frontend/package.json": NODE,
    "frontend/package-lock.json": "{}",
    "frontend/e2e/package.json": NODE,
    "services/My Auth/go.mod": "module auth",
    "services/pay/go.mod": "module pay",
    "services/pay/go.sum": "",
    "examples/app/package.json": NODE,
    "docs/package.json": NODE,
    "unit-tests/Makefile": "test:\n",
    "native/CMakeLists.txt": "enable_testing()\nadd_test(a b)\n",
  });
  assert.deepEqual(checks, [
    "frontend-test: sh -c cd frontend && npm test",
    "frontend-lint: sh -c cd frontend && npm run lint",
    "native-test: sh -c cd native && cmake -S . -B build && cmake --build build && " +
    "ctest --test-dir build --output-on-failure --no-tests=error",
    "services-my-auth-test: sh -c cd 'services/My Auth' && go test ./...",
    "services-my-auth-lint: sh -c cd 'services/My Auth' && go vet ./...",
    "services-my-auth-build: sh -c cd 'services/My Auth' && go build ./...",
    "services-pay-test: sh -c cd services/pay && go test ./...",
    "services-pay-lint: sh -c cd services/pay && go vet ./...",
    "services-pay-build: sh -c cd services/pay && go build ./...",
  ]);
  assert.deepEqual(setup, [
    "frontend-npm: sh -c cd frontend && npm ci",
    "services-pay-go: sh -c cd services/pay && go mod download",
  ]);
  assert.deepEqual([...languages].sort(), ["c", "go", "node"]);
  assert.deepEqual([...package_managers].sort(), ["cmake", "go", "npm"]);
});

Deno.test("the checks of one project below the root keep their plain names", async () => {
  const { checks } = await found({ "README.md": "", "app/package.json": NODE });
  assert.deepEqual(checks, [
    "test: sh -c cd app && npm test",
    "lint: sh -c cd app && npm run lint",
  ]);
});

Deno.test("a root with checks of its own speaks for all below it, and too many projects say nothing", async () => {
  const { checks } = await found({ "Makefile": "test:\n\ttrue\n", "app/package.json": NODE });
  assert.deepEqual(checks, ["test: make test"]);
  const many = Array.from({ length: 21 }, (_, at) => [`services/s${at}/package.json`, NODE]);
  assert.deepEqual((await found(Object.fromEntries(many))).checks, []);
});

Deno.test("what set-ups below the root make is ignored, and the manifest takes their names", async () => {
  await using home = await tempFolder();
  const long = `packages/${"a".repeat(40)}`;
  await using repo = await tempRepo({
    files: {
      [`${long}/package.json`]: NODE,
      [`${long}/package-lock.json`]: "{}",
      [`${long}b/package.json`]: NODE,
      "api/pyproject.toml": "[tool.pytest.ini_options]\n",
      "api/requirements.txt": "pytest\n",
    },
    commit: true,
  });
  using site = await siteAt(repo.path, home.path);
  await initHarness(site, {
    ...{ routing: { mode: "defer" }, routingGiven: false, force: false, dryRun: false },
    tryOut: () => Promise.resolve(undefined),
    agree: () => Promise.resolve(),
  });
  const lines = (await repo.read(".gitignore")).split("\n");
  for (const name of ["node_modules/", ".venv/", "__pycache__/"]) {
    assert.ok(lines.includes(name), `${name} in ${lines}`);
  }
  const { project } = readManifest(await repo.read(".harness/manifest.yaml"));
  assert.equal(new Set(project.checks.map(({ name }) => name)).size, project.checks.length);
  assert.equal(project.checks.length, 5);
});
