import assert from "node:assert/strict";
import { detect } from "svc/features/harness/detect.ts";
import { initHarness } from "svc/features/harness/init_harness.ts";
import { manifestIn, readManifest } from "svc/features/harness/manifest.ts";
import { filledBy, setupFiles, setupOf } from "svc/features/harness/setup_commands.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { siteAt } from "./harness_site.ts";
import { rootOf } from "./root_of.ts";

/** What `setupOf` finds in a root that holds these files. */
function setup(files: Readonly<Record<string, string>>): string[] {
  return setupOf(rootOf(files)).map(({ name, run }) => `${name}: ${run.join(" ")}`);
}

const PACKAGE = { "package.json": '{"devDependencies": {"tape": "^5"}}' };

const ROWS: readonly (readonly [what: string, files: Record<string, string>, found: string[]])[] = [
  ["npm", { ...PACKAGE, "package-lock.json": "" }, ["npm: npm ci"]],
  ["npm's other lock file", { ...PACKAGE, "npm-shrinkwrap.json": "" }, ["npm: npm ci"]],
  ["npm without a lock file", PACKAGE, [
    "npm: npm install --no-package-lock --no-audit --no-fund",
  ]],
  ["a package.json without dependencies", { "package.json": '{"name": "x"}' }, []],
  ["a package.json beside a deno.json", { ...PACKAGE, "deno.json": "{}" }, []],
  ["pnpm without a lock file", {
    "package.json": '{"packageManager": "pnpm@9.1.0", "dependencies": {"a": "1"}}',
  }, []],
  ["pnpm", { ...PACKAGE, "pnpm-lock.yaml": "" }, ["pnpm: pnpm install --frozen-lockfile"]],
  ["yarn 1", { ...PACKAGE, "yarn.lock": "" }, ["yarn: yarn install --frozen-lockfile"]],
  ["yarn 4", { ...PACKAGE, "yarn.lock": "", ".yarnrc.yml": "" }, [
    "yarn: yarn install --immutable",
  ]],
  ["bun", { ...PACKAGE, "bun.lock": "" }, ["bun: bun install --frozen-lockfile"]],
  ["uv", { "pyproject.toml": "", "uv.lock": "" }, ["uv: uv sync --locked"]],
  ["poetry", { "poetry.lock": "" }, ["poetry: poetry install --no-interaction"]],
  ["pip, in a venv of the tree", { "requirements.txt": "pytest\n" }, [
    "venv: python -m venv .venv",
    "pip: .venv/bin/python -m pip install --disable-pip-version-check -r requirements.txt",
  ]],
  ["pip with tests' own requirements, a package, and pytest that none of them names", {
    "requirements.txt": "attrs\n",
    "requirements-dev.txt": "coverage\n",
    "setup.py": "",
    "tests/conftest.py": "",
  }, [
    "venv: python -m venv .venv",
    "pip: .venv/bin/python -m pip install --disable-pip-version-check " +
    "-r requirements.txt -r requirements-dev.txt -e . pytest",
  ]],
  ["pip with the requirements that tox names", {
    "tox.ini":
      "[testenv]\ndeps =\n    # pinned\n    -r requirements/tests.txt\ncommands = pytest\n",
    "requirements/dev.txt": "",
    "requirements/tests.txt": "pytest\n",
  }, [
    "venv: python -m venv .venv",
    "pip: .venv/bin/python -m pip install --disable-pip-version-check -r requirements/tests.txt",
  ]],
  ["pip with an extra for tests", {
    "pyproject.toml": '[project]\n[project.optional-dependencies]\ntests = ["pytest"]\n[tool.x]\n',
  }, [
    "venv: python -m venv .venv",
    "pip: .venv/bin/python -m pip install --disable-pip-version-check -e .[tests]",
  ]],
  ["pip with extras as pyproject-fmt writes them", {
    "pyproject.toml":
      '[project]\nname = "x"\noptional-dependencies.docs = [ "sphinx" ]\noptional-dependencies.tests = [\n  "pytest",\n]\nurls.Home = "x"\n',
  }, [
    "venv: python -m venv .venv",
    "pip: .venv/bin/python -m pip install --disable-pip-version-check -e .[tests]",
  ]],
  ["pip with a group for development, which needs a new pip", {
    "pyproject.toml": '[project]\nname = "x"\n[dependency-groups]\ndev = ["pytest", "mock"]\n',
  }, [
    "venv: python -m venv --upgrade-deps .venv",
    "pip: .venv/bin/python -m pip install --disable-pip-version-check --group dev -e .",
  ]],
  ["pip with a package below src, and tests that only pytest runs", {
    "pyproject.toml": '[project]\nname = "x"\n',
    "src/x/__init__.py": "",
    "tests/test_x.py": "from x import y\n\ndef test_y():\n    assert y\n",
  }, [
    "venv: python -m venv .venv",
    "pip: .venv/bin/python -m pip install --disable-pip-version-check -e . pytest",
  ]],
  ["pip with what a package depends on", {
    "pyproject.toml": '[project]\ndependencies = [\n  "attrs",\n]\n',
  }, [
    "venv: python -m venv .venv",
    "pip: .venv/bin/python -m pip install --disable-pip-version-check -e .",
  ]],
  ["pip with what a setup.cfg depends on", {
    "setup.py": "",
    "setup.cfg": "[options]\ninstall_requires =\n    attrs\n",
  }, [
    "venv: python -m venv .venv",
    "pip: .venv/bin/python -m pip install --disable-pip-version-check -e .",
  ]],
  ["pip with what a setup.py depends on", {
    "setup.py": "setup(\n    name='x',\n    install_requires=['text-unidecode>=1.3'],\n)\n",
  }, [
    "venv: python -m venv .venv",
    "pip: .venv/bin/python -m pip install --disable-pip-version-check -e .",
  ]],
  ["a setup.py that depends on nothing", { "setup.py": "setup(install_requires=[])\n" }, []],
  ["a package that needs nothing", {
    "pyproject.toml": '[project]\nname = "x"\ndependencies = []\n[tool.x]\ndependencies = ["a"]\n',
  }, []],
  ["cargo", { "Cargo.toml": "", "Cargo.lock": "" }, ["cargo: cargo fetch --locked"]],
  ["go", { "go.mod": "", "go.sum": "" }, ["go: go mod download"]],
  ["bundler", { "Gemfile.lock": "" }, ["bundler: bundle install"]],
  ["composer", { "composer.lock": "" }, ["composer: composer install --no-interaction"]],
  ["a Gemfile without a lock file", { "Gemfile": "", "spec/x_spec.rb": "" }, [
    "bundler-unlocked: bundle install",
  ]],
  ["a Gemfile of a site", { "Gemfile": "", "_config.yml": "" }, []],
  ["composer without a lock file", { "composer.json": "{}", "phpunit.xml": "" }, [
    "composer-unlocked: composer install --no-interaction",
  ]],
  ["a composer.json that is only published", { "composer.json": "{}" }, []],
  ["poetry without a lock file", {
    "pyproject.toml": '[tool.poetry]\n[tool.poetry.group.dev.dependencies]\npytest = "^8"\n',
  }, ["poetry-unlocked: poetry install --no-interaction"]],
  ["two languages", { ...PACKAGE, "package-lock.json": "", "go.sum": "" }, [
    "npm: npm ci",
    "go: go mod download",
  ]],
];

