/** `svc release notes` where no VERSION says what was released: a tag does, a manifest, or nothing. */
import assert from "node:assert/strict";
import { history, linesOf, run, told } from "tests/unit/features/release/history.ts";
import { verifies } from "tests/kit/verifies.ts";

const planned = async (repo: { readonly path: string }, ...args: readonly string[]) => {
  const { previous, version, commits, kept } = await told(
    repo,
    ...["release", "notes", "--dry-run", ...args],
  );
  return { from: previous.version, tag: previous.tag, version, commits: commits.all, kept };
};

verifies(
  ["4.5:release-notes:bump-auto", "4.5:release-notes:updates-version"],
  "a repo with neither VERSION, tag nor manifest begins with 0.1.0 and all its commits",
  async () => {
    await using repo = await history(["feat: a", "docs: b"], { "a.txt": "a" });
    const none = { from: "0.0.0", tag: null, kept: [] };
    assert.deepEqual(await planned(repo), { ...none, version: "0.1.0", commits: 3 });
    const forced = await planned(repo, "--bump", "major");
    assert.deepEqual(forced, { ...none, version: "1.0.0", commits: 3 });
    const { changes, tag, previous } = await told(repo, "release", "notes");
    assert.equal(tag, "v0.1.0");
    assert.equal(previous.commit, null);
    assert.deepEqual(
      changes.map(({ path, change }: { path: string; change: string }) => `${change} ${path}`),
      ["create VERSION", "create CHANGELOG.md"],
    );
    assert.equal(await repo.read("VERSION"), "0.1.0\n");
    assert.match(await repo.read("CHANGELOG.md"), /^# Changelog\n\n## 0\.1\.0 - /);
  },
);

Deno.test("without VERSION the highest tag before HEAD counts, and else the version of a manifest", async () => {
  await using repo = await history(["feat: a"], { "package.json": '{"version":"3.2.1"}\n' });
  const said = { from: "3.2.1", tag: null, version: "3.3.0", commits: 2, kept: [] };
  assert.deepEqual(await planned(repo), said);
  await repo.git("tag", "2.0.0", "HEAD~1");
  await repo.git("tag", "1.9.0", "HEAD");
  await repo.git("checkout", "--quiet", "-b", "other");
  await repo.commit("feat: elsewhere");
  await repo.git("tag", "9.0.0");
  await repo.git("checkout", "--quiet", "main");
  const kept = [{ path: "package.json", why: "its version is 3.2.1, not 2.0.0" }];
  assert.deepEqual(await planned(repo), {
    ...{ from: "2.0.0", tag: "2.0.0", version: "2.1.0", commits: 1, kept },
  });
  const { tag, previous } = await told(repo, "release", "notes", "--dry-run");
  // Tags of this repo have no letter.
  assert.equal(tag, "2.1.0");
  assert.equal(previous.commit, (await repo.git("rev-parse", "HEAD~1")).trim());
});

Deno.test("a dry run shows each file's edit, and a manifest that was set by hand is no fault", async () => {
  await using repo = await history(["fix: a"], {
    "VERSION": "v1.0.0",
    "deno.json": '{"version":"1.0.0"}\n',
    "package.json": '{"version":"1.0.1"}\n',
    "src/version.ts": 'export const VERSION = "0.0.1";\n',
    "lib/version.ts": "export const SUBVERSION = 1;\n",
  });
  const { changes, kept } = await told(repo, "release", "notes", "--dry-run");
  type Change = { readonly path: string; readonly change: string; readonly diff: string };
  const diffs = new Map((changes as Change[]).map(({ path, diff }) => [path, diff]));
  assert.deepEqual([...diffs.keys()], ["VERSION", "CHANGELOG.md", "deno.json"]);
  assert.match(diffs.get("VERSION")!, /\n\+v1\.0\.1\n/);
  assert.match(diffs.get("deno.json")!, /\n\+\{"version":"1\.0\.1"\}\n/);
  assert.deepEqual(kept, []);
  await told(repo, "release", "notes");
  assert.equal(await repo.read("VERSION"), "v1.0.1");
});

Deno.test("a changelog that would be too large, or is a link, is refused and left alone", async () => {
  const page = "# Log\n\n## 1.0.0\n\n" + "- it\n".repeat((4 * 1024 * 1024 - 60) / 5);
  await using repo = await history(["feat: a"], { VERSION: "1.0.0\n", "CHANGELOG.md": page });
  await repo.git("tag", "v1.0.0", "HEAD~1");
  await repo.git("tag", "v0.9.0", "HEAD~1");
  for (const command of ["notes", "backfill-notes"]) {
    const large = await run(repo, "release", command);
    assert.equal(large.code, 6, command);
    assert.match(large.stderr, /CHANGELOG\.md would be larger than 4 MiB\ntry: Move old entries/);
  }
  assert.equal(await repo.read("CHANGELOG.md"), page);
  assert.equal(await repo.read("VERSION"), "1.0.0\n");
  await repo.git("rm", "--quiet", "CHANGELOG.md");
  await Deno.symlink("VERSION", `${repo.path}/CHANGELOG.md`);
  await repo.commit("chore: odd");
  const link = await run(repo, "release", "notes");
  assert.equal(link.code, 6);
  assert.match(link.stderr, /"CHANGELOG\.md": it is a symlink/);
});

Deno.test("of releases that were made in one second the tip decides whose work is whose", async () => {
  await using repo = await history([], { "a.txt": "a" });
  await repo.git("checkout", "--quiet", "-b", "side");
  await repo.commit("feat: side", { "s.txt": "s" });
  await repo.git("checkout", "--quiet", "main");
  await repo.commit("fix: main", { "m.txt": "m" });
  await repo.git("tag", "v1.0.0");
  await repo.git("merge", "--quiet", "--no-ff", "--message", "feat: all of it", "side");
  await repo.git("tag", "v1.1.0");
  await repo.commit("docs: quiet");
  await repo.git("tag", "v1.1.1");
  const { entries } = await told(repo, "release", "backfill-notes");
  assert.deepEqual(
    entries.map(({ version, outcome }: { version: string; outcome: string }) => [version, outcome]),
    [["1.1.1", "added"], ["1.1.0", "added"], ["1.0.0", "added"]],
  );
  const page = await repo.read("CHANGELOG.md");
  assert.deepEqual(linesOf(page), [
    ...["### Features", "- side", "### Fixes", "- main", "### Other changes", "- first"],
  ]);
  assert.match(page, /## 1\.1\.1 [^#]*\nNothing that those who use it would notice\.\n/);
});
