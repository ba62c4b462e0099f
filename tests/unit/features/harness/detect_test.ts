import assert from "node:assert/strict";
import { checksOf, detect } from "svc/features/harness/detect.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { siteAt } from "./harness_site.ts";
import { rootOf } from "./root_of.ts";

/** What `checksOf` finds in a root that holds these files; a name with a slash is a folder. */
function checks(files: Readonly<Record<string, string>>): string[] {
  return checksOf(rootOf(files)).map(({ name, run }) => `${name}: ${run.join(" ")}`);
}

const scripts = (...names: string[]) =>
  JSON.stringify({ scripts: Object.fromEntries(names.map((name) => [name, `run ${name}`])) });

const ROWS: readonly (readonly [what: string, files: Record<string, string>, found: string[]])[] = [
  ["npm", { "package.json": scripts("test", "lint"), "package-lock.json": "" }, [
    "test: npm test",
    "lint: npm run lint",
  ]],
  ["pnpm", { "package.json": scripts("test", "build"), "pnpm-lock.yaml": "" }, [
    "test: pnpm test",
    "build: pnpm build",
  ]],
  ["yarn", { "package.json": scripts("test"), "yarn.lock": "" }, ["test: yarn test"]],
  ["bun", { "package.json": scripts("test"), "bun.lock": "" }, ["test: bun run test"]],
  ["corepack", {
    "package.json": '{"packageManager": "pnpm@9.1.0", "scripts": {"test": "vitest"}}',
  }, ["test: pnpm test"]],
  ["npm's empty test script", {
    "package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}',
  }, []],
  ["a package.json that is no JSON", { "package.json": "{" }, []],
  ["pytest in a venv of the set-up", { "requirements.txt": "pytest==8\n" }, [
    "test: .venv/bin/python -m pytest",
  ]],
  ["tools that the set-up of the venv brings", {
    "requirements.txt": "pytest==8\nmypy[reports]==1.17\ntypes-ruff==1\n# ruff\n",
    "pyproject.toml": "[tool.mypy]\n[tool.ruff]\n",
  }, [
    "test: .venv/bin/python -m pytest",
    "typecheck: .venv/bin/python -m mypy .",
    "lint: ruff check .",
  ]],
  ["tools of the extras for tests", {
    "pyproject.toml":
      '[project]\nname = "x"\n[project.optional-dependencies]\ndev = ["pytest", "ruff>=0.4"]\n[tool.ruff]\n',
  }, [
    "test: .venv/bin/python -m pytest",
    "lint: .venv/bin/python -m ruff check .",
  ]],
  ["pytest in a plain project", { "setup.py": "", "tests/conftest.py": "" }, [
    "test: python -m pytest",
  ]],
  ["uv", { "pyproject.toml": "[project]\n[tool.ruff]\n[tool.pytest.ini_options]", "uv.lock": "" }, [
    "test: uv run pytest",
    "lint: uv run ruff check .",
  ]],
  ["poetry", { "pyproject.toml": '[tool.poetry]\n[tool.mypy]\npytest = "^8"' }, [
    "test: poetry run pytest",
    "typecheck: poetry run mypy .",
  ]],
  ["tox", { "tox.ini": "[tox]", "setup.py": "" }, ["test: tox"]],
  ["unittest", { "setup.py": "", "tests": "" }, ["test: python -m unittest"]],
  ["go", { "go.mod": "" }, ["test: go test ./...", "lint: go vet ./...", "build: go build ./..."]],
  ["golangci", { "go.mod": "", ".golangci.yml": "" }, [
    "test: go test ./...",
    "lint: golangci-lint run",
    "build: go build ./...",
  ]],
  ["rust", { "Cargo.toml": "", "clippy.toml": "" }, [
    "test: cargo test",
    "lint: cargo clippy",
    "build: cargo build",
  ]],
  ["maven with its wrapper", { "pom.xml": "", "mvnw": "" }, [
    "test: ./mvnw test",
    "build: ./mvnw package -DskipTests",
  ]],
  ["gradle", { "build.gradle.kts": "" }, ["test: gradle test", "build: gradle assemble"]],
  ["deno", { "deno.jsonc": '{\n// own\n"tasks": {"test": "deno test -A",},\n}' }, [
    "test: deno task test",
    "lint: deno lint",
    "typecheck: deno check",
  ]],
  ["make around go", { "Makefile": "test: build\n\tgo test\nlint:\n\tgo vet\n", "go.mod": "" }, [
    "test: make test",
    "lint: make lint",
    "build: go build ./...",
  ]],
  ["a Makefile variable named test", { "Makefile": "test := 1\n" }, []],
  ["two languages", { "package.json": scripts("test"), "go.mod": "" }, [
    "test: npm test",
    "go-test: go test ./...",
    "lint: go vet ./...",
    "build: go build ./...",
  ]],
  ["nothing", { "README.md": "" }, []],
];

