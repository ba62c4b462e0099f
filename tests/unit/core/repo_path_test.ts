import assert from "node:assert/strict";
import { posix } from "node:path";
import fc from "fast-check";
import { Failure } from "svc/core/failure.ts";
import {
  isComponent,
  type Protection,
  protectionOf,
  quoted,
  repoPath,
} from "svc/core/repo_path.ts";

function accepts(text: string): boolean {
  try {
    return repoPath(text) === text;
  } catch (thrown) {
    assert.ok(thrown instanceof Failure && thrown.code === "usage");
    assert.ok(thrown.message.startsWith("Cannot use path "), thrown.message);
    assert.ok(thrown.detail.remedy);
    return false;
  }
}

Deno.test("repoPath accepts plain relative paths, however odd their names", () => {
  const good = [
    "a",
    "src/main.ts",
    ".harness/skills/x.md",
    "...",
    "..a/a..",
    "-rf",
    "two words/ä/日本/🙂",
    "back\\slash",
    "C:x",
    "~/x",
    "$HOME",
    "n".repeat(255),
    "ä".repeat(127),
    `${"n".repeat(255)}/`.repeat(15) + "n".repeat(255),
  ];
  assert.deepEqual(good.filter((text) => !accepts(text)), []);
});

Deno.test("repoPath refuses all that is absolute, empty, upward, too long or not a name", () => {
  const bad = [
    "",
    "/",
    "/etc/passwd",
    "//server/share",
    ".",
    "..",
    "./a",
    "../a",
    "a/..",
    "a/../b",
    "a/./b",
    "a//b",
    "a/",
    "a\0b",
    "a\nb",
    "a\x7fb",
    "a\x85b",
    "a\ud800b",
    "n".repeat(256),
    "ä".repeat(128),
    `${"n".repeat(255)}/`.repeat(16) + "n",
    "/proc/self/root",
  ];
  assert.deepEqual(bad.filter(accepts), []);
});

Deno.test("repoPath says which rule was broken", () => {
  assert.throws(() => repoPath("a/../b"), {
    message: 'Cannot use path "a/../b": it has a ".." component',
  });
  assert.throws(() => repoPath("/a"), { message: 'Cannot use path "/a": it is absolute' });
});

/** Texts made of the pieces that path confusion is made of. */
const hostilePath = fc.array(
  fc.oneof(
    fc.constantFrom(
      "..",
      ".",
      "/",
      "\\",
      "//",
      "\0",
      "~",
      "C:",
      "%2e%2e",
      "．．",
      "‥",
      "\u{200C}",
      " ",
    ),
    fc.string({ unit: "binary", maxLength: 4 }),
  ),
  { maxLength: 12 },
).map((pieces) => pieces.join(""));

Deno.test("repoPath never accepts a path that escapes", () => {
  fc.assert(
    fc.property(fc.oneof(hostilePath, fc.string()), (text) => {
      if (!accepts(text)) return;
      const path = posix.resolve("/root/repo", text);
      assert.equal(path, `/root/repo/${text}`);
      assert.ok(new TextEncoder().encode(text).length <= 4096);
      assert.ok(text.split("/").every(isComponent));
    }),
    { numRuns: 20_000 },
  );
});

Deno.test("isComponent takes one name, not a path", () => {
  assert.deepEqual(["a", "..", "", "a/b", "a\n", "..."].filter(isComponent), ["a", "..."]);
});

