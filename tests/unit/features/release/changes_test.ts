/** What a release holds, from real git histories: merges, squashed lists, reverts, co-authors. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { changesOf } from "svc/features/release/changes.ts";
import type { FullCommit } from "svc/platform/git/releases.ts";
import { bumpFor } from "svc/features/release/bump.ts";
import { history, linesOf, told } from "./history.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const noted = async (repo: { readonly path: string }) =>
  linesOf((await told(repo, "release", "notes", "--dry-run")).notes ?? "");

verifies(
  ["4.5:release-notes:from-semantic-commits"],
  "notes have what breaks, features, fixes and what follows no convention; quiet work stays out",
  async () => {
    await using repo = await history([
      "docs: nobody reads this",
      "chore(deps): raise x",
      "fixup! feat: not folded",
      "feat(größe): 署名を検証する 🚀",
      "fix(api)!: drop `v1`\n\nBREAKING CHANGE: ask `v2`\nfor everything\n\nCloses #4",
      "perf: faster",
      "Tidy <things> up",
      "deps: raise y",
    ], { VERSION: "1.4.2\n" });
    assert.deepEqual(await noted(repo), [
      "### Breaking changes",
      "- **api:** ask `v2` for everything",
      "### Features",
      "- **größe:** 署名を検証する 🚀",
      "### Fixes",
      "- **api:** drop `v1`, closes #4",
      "### Performance",
      "- faster",
      "### Other changes",
      "- deps: raise y",
      "- Tidy \\<things> up",
    ]);
  },
);

Deno.test("a merge is silent where its commits speak, and speaks where they do not", async () => {
  await using repo = await history([], { VERSION: "1.0.0\n" });
  const merged = async (branch: string, commits: readonly string[], message: string) => {
    await repo.git("checkout", "--quiet", "-b", branch);
    for (const commit of commits) await repo.commit(commit);
    await repo.git("checkout", "--quiet", "main");
    await repo.git("merge", "--quiet", "--no-ff", "--message", message, branch);
  };
  await merged("a", ["feat: one", "fix: two"], "Merge pull request #1 from x/a\n\nfeat: whole");
  await merged(
    "b",
    ["wip", "more"],
    "Merge pull request #2 from x/b\n\nfeat: told by the merge (#2)",
  );
  await merged("c", ["hello there"], "Merge branch 'c'");
  await merged("d", ["stuff"], "fix: told by its own title");
  assert.deepEqual(await noted(repo), [
    "### Features",
    "- told by the merge (#2)",
    "- one",
    "### Fixes",
    "- told by its own title",
    "- two",
    "### Other changes",
    "- hello there",
  ]);
});

Deno.test("of a squashed list counts what weighs more than the title, or all of it without one", async () => {
  await using repo = await tempRepo({ files: { VERSION: "1.0.0\n" }, commit: true });
  await repo.commit("fix: the title (#7)\n\n* fix: a detail\n* feat: a new flag\n* note: nothing");
  await repo.commit(
    "Big change (#8)\n\n- feat: first\n- fix(a): second\n\nCo-authored-by: B <b@x.y>",
  );
  await repo.git("checkout", "--quiet", "-b", "side");
  await repo.commit("feat: from the side", { "a.txt": "a" });
  await repo.git("checkout", "--quiet", "main");
  await repo.git("merge", "--quiet", "--squash", "side");
  await repo.git("commit", "--quiet", "--no-edit", "--cleanup=strip");
  const { notes, contributors, version } = await told(repo, "release", "notes", "--dry-run");
  assert.deepEqual(linesOf(notes), [
    "### Features",
    "- from the side",
    "- first",
    "- a new flag",
    "### Fixes",
    "- **a:** second",
    "- the title (#7)",
  ]);
  assert.deepEqual(contributors, ["Ada", "B"]);
  assert.equal(version, "1.1.0");
});

Deno.test("what is taken back within a release is none of it; an older one is named", async () => {
  await using repo = await tempRepo({ files: { VERSION: "1.0.0\n" }, commit: true });
  await repo.commit("feat: old", { "a.txt": "a" });
  await repo.git("tag", "v1.0.0");
  await repo.git("revert", "--no-edit", "HEAD");
  await repo.commit("feat!: gone again", { "b.txt": "b" });
  await repo.git("revert", "--no-edit", "HEAD");
  await repo.commit("fix: comes back", { "c.txt": "c" });
  await repo.git("revert", "--no-edit", "HEAD");
  await repo.git("revert", "--no-edit", "HEAD");
  assert.deepEqual(await noted(repo), ["### Fixes", "- comes back", "### Reverts", "- feat: old"]);
  assert.equal((await told(repo, "release", "notes", "--dry-run")).bump, "patch");
});

Deno.test("a merge that is taken back takes all that it brought along, nested merges too", async () => {
  await using repo = await tempRepo({ files: { VERSION: "1.0.0\n" }, commit: true });
  const merge = async (branch: string, onto: string) => {
    await repo.git("checkout", "--quiet", onto);
    await repo.git("merge", "--quiet", "--no-ff", "--message", `Merge branch '${branch}'`, branch);
  };
  await repo.git("checkout", "--quiet", "-b", "kept");
  await repo.commit("fix: stays", { "k.txt": "k" });
  await merge("kept", "main");
  await repo.git("checkout", "--quiet", "-b", "outer");
  await repo.commit("feat!: outer", { "o.txt": "o" });
  await repo.git("checkout", "--quiet", "-b", "inner");
  await repo.commit("feat: inner", { "i.txt": "i" });
  await merge("inner", "outer");
  await merge("outer", "main");
  await repo.git("revert", "--no-edit", "--mainline=1", "HEAD");
  const back = await told(repo, "release", "notes", "--dry-run");
  assert.deepEqual(linesOf(back.notes), ["### Fixes", "- stays"]);
  assert.equal(back.bump, "patch");
  await repo.git("revert", "--no-edit", "HEAD");
  assert.equal((await told(repo, "release", "notes", "--dry-run")).bump, "major");
});

Deno.test("what a code host's button takes back is found by the number of its pull request", async () => {
  await using repo = await tempRepo({ files: { VERSION: "1.0.0\n" }, commit: true });
  await repo.commit("feat: a (#11)");
  await repo.commit("feat: b (#1)");
  await repo.commit('Revert "feat: a (#11)" (#12)\n\nReverts ada/x#11');
  await repo.commit('Revert "feat: long ago" (#13)\n\nReverts ada/x#3\n');
  await repo.commit("fix: c (#14)\n\nReverts ada/x#1 in words alone");
  assert.deepEqual(await noted(repo), [
    "### Features",
    "- b (#1)",
    "### Fixes",
    "- c (#14)",
    "### Reverts",
    "- feat: long ago (#13)",
  ]);
  await repo.commit('Revert "Revert "feat: a (#11)" (#12)" (#15)\n\nReverts ada/x#12');
  assert.equal((await noted(repo))[1], "- b (#1)");
  assert.equal((await noted(repo))[2], "- a (#11)");
});

const commit = (at: number, message: string, more: Partial<FullCommit> = {}): FullCommit => ({
  id: String(at).padStart(40, "a"),
  parents: [],
  committed_at: 0,
  author: "Ada",
  email: "ada@example.org",
  message,
  ...more,
});
const shown = (...messages: readonly string[]) =>
  changesOf(messages.map((message, at) => commit(at, message))).changes;

Deno.test("what breaks is told of a squashed list without a type, and of a change that came twice", () => {
  const [first, second] = shown("Big change\n\n* feat: a\n* fix: b\n\nBREAKING CHANGE: it went");
  assert.deepEqual([first!.subject, first!.breaking, first!.breaks], ["a", true, ["it went"]]);
  assert.deepEqual([second!.subject, second!.breaking], ["b", false]);
  const [twice, ...others] = shown(
    "feat: a",
    "feat!: a\n\nBREAKING CHANGE: it went",
    "feat: a\n\nBREAKING CHANGE: it went",
  );
  assert.deepEqual(others, []);
  assert.deepEqual([twice!.breaking, twice!.breaks, twice!.commits.length], [true, ["it went"], 3]);
});

Deno.test("of what git merge --squash leaves, the title of each commit counts, and no line of its text", () => {
  const id = (char: string) => `commit ${char.repeat(40)}`;
  const subjects = shown([
    ...["Squashed commit of the following:", "", id("a"), "Author: Ada <ada@example.org>"],
    ...["Date:   Fri Jan 2", "", "    feat: one", "    ", "    fix: no title", ""],
    ...[id("b"), "Author: Ada <ada@example.org>", "", "    docs: two", "", "perf: no title either"],
  ].join("\n")).map(({ type, subject }) => `${type}: ${subject}`);
  assert.deepEqual(subjects, ["feat: one", "docs: two"]);
  const listed = shown("Big change\n\n* note: no type of a commit\n* feat: three\n* words");
  assert.deepEqual(listed.map(({ subject }) => subject), ["three"]);
});

Deno.test("a merge brings the first line of its text, and no merge is somebody's work", () => {
  const [one, two] = ["1".repeat(40), "2".repeat(40)];
  const { changes, contributors } = changesOf([
    commit(9, "Merge pull request #5 from ada/x\n\n \t\nfix: told below", {
      parents: [one, two],
      author: "Bot",
      email: "bot@example.org",
    }),
    commit(2, "more", { id: two, parents: [one], author: "Eve", email: "eve@example.org" }),
    commit(1, "feat: base\n\nCo-authored-by: Ada L. < ADA@example.org >", {
      ...{ id: one, author: "Eve", email: "eve@example.org" },
    }),
    commit(3, "feat: other", { author: "Ada" }),
    commit(4, "feat: third", { author: "Ada" }),
  ]);
  assert.deepEqual(changes.map(({ subject }) => subject), ["told below", "base", "other", "third"]);
  assert.deepEqual(contributors, ["Ada L.", "Eve"]);
});

Deno.test("a short id takes back the commit that begins so, and a merge on a side line nothing", () => {
  const id = "abcdef0123".padEnd(40, "4");
  const back = shown("revert: it\n\nRefs: abcdef0", "fix: stays");
  assert.deepEqual(back.map(({ subject }) => subject), ["it", "stays"]);
  const gone = changesOf([
    commit(1, "revert: it\n\nRefs: abcdef0"),
    commit(2, "feat: it", { id }),
    commit(3, "fix: stays"),
  ]).changes;
  assert.deepEqual(gone.map(({ subject }) => subject), ["stays"]);
  const [main, side, nested, base] = ["1", "2", "3", "4"].map((char) => char.repeat(40));
  const kept = changesOf([
    commit(5, `Revert "Merge branch 'nested'"\n\nThis reverts commit ${nested}, reversing`, {
      parents: [main!],
    }),
    commit(1, "Merge branch 'side'", { id: main!, parents: [base!, nested!] }),
    commit(3, "Merge branch 'nested'", { id: nested!, parents: [side!, base!] }),
    commit(2, "feat: side", { id: side!, parents: [base!] }),
    commit(4, "docs: base", { id: base! }),
  ]).changes;
  assert.deepEqual(kept.map(({ subject }) => subject), ["Merge branch 'nested'", "side", "base"]);
});

Deno.test("of two commits with the number of one pull request the newer is taken back", () => {
  const changes = shown(
    'Revert "feat: again" (#9)\n\nReverts ada/x#7',
    "feat: again (#7)",
    "feat: first (#7)",
  );
  assert.deepEqual(changes.map(({ subject }) => subject), ["first (#7)"]);
});

Deno.test("100,000 commits, and hostile messages, become changes", () => {
  const commits = Array.from({ length: 100_000 }, (_, at) => ({
    id: String(at).padStart(40, "0"),
    parents: at === 99_999 ? [] : [String(at + 1).padStart(40, "0")],
    committed_at: 0,
    author: "Ada",
    email: "ada@example.org",
    message: at % 3 === 0
      ? `Revert "feat: x"\n\nThis reverts commit ${String(at + 3).padStart(40, "0")}.`
      : `feat(s${at % 7}): change ${at}\n`,
  }));
  assert.equal(changesOf(commits).changes.length, 66_666);
  fc.assert(fc.property(fc.array(fc.string({ unit: "binary", maxLength: 200 })), (messages) => {
    const odd = messages.map((message, at) => ({ ...commits[at]!, message }));
    const { changes } = changesOf(odd);
    assert.ok(changes.length <= 200 * messages.length);
  }));
});

verifies(["4.5:release-notes:bump-auto"], "the bump follows SemVer, also before 1.0.0", () => {
  const of = (major: number, ...types: string[]) =>
    bumpFor(
      { major },
      types.map((type) => ({
        type: type.replace("!", ""),
        breaking: type.endsWith("!"),
      })),
    );
  assert.equal(of(1, "docs", "chore", "ci"), undefined);
  assert.equal(of(1, "docs", "fix"), "patch");
  assert.equal(of(1, ""), "patch");
  assert.equal(of(1, "fix", "feat", "docs"), "minor");
  assert.equal(of(1, "chore!", "feat"), "major");
  assert.equal(of(0, "feat!"), "minor");
  assert.equal(of(0, "feat"), "minor");
  assert.equal(of(0, "fix"), "patch");
  assert.equal(of(1), undefined);
});