for (const [what, files, found] of ROWS) {
  Deno.test(`checksOf knows ${what}`, () => {
    assert.deepEqual([...checks(files)].sort(), [...found].sort());
  });
}

Deno.test("detect reads a real repo: version, default branch of the remote, docs, CI", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({
    files: {
      "package.json": '{"name": "x", "version": "2.3.4"}',
      "README.md": "# x",
      "docs/architecture.md": "",
      ".github/workflows/test.yml": "",
    },
    commit: true,
    branch: "topic",
  });
  await repo.write(".git/refs/remotes/origin/HEAD", "ref: refs/remotes/origin/trunk\n");
  using site = await siteAt(repo.path, home.path);
  const { name, ...found } = (await detect(site)).project;
  assert.equal(`/${name}`, repo.path.slice(repo.path.lastIndexOf("/")));
  assert.deepEqual(found, {
    version: "2.3.4",
    default_branch: "trunk",
    languages: ["node"],
    package_managers: ["npm"],
    setup: [],
    checks: [],
    docs: ["README.md", "docs/architecture.md"],
    ci: ["github-actions"],
  });
});

Deno.test("detect takes the branch at hand where there is no remote", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ branch: "trunk" });
  using site = await siteAt(repo.path, home.path);
  assert.equal((await detect(site)).project.default_branch, "trunk");
});

const VERSIONS:
  readonly (readonly [what: string, manifest: string, tags: string[], found: string])[] = [
    [
      "a release that no manifest names",
      '{"name": "x"}',
      ["v1.44.2", "v1.5.0", "nightly"],
      "1.44.2",
    ],
    [
      "a release above a root package that is never published",
      '{"version": "0.0.0"}',
      ["3.1.0"],
      "3.1.0",
    ],
    ["a manifest that is ahead of the last release", '{"version": "2.0.0"}', ["v1.9.0"], "2.0.0"],
    ["a prerelease", '{"version": "2.0.0-rc.1"}', [], "2.0.0-rc.1"],
    ["a manifest in its own form", '{"version": "1.2rc1"}', ["v1.1.0"], "1.2rc1"],
    ["nothing that says one", '{"version": "0.0.0-dev"}', ["v1", "v2.0.0-beta.1"], "0.1.0"],
  ];

for (const [what, manifest, tags, found] of VERSIONS) {
  Deno.test(`detect takes the version of ${what}`, async () => {
    await using home = await tempFolder();
    await using repo = await tempRepo({ files: { "package.json": manifest }, commit: true });
    for (const tag of tags) await repo.git("tag", tag);
    using site = await siteAt(repo.path, home.path);
    assert.equal((await detect(site)).project.version, found);
  });
}

Deno.test("detect leaves out releases that HEAD has not, as before the first commit", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files: { "package.json": "{}" }, commit: true });
  await repo.git("tag", "v4.0.0");
  await repo.git("checkout", "--quiet", "--orphan", "other");
  using site = await siteAt(repo.path, home.path);
  assert.equal((await detect(site)).project.version, "0.1.0");
});

const WRITTEN: readonly (readonly [what: string, files: string[], found: string[]])[] = [
  ["C that make builds", ["Makefile", "main.c", "main.h", "configure.sh"], ["c"]],
  ["Perl", ["Makefile.PL", "lib/A.pm", "lib/B.pm", "public/a.js"], ["perl"]],
  ["what its root names, whatever else is there", ["go.mod", "a.c", "b.c"], ["go"]],
  ["nothing but pages", ["README.md"], []],
];

for (const [what, files, found] of WRITTEN) {
  Deno.test(`detect tells the language of ${what}`, async () => {
    await using home = await tempFolder();
    const texts = Object.fromEntries(files.map((path) => [path, ""]));
    await using repo = await tempRepo({ files: texts, commit: true });
    using site = await siteAt(repo.path, home.path);
    assert.deepEqual((await detect(site)).project.languages, found);
  });
}
