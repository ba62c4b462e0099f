import assert from "node:assert/strict";
import { pathGlob } from "svc/core/path_glob.ts";

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
  "?.md": ["docs/é.md"],
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
