import assert from "node:assert/strict";
import fc from "fast-check";
import { GLOB_SPELLINGS, globMatcher, pathGlob } from "svc/core/glob.ts";
import { foldedParts } from "svc/core/repo_path.ts";

const covers = (pattern: string, path: string) => globMatcher(pattern)(foldedParts(path));

/** Pattern, paths that it covers, paths that it does not. */
const TABLE: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["a.txt", ["a.txt", "A.TXT", "a.txt/below"], ["b/a.txt", "a.txt2", "xa.txt"]],
  ["infra", ["infra", "infra/main.tf", "infra/a/b"], ["infrastructure", "x/infra"]],
  ["infra/**", ["infra/main.tf", "infra/a/b", "infra"], ["infrastructure/a"]],
  ["**/secret.txt", ["secret.txt", "a/secret.txt", "a/b/c/secret.txt"], ["a/secret.txtx"]],
  ["**/a/**/b", ["a/b", "x/a/y/b", "a/x/a/b", "a/x/y/z/b"], ["a/x", "b/a"]],
  ["**", ["a", "a/b/c"], []],
  ["*.pem", ["a.pem", ".pem"], ["a/b.pem", "a.pem2"]],
  ["src/*/x.ts", ["src/a/x.ts"], ["src/x.ts", "src/a/b/x.ts"]],
  ["a?c", ["abc", "a💥c"], ["ac", "abbc", "a/c"]],
  ["*a*b*", ["ab", "xaxbx", "aab"], ["ba", "b"]],
  ["{a,b}.txt", ["a.txt", "b.txt"], ["c.txt", "{a,b}.txt"]],
  ["x/{a/b,c{d,e}}", ["x/a/b", "x/cd", "x/ce/f"], ["x/a", "x/c"]],
  ["a{b}c", ["a{b}c"], ["abc"]],
  ["a{,s}", ["a", "as"], ["at"]],
  ["app/[id]/page.tsx", ["app/[id]/page.tsx"], ["app/i/page.tsx"]],
  ["./docs/", ["docs/a"], ["xdocs/a"]],
  ["/docs", ["docs/a"], []],
  [".harness/.env*", [".harness/.env", ".HARNESS/.ENV.local", ".harness/.env."], ["x/.env"]],
  ["straße", ["STRASSE", "straße"], ["strase"]],
  ["caf\u00e9", ["cafe\u0301", "CAFÉ", "ca\u200bfé"], ["tee"]],
  ["", [], ["a"]],
  ["/", [], ["a"]],
];

Deno.test("globMatcher covers a path, what lies below it, and every spelling of its names", () => {
  for (const [pattern, covered, free] of TABLE) {
    for (const path of covered) assert.ok(covers(pattern, path), `${pattern} covers ${path}`);
    for (const path of free) assert.ok(!covers(pattern, path), `${pattern} frees ${path}`);
  }
});

Deno.test("globMatcher covers everything when the braces are too many to write out", () => {
  const many = "{a,b}".repeat(Math.log2(GLOB_SPELLINGS) + 1);
  assert.ok(covers(many, "anything/else"));
  assert.ok(!covers("{a,b}".repeat(Math.log2(GLOB_SPELLINGS)), "anything/else"));
});

/** The same meaning as a regular expression: slower, but plainly right. */
function oracle(pattern: string): RegExp {
  const body = pattern.split("/").map((name) =>
    name === "**" ? "**" : name.replace(/\*+/g, "[^/]*").replaceAll("?", "[^/]")
  );
  let source = "";
  for (const [at, name] of body.entries()) {
    const last = at === body.length - 1;
    if (name === "**") source += last ? "(?:.*)" : "(?:[^/]+/)*";
    else source += name + (last || body.slice(at + 1).every((rest) => rest === "**") ? "" : "/");
    if (name !== "**" && !last && body.slice(at + 1).every((rest) => rest === "**")) break;
  }
  return new RegExp(`^${source}(?:/.*)?$`);
}

