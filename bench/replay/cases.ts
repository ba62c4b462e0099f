/** The cases of `make replay`: data alone. What they name is fetched when they run. */
import type { ReplayCase } from "./case.ts";

const NPM = ["npm", "node", "tar"];
const DEBIAN = ["apt-get", "dpkg-source", "patch"];
const INSTALL = ["npm", "install", "--ignore-scripts", "--silent"];
const NPM_TEST = ["npm", "test"];

/** Its test needs nothing but node. */
export const MIME: ReplayCase = {
  name: "mime",
  kind: "npm, nothing to install",
  source: { npm: "mime", from: "1.3.4", to: "1.3.6" },
  needs: NPM,
  fix: ["mime.js", "build/test.js"],
  proof: ["build/test.js"],
  // What builds types.json anew after each install, from a newer list of types.
  prepare: [["npm", "pkg", "delete", "devDependencies", "scripts.prepublish"]],
  test: NPM_TEST,
  ticket: {
    title: "Scripts are served without a charset",
    context: "mime.charsets.lookup says undefined for application/javascript and for JSON, so " +
      "that browsers guess how our scripts are encoded.",
    accept: "JavaScript and JSON are UTF-8, other applications have none; npm test says so",
  },
};

const NO_LOCK: ReplayCase = {
  name: "minimist",
  kind: "npm without a lock file",
  source: { npm: "minimist", from: "1.2.2", to: "1.2.3" },
  needs: NPM,
  fix: ["index.js", "test/"],
  proof: ["test/"],
  prepare: [[...INSTALL, "--no-package-lock"]],
  test: NPM_TEST,
  ticket: {
    title: "Arguments must not reach Object.prototype",
    context: "--constructor.prototype.x=1 sets x on every object of the program.",
    accept: "No argument sets anything on Object.prototype or on a constructor, and tests say so",
  },
};

const LOCK: ReplayCase = {
  name: "shell-quote",
  kind: "npm with a lock file",
  source: { npm: "shell-quote", from: "1.7.2", to: "1.7.3" },
  needs: NPM,
  fix: ["index.js", "test/"],
  proof: ["test/"],
  prepare: [INSTALL],
  test: NPM_TEST,
  ticket: {
    title: "Drive letters must not let a command through",
    context: "quote() takes whatever stands before a colon for a Windows drive letter, so that a " +
      "backtick behind it reaches the shell as it is.",
    accept: "quote() escapes a backtick behind a colon, and a test says so",
  },
};

const TSCONFIG = {
  compilerOptions: {
    ...{ target: "es2017", module: "es2015", moduleResolution: "node" },
    ...{ rootDir: "src", outDir: "lib", strict: true, importHelpers: true },
    ...{ esModuleInterop: true, skipLibCheck: true, types: ["node", "mocha"] },
  },
  include: ["src"],
};

const ROLLUP = `const external = ["chai", "graphql", "source-map-support/register", "tslib"];
const output = { format: "cjs", exports: "named", interop: "esModule" };
const bundle = (input, file) => ({ input, external, output: { ...output, file } });
export default [
  bundle("lib/index.js", "lib/graphql-tag.umd.js"),
  bundle("lib/tests.js", "lib/tests.cjs.js"),
];
`;

/** Red as it is: the person has moved to a graphql whose types refuse an option. */
const TYPESCRIPT: ReplayCase = {
  name: "graphql-tag",
  kind: "TypeScript, built before its tests",
  source: { npm: "graphql-tag", from: "2.12.5", to: "2.12.6" },
  needs: NPM,
  fix: ["src/index.ts"],
  proof: [],
  dropped: ["lib"],
  added: {
    "tsconfig.json": JSON.stringify(TSCONFIG, null, 2),
    "rollup.config.js": ROLLUP,
    ".gitignore": "lib/\n",
  },
  prepare: [
    [
      ...["npm", "pkg", "set", "scripts.test=npm run test:mocha"],
      ...["devDependencies.graphql=^16.0.0", "devDependencies.typescript=~4.9.5"],
      "peerDependencies.graphql=>=15",
    ],
    // npm runs it after each install too, where it would fail before anyone could mend the build.
    ["npm", "pkg", "delete", "scripts.prepublish"],
    INSTALL,
  ],
  test: NPM_TEST,
  ticket: {
    title: "It does not build with graphql 16",
    context: "tsc refuses experimentalFragmentVariables, which graphql 16 calls " +
      "allowLegacyFragmentVariables.",
    accept: "npm test builds and passes with graphql 16; graphql 15 gets the option it knows",
  },
};

