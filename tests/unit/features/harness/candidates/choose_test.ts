import assert from "node:assert/strict";
import { ANY_PROGRAM } from "svc/features/harness/candidates/candidate.ts";
import { commandName } from "svc/features/harness/command_name.ts";
import { checkGroups, untried } from "svc/features/harness/candidates/choose.ts";
import { rootOf } from "tests/unit/features/harness/root_of.ts";

type Files = Readonly<Record<string, string>>;

const only = (...names: string[]) => ({ has: (name: string) => names.includes(name) });

/** All that may become the check, by preference. */
function offered(name: string, files: Files, programs = ANY_PROGRAM): string[] {
  const group = checkGroups(rootOf(files), programs).find((one) => one.name === name);
  return group?.candidates.map(({ run }) => run.join(" ")) ?? [];
}

function taken(name: string, files: Files, programs = ANY_PROGRAM): string | undefined {
  const group = checkGroups(rootOf(files), programs).find((one) => one.name === name);
  return group && untried(group, programs).run.join(" ");
}

const scripts = (all: Record<string, string>) => JSON.stringify({ scripts: all });

/** As published with rehype 13: its `test` builds and formats, and calls the two that only look. */
const REHYPE = {
  "package.json": scripts({
    build: "npm run build --workspaces --if-present",
    format: "remark . -qfo && prettier . -w --log-level warn && xo --fix",
    test: "npm run build && npm run format && npm run test-coverage",
    "test-api": "node --conditions development test.js",
    "test-coverage": "c8 --100 --reporter lcov npm run test-api",
  }),
  "package-lock.json": "",
};

Deno.test("a test that writes comes after those that it calls and that only look", () => {
  assert.deepEqual(offered("test", REHYPE), [
    "npm run test-coverage",
    "npm run test-api",
    "npm test",
  ]);
});

Deno.test("a test that ends well whatever fails comes last", () => {
  const files = {
    "package.json": scripts({ test: "npm run unit || true", unit: "tape test/*.js" }),
  };
  assert.deepEqual(offered("test", files), ["npm run unit", "npm test"]);
  const [, last] = checkGroups(rootOf(files), ANY_PROGRAM)[0]!.candidates;
  assert.match(last!.doubt!, /"test" ends well whatever fails/);
});

Deno.test("a test that watches files comes after one that ends", () => {
  for (
    const watches of ["jest --watch", "vitest watch", "mocha -R dot --watch", "jest --watchAll"]
  ) {
    const files = { "package.json": scripts({ test: watches, "test:ci": "jest" }) };
    assert.deepEqual(offered("test", files), ["npm run test:ci", "npm test"], watches);
  }
  for (const ends of ["vitest", "jest --watchAll=false", "vitest run --watch=false"]) {
    const files = { "package.json": scripts({ test: ends, "test:ci": "jest" }) };
    assert.deepEqual(offered("test", files), ["npm test", "npm run test:ci"], ends);
  }
});

Deno.test("Create React App tests all once where CI is set, and otherwise watches what changed", () => {
  const ci = "jobs: { a: { steps: [{ run: yarn test }] } }\n";
  for (const test of ["react-scripts test", "craco test --coverage", "npm run test:app"]) {
    const app = { "package.json": scripts({ test, "test:app": "react-app-rewired test" }) };
    assert.equal(offered("test", app)[0], "env CI=true npm test");
    const yarn = { ...app, "yarn.lock": "", ".github/workflows/ci.yml": ci };
    assert.equal(offered("test", yarn)[0], "env CI=true yarn test");
    assert.ok(!offered("test", yarn).includes("yarn test"));
  }
  for (const test of ["react-scripts test --watchAll=false", "cross-env CI=true craco test"]) {
    assert.deepEqual(offered("test", { "package.json": scripts({ test }) }), ["npm test"]);
  }
});

Deno.test("npm's pre and post scripts count: an audit after the tests is left out where that helps", () => {
  const files = {
    "package.json": scripts({
      pretest: "npm run lint",
      test: "npm run tests-only",
      "tests-only": "tape 'test/**/*.js'",
      posttest: "npx npm@'>= 10.2' audit --production",
      lint: "eslint --ext=js,mjs .",
    }),
  };
  assert.deepEqual(offered("test", files), ["npm test", "npm run tests-only"]);
});

