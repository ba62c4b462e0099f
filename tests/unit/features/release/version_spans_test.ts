/** Where files say a version: npm's own readers of JSON judge the edit, other bytes stay. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { jsonSpan } from "svc/features/release/json_span.ts";
import { versionFiles, versionSpans, withVersion } from "svc/features/release/version_spans.ts";

const set = (path: string, text: string) => withVersion(text, versionSpans(path, text), "2.0.0");

const CASES: readonly (readonly [path: string, before: string, after: string])[] = [
  [
    "deno.jsonc",
    '{ // "version": "9"\n "a": {"version": "1"}, "version":"1.0.0", }',
    '{ // "version": "9"\n "a": {"version": "1"}, "version":"2.0.0", }',
  ],
  [
    "package-lock.json",
    '{"version":"1.0.0","packages":{"":{"name":"x","version":"1.0.0"},"node_modules/y":{"version":"1.0.0"}}}',
    '{"version":"2.0.0","packages":{"":{"name":"x","version":"2.0.0"},"node_modules/y":{"version":"1.0.0"}}}',
  ],
  [
    "Cargo.toml",
    '[package]\nname = "x"\nversion = "1.0.0" # it\n\n[dependencies]\nversion = "1.0.0"\n',
    '[package]\nname = "x"\nversion = "2.0.0" # it\n\n[dependencies]\nversion = "1.0.0"\n',
  ],
  [
    "pyproject.toml",
    "[project]\r\nversion = '1.0.0'\r\n[tool.x]\r\nversion = '1.0.0'\r\n",
    "[project]\r\nversion = '2.0.0'\r\n[tool.x]\r\nversion = '1.0.0'\r\n",
  ],
  [
    "cmd/version.go",
    'package cmd\n\nconst Version = "v1.0.0"\n',
    'package cmd\n\nconst Version = "v2.0.0"\n',
  ],
  [
    "version.go",
    'var (\n\tversion = "1.0.0"\n\tcommit = "1.0.0"\n)\n',
    'var (\n\tversion = "2.0.0"\n\tcommit = "1.0.0"\n)\n',
  ],
  [
    "pkg/__init__.py",
    "__version__ = '1.0.0'\nother = '1.0.0'\n",
    "__version__ = '2.0.0'\nother = '1.0.0'\n",
  ],
  [
    "src/version.rs",
    'pub const VERSION: &str = "1.0.0";\n',
    'pub const VERSION: &str = "2.0.0";\n',
  ],
  ["src/version.h", '#define APP_VERSION "1.0.0"\n', '#define APP_VERSION "2.0.0"\n'],
  [
    "src/version.ts",
    "export const VERSION: string = `1.0.0-rc.1`;\n",
    "export const VERSION: string = `2.0.0`;\n",
  ],
  ["NUMBER", "1.0.0\n", "2.0.0\n"],
  ["src/version.ts", "export const CONVERSION = 4;\n", "export const CONVERSION = 4;\n"],
];

for (const [path, before, after] of CASES) {
  Deno.test(`the version in ${path} is set: ${before.slice(0, 30)}`, () => {
    assert.equal(set(path, before), after);
  });
}

Deno.test("a string of any JSON is found by its keys as JSON.parse finds it", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.string(), fc.nat(3), (inner, value, indent) => {
      const whole = {
        a: inner,
        '"': [inner],
        packages: { "": { version: value, x: inner } },
        z: inner,
      };
      const text = JSON.stringify(whole, null, indent);
      const found = jsonSpan(text, ["packages", "", "version"]);
      const plain = !JSON.stringify(value).includes("\\");
      assert.equal(found?.value, plain ? value : undefined);
      if (found === undefined) return;
      const edited = JSON.parse(withVersion(text, [found], "9.9.9"));
      assert.equal(edited.packages[""].version, "9.9.9");
    }),
    { numRuns: 500 },
  );
});

Deno.test("constants of others, of tests and of samples are left alone", () => {
  assert.deepEqual(
    versionFiles([
      ...[
        "src/version.ts",
        "tests/version.ts",
        "vendor/x/version.go",
        "a/package.json",
        "deno.json",
      ],
      ...["src/conversion.ts", "docs/version.py", "internal/version.go", "pkg/_version.py"],
    ]),
    ["deno.json", "src/version.ts", "internal/version.go", "pkg/_version.py"],
  );
});
