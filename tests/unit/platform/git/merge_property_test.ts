/** Whatever state a checkout is in, no merge of svc changes a byte that git does not hold already. */
import fc from "fast-check";
import assert from "node:assert/strict";
import { yard } from "tests/unit/platform/worktree_ports.ts";

const PLAN = {
  doing: "merge T-0001",
  into: "main",
  from: "svc/work",
  message: "merge T-0001: one",
};

type Yard = Awaited<ReturnType<typeof yard>>;

const TRACKED = ["a.txt", "b.txt", "dir/c.txt", "dir/deep/d.txt", "other/e.txt"];
const NEW = ["new.txt", "dir/new.txt", "x.log", "other/y.log"];

/** What a person did to a tracked file. */
const DEEDS = {
  nothing: async () => {},
  async edits(at: Yard, path: string) {
    await at.repo.write(path, `mine: ${path}\n`);
  },
  async stages(at: Yard, path: string) {
    await at.repo.write(path, `staged: ${path}\n`);
    await at.repo.git("add", "--", path);
  },
  async stagesAndEdits(at: Yard, path: string) {
    await DEEDS.stages(at, path);
    await DEEDS.edits(at, path);
  },
  async deletes(at: Yard, path: string) {
    await Deno.remove(`${at.repo.path}/${path}`);
  },
  async stagesRemoval(at: Yard, path: string) {
    await at.repo.git("rm", "--quiet", "--cached", "--", path);
  },
  async skips(at: Yard, path: string) {
    await at.repo.git("update-index", "--skip-worktree", "--", path);
    await DEEDS.edits(at, path);
  },
  async assumes(at: Yard, path: string) {
    await at.repo.git("update-index", "--assume-unchanged", "--", path);
    await DEEDS.edits(at, path);
  },
  async links(at: Yard, path: string) {
    await Deno.remove(`${at.repo.path}/${path}`);
    await Deno.symlink("/nonexistent/mine", `${at.repo.path}/${path}`);
  },
  async makesExecutable(at: Yard, path: string) {
    await Deno.chmod(`${at.repo.path}/${path}`, 0o755);
  },
  async writesCrlf(at: Yard, path: string) {
    await at.repo.write(path, "1\r\n2\r\n");
  },
} as const;
type Deed = keyof typeof DEEDS;

const state = fc.record({
  deeds: fc.array(fc.constantFrom(...Object.keys(DEEDS) as Deed[]), {
    minLength: TRACKED.length,
    maxLength: TRACKED.length,
  }),
  untracked: fc.subarray(NEW),
  /** What the branch does: rewrites, removes or adds. */
  changed: fc.subarray(TRACKED),
  removed: fc.subarray(TRACKED, { maxLength: 2 }),
  added: fc.subarray([...NEW, "a.txt.d/f"]),
  sparse: fc.boolean(),
  autocrlf: fc.constantFrom(undefined, "true", "input"),
});

/** Content and kind of every path but git's, the target of a link among them. */
async function everything(root: string, below = ""): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { name, isDirectory, isSymlink } of Deno.readDir(`${root}/${below}`)) {
    const path = below + name;
    if (path === ".git") continue;
    if (isSymlink) found.set(path, `link ${await Deno.readLink(`${root}/${path}`)}`);
    else if (isDirectory) {
      for (const entry of await everything(root, `${path}/`)) found.set(...entry);
    } else {
      found.set(path, await Deno.readTextFile(`${root}/${path}`));
    }
  }
  return found;
}

const MINE = /^(?:mine|staged|link)/;

Deno.test("no merge changes what only the person has, in random checkout states", async () => {
  const outcomes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(state, async (plan) => {
      const files = { ".gitignore": "*.log\n" } as Record<string, string>;
      for (const path of TRACKED) files[path] = "1\n2\n";
      await using at = await yard({ files });
      await at.branch({
        ...Object.fromEntries(plan.changed.map((path) => [path, "1\n2\nthree\n"])),
        ...Object.fromEntries(plan.removed.map((path) => [path, null])),
        ...Object.fromEntries(
          plan.added.filter((path) => !path.endsWith(".log")).map((path) => [path, "theirs\n"]),
        ),
        "always.txt": "theirs\n",
      });
      if (plan.autocrlf !== undefined) await at.repo.git("config", "core.autocrlf", plan.autocrlf);
      if (plan.sparse) await at.repo.git("sparse-checkout", "set", "--cone", "dir");
      for (const [index, path] of TRACKED.entries()) {
        const present = await Deno.lstat(`${at.repo.path}/${path}`).then(() => true, () => false);
        if (present) await DEEDS[plan.deeds[index]!](at, path);
      }
      for (const path of plan.untracked) await at.repo.write(path, `mine: ${path}\n`);

      const [before, staged] = [
        await everything(at.repo.path),
        await at.repo.git("diff", "--cached", "--raw", "--no-renames", "HEAD"),
      ];
      const outcome = await at.worktrees.merge(at.place, PLAN);
      outcomes.set(outcome.kind, (outcomes.get(outcome.kind) ?? 0) + 1);
      const after = await everything(at.repo.path);
      for (const [path, content] of before) {
        if (MINE.test(content)) assert.equal(after.get(path), content, `${outcome.kind}: ${path}`);
      }
      // What the person had staged is still staged, and nothing else is.
      assert.equal(
        await at.repo.git("diff", "--cached", "--raw", "--no-renames", "HEAD"),
        staged,
        outcome.kind,
      );
      if (outcome.kind !== "merged") assert.deepEqual(after, before);
      await at.repo.git("fsck", "--strict");
    }),
    {
      numRuns: Number(Deno.env.get("SVC_RUNS") ?? 8),
      // One that must merge: the others may all meet an edit of the person's.
      examples: [[{
        deeds: TRACKED.map((path) => path === "a.txt" ? "nothing" : "skips"),
        untracked: ["x.log"],
        changed: ["a.txt"],
        removed: [],
        added: ["new.txt"],
        sparse: false,
        autocrlf: undefined,
      }]],
    },
  );
  assert.ok((outcomes.get("merged") ?? 0) > 0, JSON.stringify([...outcomes]));
});