for (const [what, files, found] of ROWS) {
  Deno.test(`setupOf knows ${what}`, () => assert.deepEqual(setup(files), found));
}

Deno.test("init writes the set-up that it found, and ignores the folder that it fills", async () => {
  for (const ignored of [undefined, "**/node_modules\n"]) {
    await using home = await tempFolder();
    await using repo = await tempRepo({
      files: {
        ...PACKAGE,
        "package-lock.json": "{}",
        ...(ignored !== undefined && { ".gitignore": ignored }),
      },
      commit: true,
    });
    using site = await siteAt(repo.path, home.path);
    const { project } = await initHarness(site, {
      ...{ routing: { mode: "defer" }, routingGiven: false, force: false, dryRun: false },
      tryOut: () => Promise.resolve(undefined),
      agree: () => Promise.resolve(),
    });
    assert.deepEqual(project.setup, [{ name: "npm", run: ["npm", "ci"] }]);
    const manifest = await manifestIn(site.folder);
    const step = { name: "npm", run: ["npm", "ci"], timeout_seconds: 600 };
    assert.deepEqual(manifest?.project.setup, [step]);
    const lines = (await repo.read(".gitignore")).split("\n");
    assert.equal(lines.filter((line) => line.includes("node_modules")).length, 1);
  }
});

