/** A work tree that svc links itself is one to git 2.39 of Debian, as its own is. */
import assert from "node:assert/strict";
import { gitIn } from "svc/platform/git/call.ts";
import { linkTree } from "svc/platform/git/worktree_link.ts";
import { denoProcesses, type Processes, type Run } from "svc/platform/process/process.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { yard } from "tests/unit/platform/worktree_ports.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";

function counted() {
  const real = denoProcesses();
  const asked: string[] = [];
  const verb = ({ args }: Run) => args.find((arg) => /^[a-z]/.test(arg) && !arg.includes("="))!;
  const processes: Processes = { ...real, run: (plan) => (asked.push(verb(plan)), real.run(plan)) };
  return { processes, asked };
}

const plan = (path: string, branch: string | undefined) => ({
  ...{ doing: "start T-0001", path, branch, start: "main" },
});

/** The files in git's folder of a tree, with what they say but for its name. */
async function adminOf(path: string): Promise<Record<string, string>> {
  const admin = (await Deno.readTextFile(`${path}/.git`)).trim().slice("gitdir: ".length);
  const files: Record<string, string> = {};
  for (const { name, isFile } of Deno.readDirSync(admin)) {
    if (isFile) files[name] = await Deno.readTextFile(`${admin}/${name}`);
  }
  const own = path.slice(path.lastIndexOf("/") + 1);
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, text.replaceAll(own, "NAME")]),
  );
}

for (const detached of [false, true]) {
  Deno.test(`a linked tree ${detached ? "without" : "on"} a branch has the files of git's own, and git works with it`, async () => {
    await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
    await using folder = await tempFolder();
    const tip = (await repo.git("rev-parse", "HEAD")).trim();
    const gitDir = `${repo.path}/.git`;
    const place = { root: repo.path, gitDir, commonDir: gitDir };
    const { processes, asked } = counted();
    const git = gitIn({ processes, env: { PATH } }, place);
    const [ours, theirs] = [`${folder.path}/ours`, `${folder.path}/theirs`];
    await folder.write("ours/kept", "x");
    const link = { doing: "x", path: ours, branch: undefined, tip };
    assert.equal(await linkTree(git, place, link), false, "git refuses a folder that is not empty");
    await Deno.remove(`${ours}/kept`);
    const branch = (name: string) => detached ? undefined : `svc/${name}`;
    asked.length = 0;
    assert.ok(await linkTree(git, place, { doing: "x", path: ours, branch: branch("ours"), tip }));
    assert.deepEqual(asked.filter((verb) => verb !== "config"), detached ? [] : ["update-ref"]);
    const how = detached ? ["--detach", theirs] : ["-b", "svc/theirs", theirs];
    await repo.git("worktree", "add", "--quiet", "--no-checkout", ...how, tip);
    assert.deepEqual(await adminOf(ours), await adminOf(theirs));
    assert.equal(await repo.git("worktree", "prune", "--dry-run", "--verbose"), "");

    const inOurs = async (...args: string[]) => {
      const { code, stdout, stderr } = await plainGit(ours, args);
      assert.equal(code, 0, stderr);
      return stdout.trim();
    };
    await inOurs("reset", "--quiet", "--hard");
    assert.equal(await inOurs("status", "--porcelain"), "");
    assert.equal(await inOurs("rev-parse", "HEAD"), tip);
    assert.equal(await inOurs("branch", "--show-current"), branch("ours") ?? "");
    await inOurs("commit", "--quiet", "--allow-empty", "-m", "two");
    assert.match(await inOurs("reflog", "-1"), /commit: two$/);
    assert.match(await repo.git("worktree", "list"), /ours /);
    await repo.git("worktree", "move", ours, `${folder.path}/moved`);
    await repo.git("worktree", "lock", `${folder.path}/moved`);
    await repo.git("worktree", "unlock", `${folder.path}/moved`);
    await repo.git("worktree", "remove", `${folder.path}/moved`);
    await repo.git("fsck", "--strict");
  });
}

Deno.test("git that prunes work trees between any two steps of a link takes nothing of it", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  const path = `${at.home}/one/job`;
  const real = Deno.writeTextFileSync;
  let pruned = 0;
  Deno.writeTextFileSync = (...args) => {
    real(...args);
    const prune = new Deno.Command("git", { args: ["worktree", "prune"], cwd: at.repo.path });
    pruned += prune.outputSync().success ? 1 : 0;
  };
  try {
    await at.worktrees.add(at.place, plan(path, "svc/x"));
  } finally {
    Deno.writeTextFileSync = real;
  }
  assert.ok(pruned >= 5, `${pruned}`);
  assert.equal((await plainGit(path, ["status", "--porcelain"])).stdout, "");
  assert.equal(await at.repo.git("worktree", "prune", "--dry-run", "--verbose"), "");
  await at.repo.git("worktree", "remove", "--force", path); // it is not locked any more
});