const WORKSPACES: ReplayCase = {
  name: "workspaces",
  kind: "npm workspaces",
  source: { npm: "shell-quote", from: "1.7.1", to: "1.7.2" },
  folder: "packages/shell-quote",
  beside: { npm: "mime", version: "1.4.0", folder: "packages/mime" },
  needs: NPM,
  fix: ["index.js", "test/"],
  proof: ["test/"],
  added: {
    "package.json": JSON.stringify(
      {
        ...{ name: "tools", version: "1.0.0", private: true, workspaces: ["packages/*"] },
        scripts: { test: "npm test --workspaces" },
      },
      null,
      2,
    ),
  },
  prepare: [INSTALL],
  test: NPM_TEST,
  ticket: {
    title: "quote() breaks Windows drive letters",
    context: "A path such as C:\\src comes back with its colon escaped since the last release.",
    accept: "A drive letter stays as it is, and a test says so",
  },
};

const PNPM: ReplayCase = {
  name: "object-inspect",
  kind: "pnpm",
  source: { npm: "object-inspect", from: "1.2.1", to: "1.2.2" },
  needs: NPM,
  tools: ["pnpm@9.15.9"],
  fix: ["index.js", "test/"],
  proof: ["test/"],
  prepare: [["pnpm", "install", "--silent", "--ignore-scripts"]],
  test: ["pnpm", "test"],
  ticket: {
    title: "Negative zero is shown as 0",
    context: "inspect(-0) says 0, so that a failed assertion shows the same number twice.",
    accept: "inspect(-0) says -0, and a test says so",
  },
};

const PYTHON: ReplayCase = {
  name: "jinja2",
  kind: "Python",
  source: { debian: "jinja2", patch: "0001-xmlattr-filter-disallows-keys-with-spaces.patch" },
  needs: [...DEBIAN, "python -m pytest --version"],
  fix: ["src/", "tests/"],
  proof: ["tests/"],
  // Without it the tests would find another jinja2 that this machine may have.
  added: { "pytest.ini": "[pytest]\npythonpath = src\ntestpaths = tests\n" },
  prepare: [],
  test: ["python", "-m", "pytest", "-q"],
  ticket: {
    title: "xmlattr lets a key smuggle in attributes",
    context: 'A key with a space, such as "src=1 onerror", becomes two attributes in the page.',
    accept: "xmlattr raises ValueError for a key with a space, and a test says so",
  },
};

const C: ReplayCase = {
  name: "http-parser",
  kind: "C with make",
  source: { debian: "http-parser", patch: "CVE-2020-8287.patch" },
  needs: [...DEBIAN, "make", "cc"],
  fix: ["http_parser.c", "test.c"],
  proof: ["test.c"],
  knownSecrets: true,
  prepare: [],
  test: ["make", "test"],
  ticket: {
    title: "Two Transfer-Encoding headers must not hide a request",
    context: "A message with two Transfer-Encoding headers, of which the first says chunked, is " +
      "read as if it were not chunked. A proxy in front of us reads it the other way.",
    accept: "Such a message is read as chunked or refused, and make test has the cases",
  },
};

const WRITES: ReplayCase = {
  ...C,
  name: "http-parser-writes",
  kind: "tests that write into the tree",
  source: {
    debian: "http-parser",
    patch: "cherry-pick.v2.9.4-8-ge13b274.allow-content-length-and-transfer-encoding-chunked.patch",
  },
  fix: ["http_parser.c", "http_parser.h", "test.c"],
  // Objects and programs of the tests are no longer ignored.
  dropped: [".gitignore"],
  ticket: {
    title: "Let a lenient server accept Content-Length beside chunked",
    context: "Some old clients send both headers, and each of their requests is refused.",
    accept: "A flag allows both headers, chunked wins, the default refuses; make test has both",
  },
};

