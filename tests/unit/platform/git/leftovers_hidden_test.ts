/** States that a first look at a work tree could take for "nothing to keep"; plain git reads back what was kept. */
import assert from "node:assert/strict";
import { denoProcesses, type Processes, type Run } from "svc/platform/process/process.ts";
import { plainGit } from "tests/kit/temp_repo.ts";
import { yard } from "tests/unit/platform/worktree_ports.ts";

const FILES = {
  "a.txt": "of the commit\n",
  "sub/b.txt": "below\n",
  ".gitignore": "*.log\n",
  ".gitmodules": '[submodule "lib"]\n\tpath = lib\n\turl = ./lib\n',
};

async function site(processes: Processes = denoProcesses()) {
  const at = await yard({ files: FILES }, processes);
  const path = `${at.home}/demo/job-1`;
  const plan = { doing: "start", path, branch: "svc/T-0001-one", start: "main" };
  await at.worktrees.add(at.place, plan);
  const git = async (...args: string[]) => {
    const { code, stdout, stderr } = await plainGit(path, args);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  return {
    ...{ at, path, git },
    index: `${at.repo.path}/.git/worktrees/job-1/index`,
    write: (name: string, text: string) => Deno.writeTextFile(`${path}/${name}`, text),
    remove: (name: string) => Deno.remove(`${path}/${name}`),
    keep: () => at.worktrees.keep(at.place, { path, job: "job-1", role: "engineer" }),
  };
}

type Site = Awaited<ReturnType<typeof site>>;

const KEPT = "refs/svc/leftovers/job-1";
/** As it was staged. */
const STAGED = `${KEPT}~1`;

interface State {
  readonly name: string;
  readonly make: (at: Site) => Promise<unknown>;
  /** Where plain git finds what. */
  readonly kept: Readonly<Record<string, string>>;
}

const stageOther = async ({ git, write }: Site) => {
  await write("a.txt", "staged\n");
  await git("add", "a.txt");
  await write("a.txt", FILES["a.txt"]);
};

const STATES: readonly State[] = [
  {
    name: "staged, and then as committed in the work tree",
    make: stageOther,
    kept: { [`${STAGED}:a.txt`]: "staged" },
  },
  {
    name: "the same below assume-unchanged",
    make: async (at) => {
      await stageOther(at);
      await at.git("update-index", "--assume-unchanged", "a.txt");
    },
    kept: { [`${STAGED}:a.txt`]: "staged" },
  },
  {
    name: "staged below skip-worktree, where the file is gone",
    make: async (at) => {
      await stageOther(at);
      await at.git("update-index", "--skip-worktree", "a.txt");
      await at.remove("a.txt");
    },
    kept: { [`${STAGED}:a.txt`]: "staged" },
  },
  {
    name: "edited below assume-unchanged",
    make: async ({ git, write }) => {
      await git("update-index", "--assume-unchanged", "a.txt");
      await write("a.txt", "edited\n");
    },
    kept: { [`${KEPT}:a.txt`]: "edited" },
  },
  {
    name: "edited below skip-worktree",
    make: async ({ git, write }) => {
      await git("update-index", "--skip-worktree", "a.txt");
      await write("a.txt", "edited\n");
    },
    kept: { [`${KEPT}:a.txt`]: "edited" },
  },
  {
    name: "written where a sparse checkout has no file",
    make: async ({ git, write }) => {
      await git("sparse-checkout", "set", "--no-cone", "/sub/");
      await git("config", "--worktree", "sparse.expectFilesOutsideOfPatterns", "true");
      await write("a.txt", "beside\n");
    },
    kept: { [`${KEPT}:a.txt`]: "beside" },
  },
  {
    name: "staged anew, and gone from the work tree",
    make: async ({ git, write, remove }) => {
      await write("new.txt", "new\n");
      await git("add", "new.txt");
      await remove("new.txt");
    },
    kept: { [`${STAGED}:new.txt`]: "new" },
  },
  {
    name: "taken out of the index, and as committed in the work tree",
    make: async ({ git }) => await git("rm", "--quiet", "--cached", "a.txt"),
    kept: { [`${KEPT}:a.txt`]: "of the commit", [`${STAGED}:sub/b.txt`]: "below" },
  },
  {
    name: "a mode that is staged alone",
    make: async ({ git }) => await git("update-index", "--chmod=+x", "a.txt"),
    kept: { [`${STAGED}:a.txt`]: "of the commit" },
  },
  {
    name: "named with intent to add",
    make: async ({ git, write }) => {
      await write("later.txt", "later\n");
      await git("add", "--intent-to-add", "later.txt");
    },
    kept: { [`${KEPT}:later.txt`]: "later" },
  },
  {
    name: "another commit of a submodule",
    make: async ({ git }) => {
      const commit = await git("rev-parse", "HEAD");
      await git("update-index", "--add", "--cacheinfo", `160000,${commit},lib`);
    },
    kept: {},
  },
  {
    name: "edited as long, with size and times as the index has them",
    make: async ({ git, write, path, index }) => {
      await git("config", "core.trustCtime", "false");
      await git("config", "core.checkStat", "minimal");
      await git("update-index", "--refresh");
      const { atime, mtime } = await Deno.stat(`${path}/a.txt`);
      await write("a.txt", "OF THE COMMIT\n");
      await Deno.utime(`${path}/a.txt`, atime!, mtime!);
      await Deno.utime(index, mtime!, mtime!);
    },
    kept: { [`${KEPT}:a.txt`]: "OF THE COMMIT" },
  },
  {
    name: "new where the settings have git show nothing new",
    make: async ({ git, write }) => {
      await git("config", "status.showUntrackedFiles", "no");
      await write("new.txt", "new\n");
    },
    kept: { [`${KEPT}:new.txt`]: "new" },
  },
  {
    name: "edited, with an index that is gone",
    make: async ({ write, index }) => {
      await write("a.txt", "edited\n");
      await Deno.remove(index);
    },
    kept: { [`${KEPT}:a.txt`]: "edited" },
  },
  {
    name: "on a branch without a commit",
    make: async ({ git }) => {
      await git("symbolic-ref", "HEAD", "refs/heads/svc/unborn");
    },
    kept: { [`${KEPT}:a.txt`]: "of the commit" },
  },
];

for (const { name, make, kept } of STATES) {
  Deno.test(`keep loses nothing: ${name}`, async () => {
    const at = await site();
    await using _at = at.at;
    await make(at);
    assert.equal((await at.keep())?.ref, KEPT);
    for (const [object, text] of Object.entries(kept)) {
      assert.equal(await at.git("cat-file", "blob", object), text, object);
    }
  });
}

Deno.test("keep asks git for two things where nothing is to be kept, with ignored files and amid a settled merge", async () => {
  const real = denoProcesses();
  const runs: (readonly string[])[] = [];
  const processes = {
    ...real,
    run: (run: Run) => {
      runs.push(run.args);
      return real.run(run);
    },
  };
  const { at, git, write, keep } = await site(processes);
  await using _at = at;
  await write("build.log", "ignored\n");
  await keep();
  runs.length = 0;
  assert.equal(await keep(), undefined);
  assert.deepEqual(runs.map((args) => args.find((arg) => /^[a-z]+(-|$)/.test(arg))), [
    "status",
    "ls-files",
  ]);
  await git("commit", "--quiet", "--allow-empty", "--message", "ours");
  await git("branch", "other", "HEAD~1");
  await git("switch", "--quiet", "other");
  await write("a.txt", "theirs\n");
  await git("commit", "--quiet", "--all", "--message", "theirs");
  await git("switch", "--quiet", "-");
  await git("merge", "--quiet", "--no-commit", "--strategy=ours", "other");
  assert.equal(await keep(), undefined);
  assert.equal(await git("for-each-ref", "refs/svc"), "");
});