Deno.test("a name that is taken is numbered, as git does it", async () => {
  const { processes, asked } = counted();
  await using at = await yard({ files: { a: "a\n" } }, processes);
  const paths = ["one", "two", "three"].map((folder) => `${at.home}/${folder}/job`);
  for (const [nth, path] of paths.entries()) {
    await at.worktrees.add(at.place, plan(path, `svc/${nth}`));
  }
  assert.ok(!asked.includes("worktree"));
  const names = [...Deno.readDirSync(`${at.repo.path}/.git/worktrees`)].map(({ name }) => name);
  assert.deepEqual(names.sort(), ["job", "job1", "job2"]);
  assert.deepEqual((await at.worktrees.list(at.place)).map(({ path }) => path), paths.sort());
  await at.worktrees.remove(at.place, paths[1]!);
  assert.deepEqual((await at.worktrees.list(at.place)).length, 2);
});

Deno.test("git makes the tree where a repo is not as usual, or the branch is there", async (t) => {
  const cases: Readonly<Record<string, string[]>> = {
    "files for a group": ["config", "core.sharedRepository", "group"],
    "a sparse checkout": ["config", "core.sparseCheckout", "true"],
    "settings of each tree": ["config", "extensions.worktreeConfig", "true"],
    "a branch that is there": ["branch", "svc/x"],
  };
  for (const [name, change] of Object.entries(cases)) {
    await t.step(name, async () => {
      const { processes, asked } = counted();
      await using at = await yard({ files: { a: "a\n" } }, processes);
      await at.repo.git(...change);
      await at.worktrees.add(at.place, plan(`${at.home}/one/job`, "svc/x"));
      assert.ok(asked.includes("worktree"), asked.join(" "));
    });
  }
  await t.step("a folder of trees that is a link", async () => {
    const { processes, asked } = counted();
    await using at = await yard({ files: { a: "a\n" } }, processes);
    await using elsewhere = await tempFolder();
    await Deno.symlink(elsewhere.path, `${at.repo.path}/.git/worktrees`);
    await at.worktrees.add(at.place, plan(`${at.home}/one/job`, "svc/x")).catch(() => {});
    assert.ok(asked.includes("worktree"), asked.join(" "));
  });
  await t.step("a branch of an unusual name", async () => {
    const { processes, asked } = counted();
    await using at = await yard({ files: { a: "a\n" } }, processes);
    await at.worktrees.add(at.place, plan(`${at.home}/one/job`, "svc/größe"));
    assert.ok(asked.includes("worktree"), asked.join(" "));
  });
});

/** Ends the run at the first git call that says `word`, before or after git has done it. */
function killedAt(word: string, when: "before" | "after"): Processes & { killed: boolean } {
  const real = denoProcesses();
  const dying = {
    ...real,
    killed: false,
    async run(command: Parameters<Processes["run"]>[0]) {
      if (dying.killed) throw new Error("killed");
      if (!command.args.includes(word)) return await real.run(command);
      if (when === "after") await real.run(command);
      dying.killed = true;
      throw new Error("killed");
    },
  };
  return dying;
}

for (
  const [word, when] of [
    ["update-ref", "before"],
    ["update-ref", "after"],
    ["add", "before"],
    ["add", "after"],
    ["-u", "after"],
  ] as const
) {
  Deno.test(`add that was killed ${when} git's "${word}" is done again`, async () => {
    const processes = killedAt(word, when);
    await using at = await yard({ files: { a: "a\n", b: "b\n" } }, processes);
    if (word === "add") await at.repo.git("branch", "svc/x");
    await assert.rejects(
      at.worktrees.add(at.place, plan(`${at.home}/demo/job-1`, "svc/x")),
      /killed/,
    );
    processes.killed = false;
    processes.run = denoProcesses().run;
    const path = `${at.home}/demo/job-1`;
    if (word === "-u") await Deno.remove(`${path}/b`); // it was not written yet
    const made = await at.worktrees.add(at.place, plan(`${at.home}/demo/job-1`, "svc/x"));
    assert.equal((await plainGit(path, ["status", "--porcelain"])).stdout, "");
    assert.equal(await Deno.readTextFile(`${path}/b`), "b\n");
    assert.deepEqual(await at.worktrees.list(at.place), [made]);
  });
}

Deno.test("what a kill left of a link, after any of its files, is made anew", async (t) => {
  const files = ["locked", "gitdir", ".git", "commondir", "HEAD"];
  for (let written = 0; written <= files.length; written++) {
    await t.step(`${written} files`, async () => {
      await using at = await yard({ files: { a: "a\n" } });
      const path = `${at.home}/demo/job-1`;
      const admin = `${at.repo.path}/.git/worktrees/job-1`;
      await at.repo.git("branch", "svc/x");
      await Deno.mkdir(admin, { recursive: true });
      await Deno.mkdir(path, { recursive: true });
      const there = new Set(files.slice(0, written));
      const write = async (name: string, at: string, text: string) => {
        if (there.has(name)) await Deno.writeTextFile(at, text);
      };
      await write("locked", `${admin}/locked`, "initializing\n");
      await write("gitdir", `${admin}/gitdir`, `${path}/.git\n`);
      await write(".git", `${path}/.git`, `gitdir: ${admin}\n`);
      await write("commondir", `${admin}/commondir`, "../..\n");
      await write("HEAD", `${admin}/HEAD`, "ref: refs/heads/svc/x\n");
      const made = await at.worktrees.add(at.place, plan(path, "svc/x"));
      assert.deepEqual(await at.worktrees.list(at.place), [made]);
      assert.equal(await Deno.readTextFile(`${path}/a`), "a\n");
      assert.equal((await plainGit(path, ["status", "--porcelain"])).stdout, "");
    });
  }
});
