/** `svc release backfill-notes` on real repos with tags: what is added, rewritten, and left to people. */
import assert from "node:assert/strict";
import { history, run, told } from "tests/unit/features/release/history.ts";
import { tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

async function tagged(): Promise<TempRepo> {
  const repo = await history([], { "a.txt": "a" });
  for (
    const [version, message] of [["0.9.0", "feat: nine"], ["1.0.0", "feat!: ten"], [
      "1.1.0",
      "fix: eleven",
    ]]
  ) {
    await repo.commit(message!);
    await repo.git("tag", `v${version}`);
  }
  await repo.git("tag", "v1.2.0-rc.1");
  await repo.git("tag", "other-1.0.0", "HEAD~1");
  await repo.commit("feat: not released");
  return repo;
}

const headings = (page: string) => page.match(/^## .*$/gm);

verifies(
  ["4.5:release-backfill-notes:rewrites-history-entries", "4.5:release-backfill-notes:repo"],
  "each tag gets its entry, in order; one that svc wrote is brought up to date, a person's stays",
  async () => {
    await using repo = await tagged();
    await using elsewhere = await tempFolder();
    const first = await told(elsewhere, "release", "backfill-notes", "--repo", repo.path);
    assert.deepEqual(first.entries, [
      { version: "1.1.0", outcome: "added" },
      { version: "1.0.0", outcome: "added" },
      { version: "0.9.0", outcome: "added" },
    ]);
    const page = await repo.read("CHANGELOG.md");
    assert.deepEqual(headings(page), [
      "## 1.1.0 - 2026-01-02",
      "## 1.0.0 - 2026-01-02",
      "## 0.9.0 - 2026-01-02",
    ]);
    assert.ok(!page.includes("not released") && page.includes("- eleven"));
    await repo.commit("docs: changelog");
    // A person's words in one entry, and links that are known only now.
    await repo.commit("docs: better", {
      "CHANGELOG.md": page.replace("- ten", "- TEN, at last") + "\n## 0.1.0\n\nThe first.\n",
    });
    await repo.git("remote", "add", "origin", "git@github.com:ada/x.git");
    const second = await told(repo, "release", "backfill-notes");
    assert.deepEqual(second.entries, [
      { version: "1.1.0", outcome: "rewritten" },
      { version: "1.0.0", outcome: "kept", why: "a person wrote or edited it" },
      { version: "0.9.0", outcome: "rewritten" },
      { version: "0.1.0", outcome: "kept", why: "no tag says which commits it has" },
    ]);
    const after = await repo.read("CHANGELOG.md");
    const part = (text: string, from: string, to: string) =>
      text.slice(text.indexOf(from), text.indexOf(to));
    assert.ok(after.includes("- TEN, at last"));
    assert.equal(
      part(after, "## 1.0.0", "## 0.9.0"),
      part(await repo.git("show", "HEAD:CHANGELOG.md"), "## 1.0.0", "## 0.9.0"),
    );
    assert.ok(after.endsWith("\n## 0.1.0\n\nThe first.\n"));
    assert.match(
      after,
      /^## \[1\.1\.0\]\(https:\/\/github\.com\/ada\/x\/compare\/v1\.0\.0\.\.\.v1\.1\.0\) - 2026-01-02$/m,
    );
    await repo.commit("docs: links");
    assert.deepEqual((await told(repo, "release", "backfill-notes")).changes, []);
  },
);

verifies(
  ["4.5:release-backfill-notes:check", "4.5:release-backfill-notes:dry-run"],
  "--check fails while an entry would change, and neither it nor a dry run writes",
  async () => {
    await using repo = await tagged();
    const check = await run(repo, "release", "backfill-notes", "--check");
    assert.equal(check.code, 1);
    const dry = await run(repo, "release", "backfill-notes", "--dry-run");
    assert.equal(dry.code, 0);
    assert.match(dry.stdout, /^\+- eleven \(/m);
    assert.equal((await repo.git("status", "--porcelain")).trim(), "");
    await run(repo, "release", "backfill-notes");
    const now = await run(repo, "release", "backfill-notes", "--check");
    assert.equal(now.code, 0);
    assert.match(now.stdout, /up to date/);
  },
);

verifies(
  ["4.5:release-backfill-notes:min-version", "4.5:release-backfill-notes:max-version"],
  "bounds leave older and newer entries alone",
  async () => {
    await using repo = await tagged();
    const versions = async (...bounds: readonly string[]) =>
      (await told(repo, "release", "backfill-notes", "--dry-run", ...bounds)).entries
        .map(({ version }: { version: string }) => version);
    assert.deepEqual(await versions("--min-version", "1.0.0"), ["1.1.0", "1.0.0"]);
    assert.deepEqual(await versions("--max-version", "v1.0.0"), ["1.0.0", "0.9.0"]);
    assert.deepEqual(await versions("--min-version", "1.0.0", "--max-version", "1.0.9"), ["1.0.0"]);
    await told(
      repo,
      "release",
      "backfill-notes",
      "--min-version",
      "1.0.0",
      "--max-version",
      "1.0.0",
    );
    assert.deepEqual(headings(await repo.read("CHANGELOG.md")), ["## 1.0.0 - 2026-01-02"]);
    const bad = await run(repo, "release", "backfill-notes", "--min-version", "one");
    assert.equal(bad.code, 2);
    assert.match(bad.stderr, /--min-version "one": it is no version/);

    const said = (...bounds: readonly string[]) =>
      run(repo, "release", "backfill-notes", "--dry-run", ...bounds);
    const swapped = await said("--min-version", "v1.1.0", "--max-version", "0.9.0");
    assert.equal(swapped.code, 2);
    assert.match(swapped.stderr, /"v1\.1\.0" and --max-version "0\.9\.0": no version lies between/);
    assert.match(swapped.stderr, /^try: .* --min-version 0\.9\.0 --max-version v1\.1\.0$/m);
    const newer = await said("--min-version", "9.0.0");
    assert.match(
      newer.stdout,
      /^No tag of a version within these bounds is in the history of HEAD/m,
    );
    const some = await said("--max-version", "1.0.0");
    assert.match(some.stdout, /^next: svc release backfill-notes .*--max-version 1\.0\.0$/m);
  },
);

Deno.test("an entry that notes wrote stays as it is once its tag is there", async () => {
  await using repo = await history(["feat: a"], { VERSION: "1.0.0\n" });
  await told(repo, "release", "notes");
  await repo.commit("Release 1.1.0");
  await repo.git("tag", "v1.1.0");
  const { entries } = await told(repo, "release", "backfill-notes");
  // The first release has the commit that came before VERSION too.
  assert.deepEqual(entries, [{ version: "1.1.0", outcome: "rewritten" }]);
  await repo.commit("docs: whole");
  await repo.commit("fix: b");
  await told(repo, "release", "notes");
  await repo.commit("Release 1.1.1");
  await repo.git("tag", "v1.1.1");
  assert.equal((await run(repo, "release", "backfill-notes", "--check")).code, 0);
});