Deno.test("globMatcher agrees with a regular expression of the same meaning", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 4 });
  const wild = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), minLength: 1, maxLength: 4 })
    .filter((text) => text !== "**" && !text.includes("**"));
  const pattern = fc.array(fc.oneof(wild, fc.constant("**")), { minLength: 1, maxLength: 5 });
  const path = fc.array(name, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(pattern, path, (segments, parts) => {
      const [glob, text] = [segments.join("/"), parts.join("/")];
      assert.equal(covers(glob, text), oracle(glob).test(text), `${glob} on ${text}`);
    }),
    { numRuns: 3000 },
  );
});

Deno.test("globMatcher ends for a pattern that makes a regular expression run for ages", () => {
  const pattern = `${"a*".repeat(40)}${"/**/a*".repeat(200)}/z`;
  assert.ok(!covers(pattern, `${"a".repeat(200)}/`.repeat(20) + "a"));
});

const PATHS = [
  ".github/workflows/ci.yml",
  "README.md",
  "src/a.ts",
  "src/core/a.test.ts",
  "src/core/b.tsx",
  "src/core/deep/c.ts",
  "src/[id].ts",
  "docs/a b.md",
  "docs/é.md",
  "docs/💥.md",
];

const CASES: Readonly<Record<string, readonly string[]>> = {
  "*.ts": ["src/a.ts", "src/core/a.test.ts", "src/core/deep/c.ts", "src/[id].ts"],
  "**/*.ts": ["src/a.ts", "src/core/a.test.ts", "src/core/deep/c.ts", "src/[id].ts"],
  "src/*.ts": ["src/a.ts", "src/[id].ts"],
  "/src/*.ts": ["src/a.ts", "src/[id].ts"],
  "./src/*.ts": ["src/a.ts", "src/[id].ts"],
  "src/**/*.ts": ["src/a.ts", "src/core/a.test.ts", "src/core/deep/c.ts", "src/[id].ts"],
  "src/**/deep/**": ["src/core/deep/c.ts"],
  "src/core/": ["src/core/a.test.ts", "src/core/b.tsx", "src/core/deep/c.ts"],
  "*.{ts,tsx}": [
    "src/a.ts",
    "src/core/a.test.ts",
    "src/core/b.tsx",
    "src/core/deep/c.ts",
    "src/[id].ts",
  ],
  "{src,docs}/{a,x{y,z}}*": ["src/a.ts", "docs/a b.md"],
  "src/?.ts": ["src/a.ts"],
  "src/[a-c].ts": ["src/a.ts"],
  "src/[!b].ts": ["src/a.ts"],
  "src/\\[id\\].ts": ["src/[id].ts"],
  "?.md": ["docs/é.md", "docs/💥.md"],
  "*.yml": [".github/workflows/ci.yml"],
  "/*": ["README.md"],
  "/README.md": ["README.md"],
  "readme.md": [],
  "src": [],
  "**": PATHS,
  "{": [],
  "[": [],
};

Deno.test("pathGlob fits paths as .gitignore would", () => {
  for (const [pattern, wanted] of Object.entries(CASES)) {
    assert.deepEqual(PATHS.filter(pathGlob(pattern)), wanted, pattern);
  }
});

Deno.test("pathGlob refuses braces that stand for too much", () => {
  assert.throws(() => pathGlob("{a,b}".repeat(10)), /its braces hold too much/);
});

Deno.test("pathGlob is not slowed down by any pattern", () => {
  const path = `${"a/".repeat(500)}${"a".repeat(250)}`;
  for (
    const pattern of [
      "*a".repeat(100),
      "**/a/".repeat(200),
      "**/*a*a*a*a*a*b",
      `${"*".repeat(500)}b`,
    ]
  ) {
    assert.equal(pathGlob(`${pattern}b`)(path), false);
  }
});