Deno.test("init ignores what Python compiles, where checks start it: a role would commit that", async () => {
  for (
    const [ignored, more] of [
      [undefined, {}],
      ["__pycache__/\n*.py[cod]\n", {}],
      [undefined, { Makefile: "test:\n\tpython3 -m unittest\n" }],
    ] as const
  ) {
    await using home = await tempFolder();
    await using repo = await tempRepo({
      files: {
        "pyproject.toml": '[project]\nname = "app"\n',
        "app.py": "",
        "tests/__init__.py": "",
        "tests/test_app.py": "import unittest\n\n\nclass T(unittest.TestCase):\n    pass\n",
        ...{ ...(ignored !== undefined && { ".gitignore": ignored }), ...more },
      },
      commit: true,
    });
    using site = await siteAt(repo.path, home.path);
    const { project } = await initHarness(site, {
      ...{ routing: { mode: "defer" }, routingGiven: false, force: false, dryRun: false },
      tryOut: () => Promise.resolve(undefined),
      agree: () => Promise.resolve(),
    });
    assert.match(project.checks[0]!.run.join(" "), /^(?:python3? -m unittest|make test)/);
    const lines = (await repo.read(".gitignore")).split("\n");
    assert.equal(lines.filter((line) => line === "__pycache__/").length, 1);
  }
});

Deno.test("the lock file that a set-up writes for want of one is ignored, a committed one is not", async () => {
  for (
    const [lock, ignored] of [[undefined, ["composer.lock", "vendor/"]], ["{}", [
      "vendor/",
    ]]] as const
  ) {
    await using home = await tempFolder();
    await using repo = await tempRepo({
      files: {
        ...{ "composer.json": "{}", "phpunit.xml": "" },
        ...(lock !== undefined && { "composer.lock": lock }),
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
    assert.deepEqual(lines.filter((line) => /composer|vendor/.test(line)).sort(), [...ignored]);
  }
});

Deno.test("init knows tests that only pytest runs by their text: unittest would find none of them", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({
    files: { "setup.py": "", "tests/test_x.py": "def test_x():\n    assert True\n" },
    commit: true,
  });
  using site = await siteAt(repo.path, home.path);
  const { project } = await detect(site);
  assert.match(project.checks[0]!.run.join(" "), /^python3? -m pytest$/);
});

Deno.test("filledBy knows Python by each of its names, and takes no other program for it", () => {
  const fills = (line: string) => filledBy([{ name: "test", run: line.split(" ") }]);
  for (
    const line of ["python3.12 -m pytest", ".venv/bin/python -m unittest", "uv run pytest -q"]
  ) assert.deepEqual(fills(line), ["__pycache__"], line);
  assert.deepEqual(fills("npm test"), []);
  assert.deepEqual(fills("make python-test"), []);
});

const SAYS: readonly (readonly [what: string, paths: string[], found: string[]])[] = [
  ["a lock file", ["package-lock.json", "package.json", "x.js"], ["package-lock.json"]],
  ["the lock file of a workspace", ["packages/a/package.json", "package.json", "pnpm-lock.yaml"], [
    "pnpm-lock.yaml",
  ]],
  ["no lock file", ["package.json", "index.js"], ["package.json"]],
  ["a lock file of a fixture alone", ["package.json", "test/fixtures/a/package-lock.json"], [
    "package.json",
    "test/fixtures/a/package-lock.json",
  ]],
  ["the lock file of another tool", ["composer.json", "package-lock.json", "package.json"], [
    "composer.json",
    "package-lock.json",
  ]],
  ["requirements beside what they leave to the package", ["pyproject.toml", "requirements.txt"], [
    "pyproject.toml",
    "requirements.txt",
  ]],
  ["a gem without a lock file", ["Gemfile", "x.gemspec"], ["Gemfile", "x.gemspec"]],
  ["a gem with one", ["Gemfile", "Gemfile.lock", "x.gemspec"], ["Gemfile.lock"]],
];

for (const [what, paths, found] of SAYS) {
  Deno.test(`setupFiles knows ${what}`, () => assert.deepEqual(setupFiles(paths), found));
}

Deno.test("a manifest without a set-up reads as before", () => {
  const text = "version: 1\nproject: {name: demo}\nroles: {a: {prompt: roles/a.md}}\n";
  assert.deepEqual(readManifest(text).project.setup, []);
});
