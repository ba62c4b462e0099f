/** Healthy repos as they are laid out in public: a Node library, a Python package, a Go module. */
import type { Files } from "tests/kit/temp_repo.ts";

const LICENCE = "MIT License\n\nCopyright (c) 2026 Ada\n";
const many = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join("");

export const NODE_LIBRARY: Files = {
  "AGENTS.md":
    "# Guidance\n\nCode is in `src/`, its tests in `test/`. Run `npm run build`, then `npm test`.\n" +
    "`dist/index.js` is built; do not edit it.\n",
  "README.md":
    "# measure [![ci](https://github.com/ada/measure/actions/workflows/ci.yml/badge.svg)](https://github.com/ada/measure)\n\n" +
    "- [Install](#install)\n- [API](docs/api.md#measuretext-options)\n- [Licence](LICENSE)\n\n## Install\n\n" +
    "```sh\nnpm install measure\n```\n\n## Settings\n\n| variable | meaning |\n| --- | --- |\n" +
    "| `MEASURE_LOCALE` | locale, `en` unless set |\n\n## Contributing\n\nSee [the guide](./CONTRIBUTING.md) " +
    "and open [an issue](../../issues/new).\n",
  "CONTRIBUTING.md": "# Contributing\n\nRun `npm test`. Tests are in `test/measure.test.ts`.\n",
  "CHANGELOG.md": "# Changelog\n\n## 2.1.0\n\n- Removed `src/legacy.ts` ([#12](../../pull/12))\n",
  "docs/api.md":
    "# API\n\n## measure(text, options?)\n\nGives the width. See [README](../README.md).\n\n" +
    "```js\nimport measure from 'measure'; // [not a link](nowhere.md)\n```\n",
  LICENSE: LICENCE,
  ".gitignore": "node_modules\ndist\ncoverage\n.env\n",
  ".npmrc": "save-exact=true\n",
  ".github/workflows/ci.yml":
    "name: ci\non: [push, pull_request]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n" +
    "      - uses: actions/checkout@v5\n      - uses: actions/setup-node@v5\n      - run: npm ci\n      - run: npm test\n",
  "package.json":
    '{\n  "name": "measure",\n  "version": "2.1.0",\n  "type": "module",\n  "exports": "./dist/index.js",\n' +
    '  "scripts": {\n    "build": "tsc",\n    "test": "vitest run"\n  },\n' +
    '  "dependencies": {\n    "left": "^1.3.0"\n  },\n  "devDependencies": {\n    "vitest": "^4.0.0"\n  },\n' +
    '  "peerDependencies": {\n    "react": "*"\n  }\n}\n',
  "package-lock.json":
    '{\n  "name": "measure",\n  "lockfileVersion": 3,\n  "packages": {\n    "": {\n      "name": "measure",\n' +
    '      "dependencies": {\n        "left": "^1.3.0"\n      },\n      "devDependencies": {\n        "vitest": "^4.0.0"\n      }\n    },\n' +
    '    "node_modules/left": {\n      "version": "1.3.0",\n      "integrity": "sha512-q2b1vYVzQ8mW5yVgVfC0qW3T7r0bYl1N4o0pTzHq0Y8n6m3q3l4m5n6o7p8q9r0s1t2u3v4w5x6y7z8A9B0C1D=="\n    }\n  }\n}\n',
  "tsconfig.json": '{ "compilerOptions": { "strict": true } }\n',
  "vitest.config.ts":
    "export default { test: { globals: Boolean(process.env.VITEST_GLOBALS) } };\n",
  "src/index.ts":
    'export { measure } from "./measure.js";\nexport type { Options } from "./options.js";\n',
  "src/measure.ts":
    'import { widthOf } from "./width.js";\n\nconst locale = process.env.MEASURE_LOCALE ?? "en";\n\n' +
    "export function measure(text: string): number {\n  // NOTE: combining marks have no width.\n" +
    "  return [...text].reduce((sum, char) => sum + widthOf(char, locale), 0);\n}\n",
  "src/width.ts":
    "const WIDE = /[\\u1100-\\u115f{}]/;\n\nexport function widthOf(char: string, _locale: string): number {\n" +
    "  return WIDE.test(char) ? 2 : 1;\n}\n\nexport const TABLE = [\n" +
    `${many(200, (at) => `  ${at},\n`)}];\n`,
  "src/options.ts": "export interface Options {\n  readonly wide?: boolean;\n}\n",
  "test/measure.test.ts":
    'import { expect, it } from "vitest";\nimport { measure } from "../src/measure.js";\n\n' +
    'it("counts", () => {\n  process.env.ONLY_HERE = "1";\n  expect(measure("ab")).toBe(2);\n});\n',
  "test/fixtures/broken.md": "[gone](gone.md)\n<<<<<<< HEAD\n=======\n>>>>>>> side\n",
  "test/__snapshots__/measure.test.ts.snap": "exports[`counts 1`] = `2`;\n",
};

