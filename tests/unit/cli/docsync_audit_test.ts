/** `svc docsync audit` on real repos: metadata, paths, confirmations, links, anchors and commands. */
import assert from "node:assert/strict";
import { run } from "tests/unit/features/release/history.ts";
import { plainGit, tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

/** A commit on a day of January 2026. */
async function commitOn(repo: TempRepo, day: number, files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) await repo.write(path, text);
  await repo.git("add", "--all");
  const date = `2026-01-${String(day).padStart(2, "0")}T12:00:00Z`;
  const env = { GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date };
  await plainGit(repo.path, ["commit", "--quiet", "--allow-empty", "-m", `day ${day}`], { env });
  return (await repo.git("rev-parse", "HEAD")).trim();
}

async function found(repo: { readonly path: string }): Promise<string[]> {
  const { code, stdout } = await run(repo, "docsync", "audit", "--json");
  const { findings } = JSON.parse(stdout);
  assert.equal(code, findings.length > 0 ? 1 : 0);
  return findings.map(({ kind, path, title }: Record<string, string>) =>
    `${kind} ${path}: ${title}`
  );
}

const header = (fields: string) => `<!-- doc-sync: ${fields} -->\n\n# A page\n`;

verifies(
  ["4.5:docsync-audit:checks-metadata"],
  "metadata that is missing beside others, or that cannot be read, is named",
  async () => {
    await using repo = await tempRepo();
    await commitOn(repo, 1, {
      "src/a.ts": "export {};\n",
      "docs/a.md": header("src/a.ts"),
      "docs/b.md": header("src/; confirmed: 2026-01-01"),
      "docs/c.md": "# None\n",
      "docs/d.md": header("src/a.ts; confirmed: soon"),
      "lib/one.py": "# doc-sync: docs/a.md\n",
      "lib/two.py": "# doc-sync: docs/a.md\n",
      "lib/three.py": "x = 1\n",
    });
    assert.deepEqual(await found(repo), [
      "metadata-missing docs/c.md: The file has no doc-sync metadata, as its neighbours have",
      'metadata-invalid docs/d.md: The doc-sync metadata cannot be read: "soon" is neither a day, such as 2026-01-31, nor the id of a commit',
      "metadata-missing lib/three.py: The file has no doc-sync metadata, as its neighbours have",
    ]);
  },
);

verifies(
  ["4.5:docsync-audit:checks-doc-paths"],
  "paths that are gone are named, on both sides, and patterns that match nothing",
  async () => {
    await using repo = await tempRepo();
    await commitOn(repo, 1, {
      "src/a.ts": "// doc-sync: docs/gone.md\n",
      "docs/a.md": header("src/a.ts src/gone.ts lib/ src/**/*.ts lib/*.ts"),
    });
    assert.deepEqual(await found(repo), [
      'path-missing docs/a.md: The doc-sync metadata names "src/gone.ts", which is not there',
      'path-missing docs/a.md: The doc-sync metadata names "lib/", which is not there',
      'path-missing docs/a.md: The doc-sync metadata names "lib/*.ts", which is not there',
      'path-missing src/a.ts: The doc-sync metadata names "docs/gone.md", which is not there',
    ]);
  },
);

verifies(
  ["4.5:docsync-audit:checks-metadata"],
  "a page is stale while its code has a newer commit than its confirmation",
  async () => {
    await using repo = await tempRepo();
    const first = await commitOn(repo, 1, {
      "src/a.ts": "// doc-sync: docs/own.md\n",
      "src/deep/b.ts": "1\n",
      "docs/own.md": "# Named by the code\n",
      "docs/folder.md": header("src/deep/"),
      "docs/day.md": header("src/a.ts; confirmed: 2026-01-09"),
      "docs/skip.md": header("src/a.ts; skip: stale"),
    });
    await repo.write("docs/commit.md", header(`src/a.ts; confirmed: ${first}`));
    assert.deepEqual(await found(repo), []);
    const second = await commitOn(repo, 8, { "src/a.ts": "// doc-sync: docs/own.md\n2\n" });
    const stale = (path: string, by: string, id: string, code = '"src/a.ts"', day = "08") =>
      `stale ${path}: ${code} changed on 2026-01-${day} (${id.slice(0, 12)}); the page was ${by}`;
    assert.deepEqual(await found(repo), [
      stale("docs/commit.md", `confirmed at ${first.slice(0, 12)}`, second),
      stale("docs/own.md", "last changed on 2026-01-01", second),
    ]);
    const third = await commitOn(repo, 12, {
      "src/deep/b.ts": "2\n",
      "src/a.ts": "// doc-sync: docs/own.md\n3\n",
    });
    assert.deepEqual(await found(repo), [
      stale("docs/commit.md", `confirmed at ${first.slice(0, 12)}`, third, undefined, "12"),
      stale("docs/day.md", "confirmed on 2026-01-09", third, undefined, "12"),
      stale("docs/folder.md", "last changed on 2026-01-01", third, '"src/deep"', "12"),
      stale("docs/own.md", "last changed on 2026-01-01", third, undefined, "12"),
    ]);
    // Whoever edits a page confirms it; a commit of both is one of neither before the other.
    await repo.write("docs/folder.md", header("src/deep/") + "New words.\n");
    assert.ok(!(await found(repo)).some((line) => line.includes("folder.md")));
    await commitOn(repo, 14, {
      "src/a.ts": "// doc-sync: docs/own.md\n4\n",
      "docs/own.md": "# Named by the code, read again\n",
      "docs/commit.md": header("src/a.ts"),
      "docs/day.md": header("src/a.ts; confirmed: 2026-01-14"),
    });
    assert.deepEqual(await found(repo), []);
    await using folder = await tempFolder();
    await plainGit(folder.path, ["clone", "--quiet", "--depth=1", `file://${repo.path}`, "copy"]);
    const shallow = await run({ path: `${folder.path}/copy` }, "docsync", "audit");
    assert.equal(shallow.code, 0);
    assert.match(shallow.stdout, /note: The history is cut off/);
  },
);

