/** Trees that svc makes are those that git 2.39 of Debian makes of the same changes, by `update-index` and `write-tree`. */
import assert from "node:assert/strict";
import { gitIn } from "svc/platform/git/call.ts";
import { ObjectPack } from "svc/platform/git/object_pack.ts";
import { changedTree, readTrees, type TreeChange } from "svc/platform/git/trees.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { plainGit, repoIn, tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const processes = denoProcesses();

async function repoOf(format: string): Promise<TempRepo> {
  const folder = await tempFolder();
  const args = ["init", "--quiet", "--initial-branch=main", `--object-format=${format}`];
  assert.equal((await plainGit(folder.path, args)).code, 0);
  return repoIn(folder);
}

const callIn = (repo: TempRepo) => {
  const gitDir = `${repo.path}/.git`;
  return gitIn({ processes, env: { PATH } }, { root: repo.path, gitDir, commonDir: gitDir });
};

async function fed(repo: TempRepo, args: readonly string[], stdin: string | Uint8Array) {
  const bytes = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
  const ended = await processes.run({
    ...{ program: "git", args, cwd: repo.path, stdin: bytes },
    env: { PATH, GIT_INDEX_FILE: `${repo.path}/.git/other-index` },
  });
  assert.equal(ended.code, 0, new TextDecoder().decode(ended.stderr.head));
  return new TextDecoder().decode(ended.stdout.head).trim();
}

/** Some id of the repo. */
const likeOf = (commit: string | undefined, changes: readonly TreeChange[]) =>
  commit ?? changes.find(({ entry }) => entry !== "")!.entry.slice(7);

/** What git makes of the changes, in an index of its own. */
async function gitsTree(
  repo: TempRepo,
  commit: string | undefined,
  changes: readonly TreeChange[],
) {
  await fed(repo, ["read-tree", commit ?? "--empty"], "");
  const zeros = "0".repeat(likeOf(commit, changes).length);
  const items = changes.map(({ path, entry }) => `${entry || `0 ${zeros}`}\t${path}\0`);
  await fed(repo, ["update-index", "-z", "--index-info"], items.join(""));
  return await fed(repo, ["write-tree", "--missing-ok"], "");
}

async function ourTree(repo: TempRepo, commit: string | undefined, changes: readonly TreeChange[]) {
  const git = callIn(repo);
  const pack = new ObjectPack(likeOf(commit, changes));
  const read = await readTrees(git, "look", commit, changes.map(({ path }) => path));
  const tree = await changedTree(pack, "look", read, changes);
  await fed(repo, ["unpack-objects", "-q"], await pack.bytes());
  return tree;
}

async function committed(repo: TempRepo, tree: string, parent: string | undefined) {
  const parents = parent === undefined ? [] : ["-p", parent];
  const args = [
    "-c",
    "user.name=A",
    "-c",
    "user.email=a@b",
    "commit-tree",
    "-m",
    "x",
    ...parents,
    tree,
  ];
  return await fed(repo, args, "");
}