export const PYTHON_PACKAGE: Files = {
  "README.rst":
    "tally\n=====\n\nSet ``TALLY_CACHE`` to move the cache.\n\n.. _docs: https://tally.example.org\n",
  "LICENSE.txt": LICENCE,
  "AGENTS.md": "Use `uv sync`, then `uv run pytest`. The package is `src/tally/`.\n",
  "CODE_OF_CONDUCT.md": "# Conduct\n\nBe kind.\n",
  "docs/conf.py": 'project = "tally"\n',
  "docs/index.rst": "Tally\n=====\n\n.. toctree::\n\n   usage\n",
  "docs/usage.md":
    "# Usage\n\n{func}`tally.count` and [the index](index.rst).\n\n[ref](usage.html#usage)\n",
  "docs/orphan.md": "# Listed by the toctree of another page\n",
  ".gitignore": "__pycache__/\n.venv/\ndist/\n*.egg-info/\n",
  ".pre-commit-config.yaml": "repos: []\n",
  ".github/dependabot.yml": "version: 2\n",
  ".github/workflows/tests.yml":
    "on: push\njobs:\n  tests:\n    steps:\n      - uses: actions/checkout@v5\n      - run: uv run pytest\n",
  "pyproject.toml":
    '[project]\nname = "tally"\nversion = "0.4.0"\nrequires-python = ">=3.11"\ndependencies = [\n  "httpx>=0.27",\n' +
    '  "typing_extensions>=4.12; python_version < \'3.13\'",\n]\n\n[dependency-groups]\ndev = ["pytest>=8"]\n\n' +
    '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n',
  "uv.lock":
    'version = 1\n\n[[package]]\nname = "httpx"\nversion = "0.28.1"\n\n[[package]]\nname = "pytest"\nversion = "8.3.0"\n\n' +
    '[[package]]\nname = "tally"\nsource = { editable = "." }\n\n[[package]]\nname = "typing-extensions"\nversion = "4.15.0"\n',
  "src/tally/__init__.py":
    '"""Tally."""\n\nfrom tally.counter import count\n\n__all__ = ["count"]\n',
  "src/tally/counter.py":
    'import os\n\nCACHE = os.environ.get("TALLY_CACHE", os.path.join(os.environ["HOME"], ".cache"))\n\n\n' +
    'def count(values):\n    """Counts.\n\n    >>> count([1])\n    1\n    """\n    return len(values)\n',
  "src/tally/cli.py": "from tally.counter import count\n\n\ndef main():\n    print(count([]))\n",
  "src/tally/_data.py": `ROWS = [\n${many(300, (at) => `    (${at}, "row"),\n`)}]\n`,
  "src/tally/py.typed": "",
  "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef values():\n    return [1]\n",
  "tests/test_counter.py":
    "from tally import count\n\n\ndef test_count(values):\n    assert count(values) == 1\n",
};

export const GO_MODULE: Files = {
  "README.md":
    "# relay\n\n[![Go Reference](https://pkg.go.dev/badge/example.org/relay.svg)](https://pkg.go.dev/example.org/relay)\n\n" +
    "See [examples](examples/) and [design](docs/design.md).\n\nSettings: `RELAY_ADDR`, `RELAY_TOKEN`.\n",
  LICENSE: LICENCE,
  "docs/design.md": "# Design\n\nThe core is `relay.go`; packages are in `internal/queue/`.\n",
  ".gitignore": "/bin/\n*.test\n",
  ".golangci.yml": "linters:\n  enable: [errcheck]\n",
  ".github/workflows/go.yml":
    "on:\n  push:\njobs:\n  build:\n    steps:\n      - uses: actions/checkout@v5\n      - uses: actions/setup-go@v6\n      - run: go test ./...\n",
  Makefile: "build:\n\tgo build -o bin/relay ./cmd/relay\n",
  Dockerfile:
    "FROM golang:1.24 AS build\nRUN make build\nFROM gcr.io/distroless/static:nonroot\nCOPY --from=build /bin/relay /\n",
  "go.mod":
    "module example.org/relay\n\ngo 1.24\n\nrequire (\n\tgithub.com/google/uuid v1.6.0\n\tgolang.org/x/sync v0.10.0 // indirect\n)\n\n" +
    "replace example.org/local => ./local\n",
  "go.sum": "github.com/google/uuid v1.6.0 h1:NIvaJDMOsjHA8n1jAhLSgzrAzy1Hgr+hNrb57e+94F0=\n" +
    "github.com/google/uuid v1.6.0/go.mod h1:TIyPZe4MgqvfeYDBFedMoGGpEw/LqOeaOT+nhxU+yHo=\n" +
    "golang.org/x/sync v0.10.0 h1:3NQrjDixjgGwUOCaF8w2+VYHv0Ve/vGYSbdkTa98gmQ=\n",
  "relay.go":
    '// Package relay passes messages on.\npackage relay\n\nimport "os"\n\n// Addr is where it listens.\n' +
    'func Addr() string { return os.Getenv("RELAY_ADDR") }\n\nfunc token() string {\n\tt, _ := os.LookupEnv("RELAY_TOKEN")\n\treturn t\n}\n',
  "relay_test.go":
    'package relay\n\nimport "testing"\n\nfunc TestAddr(t *testing.T) { t.Setenv("RELAY_ADDR", ":0") }\n',
  "cmd/relay/main.go":
    'package main\n\nimport "example.org/relay"\n\nfunc main() { _ = relay.Addr() }\n',
  "internal/queue/queue.go": "package queue\n\ntype Queue struct{ items []string }\n",
  "internal/queue/queue_test.go":
    'package queue\n\nimport "testing"\n\nfunc TestQueue(t *testing.T) {}\n',
  "internal/pb/relay.pb.go": `// Code generated by protoc-gen-go. DO NOT EDIT.\n\npackage pb\n${
    many(1800, (at) => `var v${at} = ${at}\n`)
  }`,
  "examples/simple/main.go":
    'package main\n\nimport "os"\n\nfunc main() { _ = os.Getenv("EXAMPLE_ONLY") }\n',
  "testdata/input.md": "[gone](gone.md)\n",
};
