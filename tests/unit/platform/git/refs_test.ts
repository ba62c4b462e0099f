/** What svc reads in git's own files of refs and work trees, beside what git 2.39 of Debian says of the same repo. */
import assert from "node:assert/strict";
import { gitIn } from "svc/platform/git/call.ts";
import { refInFiles, refsInFiles } from "svc/platform/git/refs.ts";
import { listedWorktrees } from "svc/platform/git/worktree_list.ts";
import { denoProcesses, type Run } from "svc/platform/process/process.ts";
import { plainGit, tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";

const commonDir = (repo: { path: string }) => `${repo.path}/.git`;

async function oneRef(repo: TempRepo, ref: string) {
  const { stdout } = await plainGit(repo.path, ["rev-parse", "--verify", "--quiet", ref]);
  return stdout.trim() || undefined;
}

/** As git lists them, in its order. */
async function allRefs(repo: TempRepo, under: string) {
  const format = "--format=%(refname) %(objectname)";
  const { stdout } = await plainGit(repo.path, ["for-each-ref", format, `${under}/`]);
  return stdout.split("\n").filter((line) => line !== "").map((line) => line.split(" "));
}

const BRANCHES = ["main", "svc/T-0001", "svc/T-0002", "svc/deep/er/x", "a.b-c_d", "z9"];

/** A repo whose refs are in files, in `packed-refs`, in both, and gone from one. */
async function manyRefs(): Promise<TempRepo> {
  const repo = await tempRepo({ files: { a: "1" }, commit: true });
  for (const name of BRANCHES.slice(1)) await repo.git("branch", name);
  await repo.git("tag", "-a", "-m", "one", "v1");
  await repo.git("pack-refs", "--all");
  await repo.commit("two", { a: "2" });
  await repo.git("branch", "--force", "svc/T-0002", "HEAD");
  await repo.git("branch", "-D", "svc/deep/er/x");
  await repo.git("branch", "svc/new", "HEAD");
  await repo.git("update-ref", "refs/svc/leftovers/job-1", "HEAD");
  return repo;
}

Deno.test("a ref in git's files is what git says, loose, packed, both or none", async () => {
  await using repo = await manyRefs();
  const place = { commonDir: commonDir(repo) };
  const names = ["svc", "none", "svc/deep/er", "svc/deep/er/x/y", "svc/T-0001/x", "svc/new"];
  for (const name of [...BRANCHES, ...names]) {
    const ref = `refs/heads/${name}`;
    assert.deepEqual(refInFiles(place, ref), { id: await oneRef(repo, ref) }, ref);
  }
  assert.deepEqual(refInFiles(place, "refs/tags/v1"), { id: await oneRef(repo, "refs/tags/v1") });
  for (const under of ["refs/heads/svc", "refs/heads", "refs/svc/leftovers", "refs/none"]) {
    assert.deepEqual([...refsInFiles(place, under)!], await allRefs(repo, under), under);
  }
});

Deno.test("ids of 64 digits, and repos with no ref yet, are told too", async () => {
  await using folder = await tempFolder();
  await plainGit(folder.path, ["init", "--quiet", "--object-format=sha256", "-b", "main"]);
  const place = { commonDir: commonDir(folder) };
  assert.deepEqual(refInFiles(place, "refs/heads/main"), { id: undefined });
  assert.deepEqual(refsInFiles(place, "refs/heads/svc"), new Map());
  const made = await plainGit(folder.path, ["commit", "--quiet", "--allow-empty", "-m", "x"]);
  assert.equal(made.code, 0, made.stderr);
  const { stdout } = await plainGit(folder.path, ["rev-parse", "HEAD"]);
  assert.deepEqual(refInFiles(place, "refs/heads/main"), { id: stdout.trim() });
});

Deno.test("what the files do not tell for certain is left to git", async () => {
  await using repo = await manyRefs();
  const at = commonDir(repo);
  const place = { commonDir: at };
  const heads = `${at}/refs/heads`;
  const one = (name: string) => refInFiles(place, `refs/heads/${name}`);

  await repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main");
  assert.equal(one("alias"), undefined);
  assert.equal(refsInFiles(place, "refs/heads"), undefined);
  await Deno.remove(`${heads}/alias`);
  assert.ok(refsInFiles(place, "refs/heads"));

  for (const name of ["größe", "a..b", "../x", "a.lock", "a/.b", "a.", "", "a b", "-x"]) {
    assert.equal(one(name), undefined, name);
  }
  await Deno.symlink("main", `${heads}/link`);
  assert.equal(one("link"), undefined);
  await Deno.remove(`${heads}/link`);
  for (const text of ["", "x\n", `${"0".repeat(40)}\n`, `${"1".repeat(41)}\n`]) {
    await Deno.writeTextFile(`${heads}/odd`, text);
    assert.equal(one("odd"), undefined, text);
    assert.equal(refsInFiles(place, "refs/heads"), undefined, text);
  }
  await Deno.remove(`${heads}/odd`);

  // A lock that git holds, or a kill left, is no ref.
  await Deno.writeTextFile(`${heads}/svc/new.lock`, "x");
  await Deno.writeTextFile(`${heads}/svc/.DS_Store`, "x");
  assert.deepEqual(
    [...refsInFiles(place, "refs/heads/svc")!],
    await allRefs(repo, "refs/heads/svc"),
  );

  const packed = `${at}/packed-refs`;
  await Deno.rename(packed, `${at}/moved`);
  await Deno.symlink("moved", packed);
  assert.equal(one("svc/T-0001"), undefined);
  assert.ok(one("main")?.id, "its own file tells");
  await Deno.remove(packed);
  await Deno.writeTextFile(packed, "not a line of git's\n");
  assert.equal(one("svc/T-0001"), undefined);
  await Deno.writeTextFile(packed, `# ${"x".repeat(1024 * 1024)}\n`);
  assert.equal(one("svc/T-0001"), undefined);
  await Deno.rename(`${at}/moved`, packed);
  assert.ok(one("svc/T-0001")?.id);

  // As git-refs(1) has it since 2.45.
  await Deno.mkdir(`${at}/reftable`);
  assert.equal(one("main"), undefined);
  await Deno.remove(`${at}/reftable`);
  await Deno.writeTextFile(`${at}/HEAD`, "ref: refs/heads/.invalid\n");
  assert.equal(one("main"), undefined);
});

/** As plain git lists them. */
async function gitsTrees(path: string) {
  const { stdout } = await plainGit(path, ["worktree", "list", "--porcelain", "-z"]);
  return stdout.split("\0\0").filter((record) => record !== "").map((record) => {
    const fields = new Map(
      record.split("\0").map((line) => {
        const [, key = "", value = ""] = /^(\S*)(?: (.*))?$/s.exec(line)!;
        return [key, value];
      }),
    );
    return {
      path: fields.get("worktree"),
      head: fields.get("HEAD") ?? "",
      branch: fields.get("branch")?.replace("refs/heads/", ""),
      pruned: fields.has("prunable"),
    };
  });
}

Deno.test("work trees are listed as git lists them, mostly without a process", async (t) => {
  await using repo = await manyRefs();
  await using folder = await tempFolder();
  const at = commonDir(repo);
  const real = denoProcesses();
  let asked = 0;
  const run = (plan: Run) => (asked += plan.args.includes("worktree") ? 1 : 0, real.run(plan));
  const git = gitIn({ processes: { ...real, run }, env: { PATH } }, {
    root: repo.path,
    gitDir: at,
    commonDir: at,
  });
  const tree = (name: string) => `${folder.path}/${name}`;
  const same = (name: string, processes: 0 | 1, change: () => Promise<unknown>) =>
    t.step(name, async () => {
      await change();
      asked = 0;
      const found = await listedWorktrees(git, { commonDir: at }, "list");
      const theirs = await gitsTrees(repo.path);
      assert.deepEqual(
        found.map(({ path, head, branch }) => ({ path, head, branch })),
        theirs.map(({ path, head, branch }) => ({ path, head, branch })),
      );
      const gone = (path: string) => !isFolder(path);
      assert.deepEqual(
        found.map(({ stale }) => stale),
        theirs.map(({ path, pruned }) => pruned || gone(path!)),
      );
      assert.equal(asked, processes);
    });
  const isFolder = (path: string) => {
    try {
      return Deno.lstatSync(path).isDirectory;
    } catch {
      return false;
    }
  };

  await same("none", 0, () => Promise.resolve());
  await same("on a packed branch, a new one and none", 0, async () => {
    await repo.git("worktree", "add", "--quiet", tree("z"), "svc/T-0001");
    await repo.git("worktree", "add", "--quiet", "-b", "svc/own", tree("b c"));
    await repo.git("worktree", "add", "--quiet", "--detach", tree("ä"));
  });
  await same("without its .git file, and without its folder", 0, async () => {
    await repo.git("worktree", "add", "--quiet", "--detach", tree("bare-folder"));
    await Deno.remove(`${tree("bare-folder")}/.git`);
    await repo.git("worktree", "add", "--quiet", "--detach", tree("gone"));
    await Deno.remove(tree("gone"), { recursive: true });
  });
  await same("locked on a disk that is away, and locked half made", 0, async () => {
    await repo.git("worktree", "add", "--quiet", "--lock", "--detach", tree("away"));
    await Deno.remove(tree("away"), { recursive: true });
    await repo.git("worktree", "add", "--quiet", "--lock", "--detach", tree("half"));
    await Deno.remove(`${tree("half")}/.git`);
  });
  await same("the checkout detached", 0, () => repo.git("checkout", "--quiet", "--detach"));
  await same("amid a rebase", 0, async () => {
    const at = tree("z");
    await plainGit(at, ["commit", "--quiet", "--allow-empty", "-m", "x"]);
    await plainGit(at, ["-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-i", "main"]);
  });
  await same("one on a branch that has no commit", 1, async () => {
    await plainGit(tree("b c"), ["checkout", "--quiet", "--orphan", "empty"]);
  });
  await same("and again on one that has", 0, async () => {
    await plainGit(tree("b c"), ["checkout", "--quiet", "--force", "svc/own"]);
  });
  await same("on a branch of an unusual name", 1, async () => {
    await plainGit(tree("b c"), ["checkout", "--quiet", "-b", "größe"]);
  });
  await same("and back", 0, async () => {
    await plainGit(tree("b c"), ["checkout", "--quiet", "svc/own"]);
  });
  await same("a folder without what git writes to it", 1, async () => {
    await Deno.mkdir(`${at}/worktrees/stray`);
  });
  await same("and without that folder", 0, async () => {
    await Deno.remove(`${at}/worktrees/stray`);
  });
  await same("behind a link", 1, async () => {
    await Deno.rename(`${at}/worktrees`, `${at}/elsewhere`);
    await Deno.symlink("elsewhere", `${at}/worktrees`);
  });
  await same("and not", 0, async () => {
    await Deno.remove(`${at}/worktrees`);
    await Deno.rename(`${at}/elsewhere`, `${at}/worktrees`);
  });
  await same("a checkout that has settings of its own", 1, async () => {
    await Deno.writeTextFile(`${at}/config.worktree`, "[core]\n");
  });
  await same("a git folder without a checkout", 1, async () => {
    await Deno.remove(`${at}/config.worktree`);
    await repo.git("config", "core.bare", "true");
  });
});
