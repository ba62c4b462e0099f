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
  ["unittest", { "setup.py": "", "tests/__init__.py": "" }, ["test: python -m unittest"]],
  ["unittest where its tests are no package", { "setup.py": "", "test/test_x.py": "" }, [
    "test: python -m unittest discover -s test",
  ]],
  ["unittest by its tests", {
    "setup.py": "",
    "tests/test_x.py": "from unittest import TestCase\n\ndef test_suite():\n    pass\n",
  }, ["test: python -m unittest discover -s tests"]],
  ["pytest by its tests", {
    "setup.py": "",
    "tests/deep/test_x.py": "import pytest\n\nclass TestX:\n    pass\n",
  }, ["test: python -m pytest"]],
  ["paths that mypy has of its own", { "setup.py": "", "mypy.ini": "[mypy]\nfiles = src\n" }, [
    "typecheck: mypy",
  ]],
  ["paths that mypy has in pyproject.toml", {
    "pyproject.toml": '[tool.mypy]\nstrict = true\nfiles = ["src"]\n[tool.x]\n',
  }, ["typecheck: mypy"]],
  ["files of another tool than mypy", {
    "pyproject.toml": '[tool.mypy]\nstrict = true\n[tool.x]\nfiles = ["src"]\n',
  }, ["typecheck: mypy ."]],
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
  ["meson with tests below its root", {
    "meson.build": "project('x', 'c')\nsubdir('t')\n",
    "t/meson.build": "# test('old', e)\ntest('one', exe)\n",
  }, ["test: sh -c meson setup build && meson test -C build --print-errorlogs"]],
  ["meson without tests", { "meson.build": "# test('x', y)\nlatest(1)\n" }, [
    "build: sh -c meson setup build && meson compile -C build",
  ]],
  ["autotools", {
    "configure.ac": "",
    "Makefile.am": "SUBDIRS = tests\n",
    "tests/Makefile.am": "TESTS = one.sh\n",
  }, ["test: sh -c autoreconf --force --install && ./configure && make check"]],
  ["autoconf alone", { "configure.in": "", configure: "", "Makefile.in": "check :\tx_t\n" }, [
    "test: sh -c ./configure && make check",
  ]],
  ["autoconf alone, without tests", { "configure.ac": "AC_INIT", "Makefile.in": "check := 1\n" }, [
    "build: sh -c autoreconf --force --install && ./configure && make",
  ]],
  ["autotools without tests", { "configure.ac": "", configure: "", "Makefile.am": "# TESTS = a" }, [
    "build: sh -c ./configure && make",
  ]],
  ["autotools with a script of their own", {
    "configure.ac": "",
    "autogen.sh": "",
    "Makefile.am": "check_PROGRAMS = one\n",
  }, ["test: sh -c NOCONFIGURE=1 ./autogen.sh && ./configure && make check"]],
  ["perl", { "Makefile.PL": "", "t/one.t": "" }, ["test: prove -lr t"]],
  ["perl with a part in C", { "Makefile.PL": "", "t/one.t": "", "X.xs": "" }, [
    "test: sh -c perl Makefile.PL && make test",
  ]],
  ["perl without tests", { "Build.PL": "" }, []],
  ["ruby", { "Gemfile": "", "Rakefile": "Rake::TestTask.new do |t|\nend\n", ".rubocop.yml": "" }, [
    "test: bundle exec rake test",
    "lint: bundle exec rubocop",
  ]],
  ["ruby with a task of another name", { "Rakefile": "Rake::TestTask.new(:units) do |t|\n" }, [
    "test: rake units",
  ]],
  ["rspec's own task", {
    "Rakefile": 'RSpec::Core::RakeTask.new do |spec|\nend\nRake::TestTask.new("units")\n',
    "spec/x_spec.rb": "",
  }, ["test: rake units"]],
  ["rspec", { "x.gemspec": "", "spec/x_spec.rb": "" }, ["test: rspec"]],
  ["a Rakefile without tests", { "Rakefile": "task :default\n" }, []],
  ["composer", {
    "composer.json": '{"scripts": {"test": ["phpunit"], "lint": "phpcs || true"}}',
    "phpunit.xml.dist": "",
  }, ["test: composer run-script test", "lint: composer run-script lint"]],
  ["phpunit", { "composer.json": "{}", "phpunit.xml.dist": "", "phpstan.neon": "" }, [
    "test: vendor/bin/phpunit",
    "typecheck: vendor/bin/phpstan analyse",
  ]],
  ["pest", { "composer.json": '{"require-dev": {"pestphp/pest": "^3"}}', "phpunit.xml": "" }, [
    "test: vendor/bin/pest",
  ]],
  ["PHPUnit of Symfony's bridge, as CI runs it", {
    "composer.json": '{"require-dev": {"symfony/phpunit-bridge": "^6"}}',
    "phpunit.xml.dist": "",
    ".github/workflows/ci.yml": `jobs: {a: {steps: [{run: vendor/bin/simple-phpunit install},
      {run: vendor/bin/simple-phpunit --version}, {run: vendor/bin/simple-phpunit}]}}`,
  }, ["test: vendor/bin/simple-phpunit"]],
  ["mix", { "mix.exs": "", "test/x_test.exs": "", ".formatter.exs": "" }, [
    "test: mix test",
    "lint: mix format --check-formatted",
    "build: mix compile",
  ]],
  [".NET with tests", {
    "App.sln": "",
    "t/T.csproj": '<PackageReference Include="Microsoft.NET.Test.Sdk" />',
  }, ["test: dotnet test", "build: dotnet build"]],
  [".NET without tests", { "App.csproj": "<Project/>" }, [
    "build: dotnet build",
  ]],
  ["two solutions", { "A.sln": "", "B.sln": "" }, []],
  ["swift", { "Package.swift": "", "Tests/XTests/X.swift": "" }, [
    "test: swift test",
    "build: swift build",
  ]],
  ["cabal", { "x.cabal": "name: x\nlibrary\ntest-suite all\n  type: exitcode-stdio-1.0\n" }, [
    "test: cabal test",
    "build: cabal build",
  ]],
  ["cabal without tests", { "x.cabal": "name: x\n" }, ["build: cabal build"]],
  ["stack", { "x.cabal": "", "stack.yaml": "" }, ["test: stack test", "build: stack build"]],
  ["dune", { "dune-project": "", "test/dune": "(test\n (name t))\n" }, [
    "test: dune test",
    "build: dune build",
  ]],
  ["dune without tests", { "dune-project": "", "dune": "(library (name latest))\n" }, [
    "build: dune build",
  ]],
  ["rebar3", { "rebar.config": "", "test/x_tests.erl": "" }, [
    "test: rebar3 eunit",
    "build: rebar3 compile",
  ]],
  ["busted", { "x-1.rockspec": "", "spec/x_spec.lua": "", ".luacheckrc": "" }, [
    "test: busted",
    "lint: luacheck .",
  ]],
  ["busted without the options of CI, which want more than it", {
    ".busted": "",
    ".github/workflows/ci.yml": "jobs: {a: {steps: [{run: busted --coverage}]}}",
  }, ["test: busted"]],
  ["a rock without tests", { "x-1.rockspec": "" }, []],
  ["bats", { "test/x.bats": "" }, ["test: bats test"]],
  ["bats of its own, with tests in folders", { "test/unit/x.bats": "", "test/bats": "" }, [
    "test: test/bats/bin/bats --recursive test",
  ]],
  ["bats behind a script", { "test/x.bats": "", "package.json": scripts("test") }, [
    "test: npm test",
  ]],
  ["ant", {
    "build.xml":
      '<project>\n<!-- <target name="check"/> -->\n<target depends="a" name="test"/></project>',
  }, ["test: ant test"]],
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