const PROTECTED: Readonly<Record<Protection, readonly string[]>> = {
  git: [
    ".git",
    ".git/config",
    ".git/hooks/pre-commit",
    "sub/module/.git",
    "sub/.git/modules/x/hooks/post-checkout",
    ".GIT/config",
    ".Git",
    ".giT/HEAD",
    ".g\u{200C}it/config",
    ".gi\u{200D}t",
    "\u{200E}.git",
    ".git\u{200F}",
    ".\u{202A}git",
    ".g\u{202B}it",
    ".g\u{202C}it",
    ".g\u{202D}it",
    ".g\u{202E}it",
    ".g\u{206A}it",
    ".g\u{206F}it",
    "\u{FEFF}.git",
    ".g\u{00AD}it",
    ".g\u{FE0F}it",
    ".g\u{E0067}it",
    ".g\u{2060}it",
    ".g\u{034F}it",
    ".g\u{115F}it",
    ".g\u{180E}it",
    ".g\u{061C}it",
    "．ｇｉｔ/config",
    "․git",
    ".ｇit",
    ".gⁱt",
    ".𝐠𝐢𝐭",
    ".ℊit",
    ".gıt",
    ".gİt",
    ".gi\u{0307}t",
    "git~1",
    "GIT~1/config",
    "Git~2",
    "git~10",
    "GIT~1.",
    ".git.",
    ".git...",
    ".git ",
    ".git . .",
    ".git\u{00A0}",
    ".git::$INDEX_ALLOCATION",
    ".git::$INDEX_ALLOCATION/config",
    ".git:stream",
    ".GIT. ::$DATA",
    ".git\\config",
    "a\\.git\\hooks\\x",
    "a\\GIT~1",
    "a／.git",
  ],
  harness: [
    ".harness/.env",
    ".harness/.env.local",
    ".harness/.ENV.Local",
    ".harness/.environment",
    ".HARNESS/manifest.yaml",
    ".harness/Manifest.YAML",
    ".harness/manifest.yaml ",
    ".harness/manifest.yaml::$DATA",
    ".harness/mani\u{200B}fest.yaml",
    ".harness\\manifest.yaml",
    "HARNES~1/manifest.yaml",
    ".harness/MANIFE~1.YAM",
    ".harness/ENV~1.LOC",
    ".harness/guardrails",
    ".harness/guardrails.yaml",
    ".harness/guardrails/rules/a.yaml",
    ".harness/Guardrails-local.yaml",
    ".harness/GUARDR~1.YAM",
    ".harness/model-overrides.yaml",
    ".harness/model-routing.yaml",
    ".harness/metadata.json",
    ".harness/roles/qa.md",
    ".harness/Roles",
    ".harness/skills/fix-a-bug/SKILL.md",
    ".harness/MODEL-~1.YAM",
    ".harneſs/manifest.yaml",
  ],
  hooks: [
    ".husky/pre-commit",
    ".husky/_/h",
    ".Husky",
    "HUSKY~1/pre-commit",
    ".githooks/pre-commit",
    ".GitHooks/x",
    "GITHOO~1/x",
    ".git\u{200C}hooks/x",
  ],
  tickets: [
    "docs/tickets",
    "docs/tickets/backlog/T-0001-x.md",
    "Docs/Tickets/done/x",
    "docs./tickets /x",
    "docs/tick\u{FEFF}ets/x",
    "docs\\tickets\\x",
    "ｄocs/tickets/x",
  ],
  ci: [
    ".github/workflows/ci.yml",
    ".GitHub/Workflows",
    "GITHUB~1/workflows/x",
    ".github/WORKFL~1/x",
    ".github/actions/build/action.yml",
    ".gitlab-ci.yml",
    ".gitlab-ci.yaml",
    ".GITLAB-CI.YML",
    "GITLAB~1.YML",
    ".circleci/config.yml",
    "Jenkinsfile",
    "jenkinsfile",
    "azure-pipelines.yml",
    ".drone.yml",
    ".travis.yml",
    "bitbucket-pipelines.yml",
    ".ci/build.sh",
    ".gitlab-ci.yaml",
    ".github/actions/setup/action.yml",
    ".GitHub/ACTION~1/setup/action.yml",
    "azure-pipelines.yaml",
    ".drone.jsonnet",
    ".buildkite/pipeline.yml",
    ".woodpecker.yaml",
    ".woodpecker/build.yml",
    ".forgejo/workflows/ci.yml",
    ".gitea/actions/setup/action.yml",
    ".cirrus.star",
    ".builds/linux.yml",
    ".build.yml",
    "appveyor.yml",
    ".appveyor.yml",
  ],
};

for (const [protection, paths] of Object.entries(PROTECTED)) {
  Deno.test(`protectionOf knows ${paths.length} spellings of ${protection}`, () => {
    assert.deepEqual(paths.filter((path) => protectionOf(repoPath(path)) !== protection), []);
  });
}

Deno.test("protectionOf leaves ordinary paths free", () => {
  const free = [
    "src/main.ts",
    ".gitignore",
    ".gitattributes",
    ".github/CODEOWNERS",
    ".github/ISSUE_TEMPLATE/bug.md",
    "build.yml",
    "src/actions/x.ts",
    "git/config",
    "agit~1",
    "gits~1",
    "x.git/config",
    ".git-hooks/x",
    ".harness/knowledge/routes.yaml",
    ".harness",
    "sub/.harness/manifest.yaml",
    ".harness/manifest.yaml.md",
    "docs/tickets.md",
    "docs",
    "src/docs/tickets/x",
    "docs/Jenkinsfile",
    "ci/build.sh",
    ".github",
    "~1",
  ];
  assert.deepEqual(free.filter((path) => protectionOf(repoPath(path)) !== undefined), []);
});

Deno.test("protectionOf sees .git through any mix of case, ignorable characters and endings", () => {
  const ignorable = fc.constantFrom("", "\u{200C}", "\u{200D}", "\u{FEFF}", "\u{00AD}", "\u{202E}");
  const letter = (low: string) => fc.constantFrom(low, low.toUpperCase());
  const spelled = fc.tuple(
    ...[".", "g", "i", "t"].flatMap((char) => [ignorable, letter(char)]),
    ignorable,
    fc.stringMatching(/^[. ]{0,3}$/),
    fc.constantFrom("", ":x", "::$INDEX_ALLOCATION"),
  ).map((pieces) => pieces.join(""));
  const around = fc.constantFrom(["", ""], ["a/", ""], ["", "/config"], ["a/b/", "/hooks/x"]);
  fc.assert(
    fc.property(spelled, around, (name, [before, after]) => {
      assert.equal(protectionOf(repoPath(`${before}${name}${after}`)), "git");
    }),
  );
});

Deno.test("quoted shows hidden characters and cuts long texts", () => {
  assert.equal(quoted('a"b'), '"a\\"b"');
  assert.equal(quoted("a\nb\u{202E}c\u{7F}"), '"a\\nb\\u{202e}c\\u{7f}"');
  assert.equal(quoted("n".repeat(400)).length, 303);
  const amid = `${"n".repeat(299)}\u{1f600}${"n".repeat(9)}`;
  assert.equal(quoted(amid), `"${"n".repeat(299)}…"`, "no half of a character");
});