/** The same each time, from 0 up to `below`. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

// They sort otherwise as files than as folders, and files stand where folders were.
const NAMES = ["a", "a.b", "a0", "a-b", "b", "ö", "Z", "z z", "日本", "a b.c"];
const MODES = ["100644", "100644", "100755", "120000"];

for (const format of ["sha1", "sha256"]) {
  Deno.test(`twenty times many odd changes make the tree that git makes (${format})`, async () => {
    await using repo = await repoOf(format);
    const blobs: string[] = [];
    for (const text of ["", "1\n", "2\n"]) {
      blobs.push(await fed(repo, ["hash-object", "-w", "--stdin"], text));
    }
    const roll = dice(format.length);
    const pick = <T>(items: readonly T[]) => items[roll(items.length)]!;
    const path = () => Array.from({ length: 1 + roll(4) }, () => pick(NAMES)).join("/");
    let commit: string | undefined;
    for (let round = 0; round < 20; round++) {
      const gone = commit === undefined ? 0 : round % 3;
      const known = commit === undefined
        ? []
        : (await fed(repo, ["ls-tree", "-r", "-z", "--name-only", commit], "")).split("\0");
      const changes = Array.from({ length: 1 + roll(round === 5 ? 300 : 12) }, () => {
        if (roll(3) >= gone) return { path: path(), entry: `${pick(MODES)} ${pick(blobs)}` };
        return { path: pick([...known, path()]) || "a", entry: "" };
      });
      // A submodule stands for a folder, too.
      if (round === 7) changes.push({ path: "sub", entry: `160000 ${commit}` });
      if (round === 9) changes.push({ path: "sub/x", entry: `100644 ${blobs[1]}` });
      const [ours, theirs] = [
        await ourTree(repo, commit, changes),
        await gitsTree(repo, commit, changes),
      ];
      assert.equal(ours, theirs, `round ${round}: ${JSON.stringify(changes)}`);
      commit = await committed(repo, ours, commit);
    }
    await repo.git("fsck", "--strict", commit!);
    // All of it goes.
    const all = (await fed(repo, ["ls-tree", "-r", "-z", "--name-only", commit!], "")).split("\0")
      .filter((name) => name !== "").map((name) => ({ path: name, entry: "" }));
    assert.equal(await ourTree(repo, commit, all), await gitsTree(repo, commit, all));
  });
}

Deno.test("what nothing changes is the tree of before, and nothing is stored", async () => {
  await using repo = await repoOf("sha1");
  await repo.git("config", "user.name", "Ada");
  await repo.git("config", "user.email", "ada@example.org");
  await repo.commit("one", { "a/b": "1\n", c: "2\n" });
  const [commit, tree, blob] = (await repo.git("rev-parse", "HEAD", "HEAD^{tree}", "HEAD:a/b"))
    .split("\n");
  const changes = [
    { path: "a/b", entry: `100644 ${blob}` },
    { path: "none", entry: "" },
    { path: "a", entry: "" },
    { path: "c/d", entry: "" },
    { path: "none/none", entry: "" },
  ];
  const pack = new ObjectPack(commit!);
  const read = await readTrees(callIn(repo), "look", commit, changes.map(({ path }) => path));
  assert.equal(read.root, tree);
  assert.equal(await changedTree(pack, "look", read, changes), tree);
  assert.deepEqual(await pack.bytes(), await new ObjectPack(commit!).bytes());
});

Deno.test("names that are not UTF-8, and modes of old gits, stay as they are beside a change", async () => {
  await using repo = await repoOf("sha1");
  const blob = await fed(repo, ["hash-object", "-w", "--stdin"], "1\n");
  const latin1 = (text: string) => Uint8Array.from(text, (one) => one.charCodeAt(0));
  const id = String.fromCharCode(...Uint8Array.fromHex(blob));
  const inner = latin1(`100664 \xe4\x80\x00${id}100644 \xff\x00${id}`);
  const hash = ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"];
  const folder = await fed(repo, hash, inner);
  const folderId = String.fromCharCode(...Uint8Array.fromHex(folder));
  const outer = latin1(`40000 d\x00${folderId}40000 \xe9\x00${folderId}`);
  const commit = await committed(repo, await fed(repo, hash, outer), undefined);
  const tree = await ourTree(repo, commit, [{ path: "d/new", entry: `100644 ${blob}` }]);
  const listed = await fed(repo, ["ls-tree", "-r", tree], "");
  // Git shows old modes as it would write them.
  assert.deepEqual(listed.split("\n"), [
    `100644 blob ${blob}\td/new`,
    `100644 blob ${blob}\t"d/\\344\\200"`,
    `100644 blob ${blob}\t"d/\\377"`,
    `100644 blob ${blob}\t"\\351/\\344\\200"`,
    `100644 blob ${blob}\t"\\351/\\377"`,
  ]);
  assert.match(
    await fed(repo, ["cat-file", "tree", `${tree}:d`], ""),
    /^100644 new\0.*\n?.*100664 /s,
  );
});

Deno.test("a tree that the repo lacks is no empty folder: nothing is made of it", async () => {
  await using repo = await repoOf("sha1");
  await repo.git("config", "user.name", "Ada");
  await repo.git("config", "user.email", "ada@example.org");
  await repo.commit("one", { "a/b/c": "1\n", "a/b/d": "2\n", "a/e": "3\n" });
  const [commit, lost, blob] = (await repo.git("rev-parse", "HEAD", "HEAD:a/b", "HEAD:a/e"))
    .split("\n");
  await Deno.remove(`${repo.path}/.git/objects/${lost!.slice(0, 2)}/${lost!.slice(2)}`);
  const entry = `100644 ${blob}`;
  await assert.rejects(ourTree(repo, commit, [{ path: "a/b/new", entry }]), {
    code: "environment",
    message: `Cannot look: the repo lacks the tree ${lost}`,
  });
  // One that is not looked into may lack: as in a clone without all objects.
  const tree = await ourTree(repo, commit, [{ path: "a/new", entry }]);
  assert.match(await fed(repo, ["ls-tree", `${tree}:a`], ""), new RegExp(`tree ${lost}\tb\n`));
});