/** npm runs `prepublish` after each install; it builds a committed file from a newer list of types. */
const PREPUBLISH: ReplayCase = {
  ...MIME,
  name: "mime-prepublish",
  kind: "a set-up that rewrites a committed file",
  prepare: [[...INSTALL, "--no-package-lock"]],
};

/** Its `test` shows failures and ends well, which no script says of itself. */
const SWALLOWED: ReplayCase = {
  ...NO_LOCK,
  name: "minimist-swallowed",
  kind: "a check that ends well although tests fail",
  added: { "test.sh": "node_modules/.bin/tape test/*.js | tail -n 20\n" },
  prepare: [
    ["npm", "pkg", "set", "scripts.test=sh test.sh", "scripts.tests-only=tape test/*.js"],
    [...INSTALL, "--no-package-lock"],
  ],
  test: ["npm", "run", "tests-only"],
};

const YARN: ReplayCase = {
  ...LOCK,
  name: "shell-quote-yarn",
  kind: "yarn",
  tools: ["yarn@1.22.22"],
  prepare: [["yarn", "install", "--silent", "--ignore-scripts"]],
  test: ["yarn", "test"],
};

/** The person starts pnpm by npx, and PATH has none. */
const NO_PNPM: ReplayCase = {
  ...PNPM,
  name: "object-inspect-npx",
  kind: "pnpm that PATH does not find",
  tools: [],
  prepare: [["npx", "--yes", "pnpm@9", "install", "--silent", "--ignore-scripts"]],
  test: ["npx", "--yes", "pnpm@9", "test"],
};

/** A venv that the set-up makes; skipped where pip reaches no index. */
const VENV: ReplayCase = {
  ...PYTHON,
  name: "jinja2-venv",
  kind: "Python in a venv of its set-up",
  needs: [...DEBIAN, "python -m pip download --quiet --no-deps --dest /tmp/svc-replay-pip pytest"],
  dropped: ["requirements", "setup.py", "setup.cfg"],
  added: { ...PYTHON.added, "requirements.txt": "pytest\nmarkupsafe\n" },
};

const CRLF: ReplayCase = {
  ...MIME,
  name: "mime-crlf",
  kind: "CRLF files",
  crlf: true,
};

const CJSON = {
  source: { debian: "cjson", patch: "0001-add-null-checkings.patch" },
  fix: ["cJSON.c", "tests/misc_tests.c"],
  proof: ["tests/misc_tests.c"],
  prepare: [],
  ticket: {
    title: "NULL given to cJSON_SetValuestring crashes",
    context: "cJSON_SetValuestring and cJSON_InsertItemInArray follow a NULL item.",
    accept: "Both return without a crash, and misc_tests.c says so",
  },
} as const;

const SUBMODULE: ReplayCase = {
  ...CJSON,
  name: "cjson-submodule",
  kind: "a submodule that the tests need",
  needs: [...DEBIAN, "make", "cc"],
  submodule: "tests/unity",
  added: {
    GNUmakefile: "test:\n\tcc -I. -Itests -o misc_tests tests/misc_tests.c " +
      "tests/unity/src/unity.c -lm\n\t./misc_tests\n",
    ".gitignore": "misc_tests\n",
  },
  test: ["make", "test"],
};

/** Its Makefile's target `test` runs a demo; its tests are run by CMake. */
const LIES: ReplayCase = {
  ...CJSON,
  name: "cjson",
  kind: "a check that passes whatever its tests say",
  needs: [...DEBIAN, "make", "cc", "cmake", "ctest"],
  test: [
    "sh",
    "-c",
    "cmake -S . -B ../built -DENABLE_CJSON_TEST=On && cmake --build ../built && " +
    "ctest --test-dir ../built --output-on-failure",
  ],
};

const CMAKE: ReplayCase = {
  ...LIES,
  name: "cjson-cmake",
  kind: "C with CMake",
  dropped: ["Makefile"],
};

export const CASES: readonly ReplayCase[] = [
  ...[MIME, PREPUBLISH, NO_LOCK, SWALLOWED, LOCK, YARN, TYPESCRIPT, WORKSPACES, PNPM, NO_PNPM],
  ...[PYTHON, VENV, C, CMAKE, WRITES, CRLF, SUBMODULE, LIES],
];