Deno.test("pytest that tox would run comes before tox, with the Python that PATH has", () => {
  const tox = { "tox.ini": "[tox]\nenvlist = py311\n[testenv]\ncommands = pytest {posargs}\n" };
  assert.deepEqual(offered("test", tox), ["python -m pytest", "tox"]);
  const ci = { ".github/workflows/ci.yml": "jobs: {a: {steps: [{run: tox -e py311}]}}" };
  assert.deepEqual(offered("test", { ...tox, ...ci }), ["python -m pytest", "tox"]);
  assert.equal(taken("test", tox, only("python3")), "python3 -m pytest");
  const unittest = {
    "tox.ini": "[testenv]\ncommands =\n    python -m unittest discover -s tests {posargs}\n",
  };
  assert.deepEqual(offered("test", unittest), [
    "python -m unittest discover -s tests",
    "tox",
  ]);
});

Deno.test("pnpm that PATH does not find is fetched by what comes with node", () => {
  const files = {
    "package.json": scripts({ test: "tape test/*.js" }),
    "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
  };
  assert.equal(taken("test", files, only("pnpm", "npx")), "pnpm test");
  assert.equal(taken("test", files, only("corepack")), "corepack pnpm test");
  assert.equal(taken("test", files, only("corepack", "npx")), "npx --yes pnpm@9 test");
  assert.equal(taken("test", files, only("npm")), "pnpm test");
});

/** npm has no release of Yarn 2 and later by the name yarn, but for one of 2020. */
Deno.test("yarn that PATH does not find is fetched under the name that npm has for it", () => {
  const words = (files: Files, pin?: string) =>
    taken("test", {
      "package.json": JSON.stringify({ packageManager: pin, scripts: { test: "tape" } }),
      ...{ "yarn.lock": "", ...files },
    }, only("npx"));
  assert.equal(words({}), "npx --yes yarn@1 test");
  assert.equal(words({}, "yarn@1.22.19+sha1.abc"), "npx --yes yarn@1.22.19 test");
  assert.equal(words({}, "yarn@4.5.0"), "npx --yes @yarnpkg/cli-dist@4.5.0 test");
  assert.equal(words({ ".yarnrc.yml": "" }), "npx --yes @yarnpkg/cli-dist@4 test");
  const own = { ".yarnrc.yml": "yarnPath: .yarn/releases/yarn-4.5.0.cjs\n" };
  assert.equal(words(own, "yarn@4.5.0"), "npx --yes yarn@1 test");
});

Deno.test("tests that CMake knows come before a Makefile's target", () => {
  const files = {
    "CMakeLists.txt": 'project(x)\n# option(OLD_TEST "" OFF)\n' +
      'option(X_TESTS "Build tests" OFF)\nenable_testing()\n',
    "Makefile": "test: all\n\t./demo\n",
  };
  const cmake = "sh -c cmake -S . -B build -DX_TESTS=ON && cmake --build build && " +
    "ctest --test-dir build --output-on-failure --no-tests=error";
  assert.deepEqual(offered("test", files), [cmake, "make test"]);
  assert.equal(taken("test", files, only("make", "cc")), "make test");
  assert.match(offered("test", { ...files, "build/notes.txt": "" })[0]!, /-B cmake-build /);
  assert.deepEqual(offered("build", { "CMakeLists.txt": "project(x)\n" }), [
    "sh -c cmake -S . -B build && cmake --build build",
  ]);
});

/** As released: what turns tests off, or on where a GPU or valgrind is, stays as the project has it. */
const TEST_OPTIONS: readonly (readonly [name: string, project: string, taken: boolean])[] = [
  ["JANSSON_WITHOUT_TESTS", "jansson", false],
  ["JANSSON_TEST_WITH_VALGRIND", "jansson", false],
  ["FMT_CUDA_TEST", "FMT", false],
  ["CATCH_BUILD_EXTRA_TESTS", "Catch2", false],
  ["DISABLE_TESTS", "x", false],
  ["X_NO_TESTS", "x", false],
  ["SPDLOG_BUILD_TESTS", "spdlog", true],
  ["gtest_build_tests", "gtest", true],
  ["ABSL_BUILD_TESTING", "absl", true],
  ["HTTPLIB_TEST", "httplib", true],
  ["MAGIC_ENUM_TEST", "magic_enum", true],
  ["BUILD_UNIT_TESTS", "x", true],
  ["ENABLE_TESTS", "x", true],
  ["TESTING", "x", true],
];

for (const [name, project, isTaken] of TEST_OPTIONS) {
  Deno.test(`CMake's option ${name} is ${isTaken ? "turned on" : "left alone"}`, () => {
    const text = `project(${project} C)\noption(${name} "Tests" OFF)\nenable_testing()\n`;
    const line = taken("test", { "CMakeLists.txt": text }) ?? "";
    assert.equal(line.includes(` -D${name}=ON `), isTaken, line);
  });
}