const POM = `<?xml version="1.0"?><project>
  <parent><artifactId>big</artifactId><version>9.9.9</version></parent>
  <!-- <version>8.8.8</version> -->
  <dependencies><dependency><version>7.7.7</version></dependency></dependencies>
  <version>3.2.1-SNAPSHOT</version>
  <build><plugins><plugin><version>6.6.6</version></plugin></plugins></build>
</project>`;

const ELSEWHERE: readonly (readonly [files: Record<string, string>, found: string])[] = [
  [{ "pom.xml": POM }, "3.2.1-SNAPSHOT"],
  [{ "pom.xml": "<project><parent><version>9.9.9</version></parent></project>" }, "0.1.0"],
  [{ "build.gradle": "plugins {\n  id 'x' version '9.9.9'\n}\nversion = '1.4.0'\n" }, "1.4.0"],
  [{ "build.gradle": "version = project.v\n", "gradle.properties": "version=2.0.1\n" }, "2.0.1"],
  [{ "src/App/App.csproj": "<Project><Version>4.5.6</Version></Project>" }, "4.5.6"],
  [{ "a/A.csproj": "<Version>1.0.0</Version>", "b/B.csproj": "<Version>2.0.0</Version>" }, "0.1.0"],
  [{ "setup.cfg": "[metadata]\nname = x\nversion = 1.2.3\n" }, "1.2.3"],
  [
    {
      "setup.cfg": "[metadata]\nversion = attr: x.v\n",
      "x/__init__.py": "__version__ = '2.1.0'\n",
    },
    "2.1.0",
  ],
  [{ "setup.py": "setup(name='x', python_version='3.9.0', version='5.0.2')\n" }, "5.0.2"],
  [{
    "pyproject.toml": '[project]\ndynamic = ["version"]\n',
    "src/x/_version.py": '__version__ = "0.9.1"\n',
  }, "0.9.1"],
  [{ "x.gemspec": "Gem::Specification.new do |s|\n  s.version = '1.1.4'\nend\n" }, "1.1.4"],
  [{
    "x.gemspec": "s.version = X::VERSION\n",
    "lib/x/version.rb": 'module X\n  VERSION = "0.7.2"\nend\n',
  }, "0.7.2"],
  [{
    "composer.json": '{"repositories": [{"package": {"version": "9.9.9"}}], "version": "v1.8.0"}',
  }, "1.8.0"],
  [
    { "mix.exs": 'def project do\n  [app: :x,\n   version: "1.6.1",\n   elixir: "~> 1.15"]\n' },
    "1.6.1",
  ],
  [{
    "CMakeLists.txt":
      "cmake_minimum_required(VERSION 3.16)\n# project(x VERSION 9.9.9)\nproject(x\n  VERSION 2.4.0 LANGUAGES C)\n",
  }, "2.4.0"],
  [{ "meson.build": "project('x', 'c',\n  version : '0.5.3')\n" }, "0.5.3"],
  [{ "configure.ac": "AC_PREREQ([2.69])\nAC_INIT([x y], [1.3.7], [a@b.example])\n" }, "1.3.7"],
  [{ "CMakeLists.txt": "project(x VERSION 1.2.3.4)" }, "1.2.3.4"],
];

for (const [files, found] of ELSEWHERE) {
  Deno.test(`detect reads the version ${found} in ${Object.keys(files).join(" and ")}`, async () => {
    await using home = await tempFolder();
    await using repo = await tempRepo({ files, commit: true });
    using site = await siteAt(repo.path, home.path);
    assert.equal((await detect(site)).project.version, found);
  });
}

Deno.test("detect believes a release before a file whose version is no semver", async () => {
  await using home = await tempFolder();
  const files = { "CMakeLists.txt": "project(x VERSION 1.2)" };
  await using repo = await tempRepo({ files, commit: true });
  await repo.git("tag", "v1.2.5");
  using site = await siteAt(repo.path, home.path);
  assert.equal((await detect(site)).project.version, "1.2.5");
});

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