Deno.test("dead links, anchors, commands and flags are named; records and foreign pages are left alone", async () => {
  await using repo = await tempRepo();
  await commitOn(repo, 1, {
    "Makefile": "test:\n\ttrue\n",
    "README.md":
      "[a](docs/a.md#the-end) [b](docs/b.md) [c](docs/a.md#The-End) `svc scan --quick` [up](../../issues)\n",
    "docs/a.md":
      "# The End!\n\n`svc eat`, `make test`, `make lunch`, [here](#nowhere), [there](#the-end)\n",
    "docs/decisions/0001.md": "`svc eat` was thrown away.\n",
    "docs/quiet.md": "<!-- doc-sync: ; skip: commands -->\n\n`svc eat`\n",
    "vendor/x/README.md": "[gone](gone.md) `svc eat`\n",
  });
  assert.deepEqual(await found(repo), [
    'link-dead README.md: The link to "docs/b.md" leads nowhere',
    'anchor-dead README.md: The link to "docs/a.md#The-End" names no heading there',
    'flag-unknown README.md: "svc scan --quick": svc scan has no flag --quick',
    'anchor-dead docs/a.md: The link to "#nowhere" names no heading there',
    'command-unknown docs/a.md: "svc eat": svc has no command "eat"',
    'command-unknown docs/a.md: "make lunch": the Makefile has no target "lunch"',
  ]);
  const { stdout } = await run(repo, "docsync", "audit");
  assert.match(stdout, /^6 findings · 4 pages · 1 file with metadata$/m);
  assert.match(stdout, /^next: README\.md: /m);
  assert.match(stdout, /^link-dead +README\.md:1 +The link to/m);
});

Deno.test("a commit that is gone and an anchor that is no URL are told of, and end no audit", async () => {
  await using repo = await tempRepo();
  await commitOn(repo, 1, {
    "src/a.ts": "1\n",
    "docs/a.md": header("src/a.ts; confirmed: abcdef0"),
    "docs/b.md": "# 100%\n\n[none](#100%) [its own](#100) [there](a.md#50%)\n",
  });
  assert.deepEqual(await found(repo), [
    'metadata-invalid docs/a.md: The doc-sync metadata is confirmed at "abcdef0", ' +
    "which is no commit of this repo",
    'anchor-dead docs/b.md: The link to "#100%" names no heading there',
    'anchor-dead docs/b.md: The link to "a.md#50%" names no heading there',
  ]);
});

Deno.test("tasks of another folder or package are not looked for in the root", async () => {
  await using repo = await tempRepo();
  await commitOn(repo, 1, {
    "package.json": '{"scripts": {"build": "true"}}\n',
    "Makefile": "all:\n",
    "README.md": [
      ...["```sh", "cd frontend", "npm install", "npm run dev  # there", "svc eat", "```", ""],
      ...["`cd docs && make html`, `npm run dev --workspace=web`, `npm run dev -w web`,"],
      ...["`pnpm run dev -C web`, `npm run dev --prefix web`, `yarn run dev --cwd web`", ""],
      ...["```sh", "npm run lost", "git clone https://x.org/a/b && cd b", "make lost", "```", ""],
    ].join("\n"),
  });
  assert.deepEqual(await found(repo), [
    'command-unknown README.md: "svc eat": svc has no command "eat"',
    'command-unknown README.md: "npm run lost": package.json has no script "lost"',
    'command-unknown README.md: "make lost": the Makefile has no target "lost"',
  ]);
});