Deno.test("make's check is its test where it has no other; a recipe that goes on is in doubt", () => {
  assert.deepEqual(offered("test", { "Makefile": "check:\n\t./run\n" }), ["make check"]);
  const files = { "Makefile": "test: x\n\t@./x\n\t-./run_tests\nother:\n\ttrue\n" };
  const [{ candidates }] = checkGroups(rootOf(files), ANY_PROGRAM) as [
    ReturnType<typeof checkGroups>[number],
  ];
  assert.match(candidates[0]!.doubt!, /"test" goes on after a failure/);
});

const GITHUB = `
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: npm ci && npm run test:ci
      - run: |
          # of a matrix
          npm run lint:js -- --max-warnings \${{ matrix.max }}
          cd packages/a
          npm run test:a
      - run: npm run test:site
        working-directory: site
      - run: npm run test:all | tee log
`;

Deno.test("what CI runs comes first: plain words, in the root, not of a release", () => {
  const files = {
    "package.json": scripts({ test: "mocha", "test:ci": "mocha --ci", lint: "eslint ." }),
    ".github/workflows/ci.yml": GITHUB,
    ".github/workflows/release.yml": "jobs: {a: {steps: [{run: npm run test:release}]}}",
  };
  assert.deepEqual(offered("test", files), ["npm run test:ci", "npm test"]);
  assert.deepEqual(offered("lint", files), ["npm run lint"]);
  const gitlab = {
    ".gitlab-ci.yml": "rspec:\n  script:\n    - bundle install\n    - bundle exec rspec\n",
  };
  assert.deepEqual(offered("test", gitlab), ["bundle exec rspec"]);
});

Deno.test("a command whose parts CI runs one by one comes before each of them", () => {
  const make = {
    // As elixir-lang/elixir has it.
    "Makefile": "test: test_formatted test_erlang\n\ntest_formatted: compile\n\tmix format\n",
    ".github/workflows/ci.yml": `jobs: {a: {steps: [{run: make test_formatted && echo "fine"},
      {run: make test_erlang}]}}`,
  };
  assert.deepEqual(offered("test", make), ["make test", "make test_formatted", "make test_erlang"]);
  const one = { ...make, "Makefile": "test: test_formatted slow\n" };
  assert.equal(offered("test", one)[0], "make test_formatted");
  const npm = {
    "package.json": scripts({
      test: "npm run test:types && npm run test:unit",
      "test:types": "tsd",
      "test:unit": "tape",
    }),
    ".github/workflows/ci.yml":
      "jobs: {a: {steps: [{run: npm run test:types}, {run: npm run test:unit}]}}",
  };
  assert.equal(offered("test", npm)[0], "npm test");
});

Deno.test("CI decides between a Makefile and what it wraps, and names where that is read", () => {
  const files = {
    "Makefile": "test:\n\t./demo\n",
    "go.mod": "",
    ".github/workflows/go.yml": "jobs: {t: {steps: [{run: go test -race ./...}]}}",
  };
  assert.deepEqual(offered("test", files), ["go test ./...", "make test"]);
  const group = checkGroups(rootOf(files), ANY_PROGRAM).find(({ name }) => name === "test");
  assert.equal(group!.candidates[0]!.source, "go.mod, .github/workflows/go.yml");
});

Deno.test("a workflow file that does not parse, or would grow without end, says nothing", () => {
  const bomb = [
    "a: &a [x]",
    ..."bcdefghij".split("").map((one, at) => {
      const below = "abcdefghij"[at]!;
      return `${one}: &${one} [${Array(10).fill(`*${below}`).join(", ")}]`;
    }),
  ].join("\n");
  for (const text of ["jobs: [", bomb, "jobs: {a: {steps: 3}}", "- 1"]) {
    assert.deepEqual(offered("test", { ".github/workflows/ci.yml": text }), []);
  }
});

Deno.test("a check of C# beside another language has a name that a manifest takes", () => {
  const groups = checkGroups(
    rootOf({
      "package.json": '{"scripts": {"test": "node --test"}}',
      "App.csproj": '<PackageReference Include="Microsoft.NET.Test.Sdk" />',
    }),
    ANY_PROGRAM,
  );
  assert.deepEqual(groups.map(({ name }) => name), ["test", "csharp-test", "build"]);
  assert.equal(commandName("9 lives/Ä-test"), "lives-test");
});

Deno.test("a hundred scripts that call each other are each looked at once, the last one for what it writes", () => {
  const names = Array.from({ length: 100 }, (_, at) => `step${at}`);
  const all = names.map((name) => `npm run ${name}`).join(" && ");
  const files = {
    "package.json": scripts({
      ...Object.fromEntries(names.map((name) => [name, all])),
      step99: `${all} && prettier --write .`,
      test: all,
      "test:unit": "node test.js",
    }),
  };
  // Without that, the paths from script to script would be followed, and these have no end.
  assert.deepEqual(offered("test", files), ["npm run test:unit", "npm test"]);
});
