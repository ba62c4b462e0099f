/** What a clean-up does with a repo that nodes share: the remote is a bare repo of git's. */
import assert from "node:assert/strict";
import { recordCommits } from "svc/features/jobs/commit_store.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { storedPath } from "svc/features/repos/repo_store.ts";
import { newSettlement, recordSettlement, settle } from "svc/features/routing/settlement_store.ts";
import { removeUnneeded, unneededIn } from "svc/runtime/engine/clean_by_hand.ts";
import { cleanUp } from "svc/runtime/engine/cleanup.ts";
import { handOverAll } from "svc/runtime/job/hand_over.ts";
import { retainClone } from "svc/runtime/retention/clones.ts";
import { RetentionTally } from "svc/runtime/retention/report.ts";
import { plainGit, tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { remotePorts } from "tests/unit/platform/remote_ports.ts";
import { enginePorts, harnessedRepo } from "tests/unit/runtime/engine_place.ts";

const ID = "0123456789ab";
const LONG_MS = 72 * 3_600_000;

async function place() {
  await using parts = new AsyncDisposableStack();
  const base = parts.use(await tempFolder());
  const person = parts.use(await harnessedRepo());
  const bare = `${base.path}/app.git`;
  await plainGit(base.path, ["clone", "--quiet", "--bare", person.path, bare]);
  await person.git("remote", "add", "origin", bare);
  const own = parts.use(await enginePorts(base.path));
  const said: string[] = [];
  const log = { ...own.log, write: (_: unknown, text: string) => void said.push(text) };
  const { signal } = new AbortController();
  const ports = { ...own, log, remotes: remotePorts(base.path), signal };
  const url = `file://${bare}`;
  const facts = { id: ID, path: storedPath(url), branch: "main", remote: null, host: null };
  const stored = { ...facts, created_at: 1, updated_at: 1, url };
  await ports.db.insertInto("repos").values(stored).execute();
  const opener = new RepoOpener(ports);
  const repo = parts.use(await opener.open({ ...stored, node_id: null }, ports));
  const held = parts.move();
  return {
    ...{ ports, repo, bare, said },
    git: async (...args: string[]) => (await plainGit(repo.root, args)).stdout.trim(),
    /** A node pushed it, and it came to the registered branch by a squash. */
    async squashed(name: string): Promise<string> {
      await person.git("checkout", "--quiet", "-b", name, "main");
      const tip = await person.commit(`work of ${name}`, { [name.replaceAll("/", "_")]: "x\n" });
      await person.git("checkout", "--quiet", "main");
      await person.git("merge", "--quiet", "--squash", name);
      await person.git("commit", "--quiet", "-m", `squash of ${name}`);
      await person.git("push", "--quiet", "origin", "main", name);
      await repo.shared!.refresh();
      return tip;
    },
    /** As svc notes a merge that it made, or that was made another way. */
    async noted(name: string, commit: string): Promise<void> {
      const now = ports.clock.now();
      const owed = newSettlement({
        ...{ repoId: ID, reason: "approved", actor: "agent:qa" },
        merge: { from: name, into: "main", commit },
      }, now);
      await recordSettlement(ports.db, owed);
      await settle(ports.db, owed.id, { state: "done", outcome: "merged", now });
    },
    branches: async () =>
      (await plainGit(bare, ["branch", "--list", "svc/*", "--format=%(refname:short)"])).stdout
        .trim(),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

verifies(
  "2.1:shared-database:holds-serve-state",
  "the remote loses a branch that svc merged, no node pushes it again, and others wait for a person",
  async () => {
    await using at = await place();
    const { ports, repo, git } = at;
    const ours = await at.squashed("svc/T-0001-ours");
    const byHand = await at.squashed("svc/T-0002-by-hand");
    await git("branch", "svc/T-0001-ours", ours);
    assert.deepEqual(await cleanUp(ports, repo, LONG_MS), []);
    assert.equal(await at.branches(), "svc/T-0001-ours\nsvc/T-0002-by-hand");
    await at.noted("svc/T-0001-ours", ours);
    // Somebody looks at it.
    await git("worktree", "add", "--quiet", `${at.bare}-looked-at`, "svc/T-0001-ours");
    await cleanUp(ports, repo, LONG_MS);
    assert.equal(await at.branches(), "svc/T-0001-ours\nsvc/T-0002-by-hand");
    await git("worktree", "remove", `${at.bare}-looked-at`);
    await cleanUp(ports, repo, LONG_MS);
    assert.equal(await at.branches(), "svc/T-0002-by-hand");
    // Another node has it still.
    await git("branch", "svc/T-0001-ours", ours);
    await handOverAll(ports, repo);
    assert.equal(await at.branches(), "svc/T-0002-by-hand");
    assert.deepEqual(at.said, []);

    // `svc cleanup` by a person: nothing is changed by a look.
    await git("branch", "-D", "svc/T-0001-ours");
    const why = "not in main: 1";
    const nothing = { trees: [], branches: [], remote: [] };
    const kept = [{ branch: "svc/T-0002-by-hand", why }];
    assert.deepEqual(await unneededIn(ports, repo, LONG_MS), { ...nothing, kept });
    await at.noted("svc/T-0002-by-hand", byHand);
    const found = { ...nothing, remote: ["svc/T-0002-by-hand"], kept: [] };
    assert.deepEqual(await unneededIn(ports, repo, LONG_MS), found);
    assert.equal(await at.branches(), "svc/T-0002-by-hand");
    assert.deepEqual(await removeUnneeded(ports, repo, LONG_MS), found);
    assert.equal(await at.branches(), "");
  },
);

verifies(
  "2.1:shared-database:holds-serve-state",
  "what a clone put aside goes with age, and not while its ticket is open or its branch is young",
  async () => {
    await using at = await place();
    const { ports, repo, git } = at;
    const move = { actor: "ada", reason: "so", to: "in-progress" } as const;
    const draft = { title: "Open", type: "bug", priority: "p1", role: "engineer" } as const;
    const { created } = await repo.tickets.create([{ ...draft, source: "human" }], {
      actor: "ada",
    });
    const { id } = created[0]!;
    await repo.tickets.move(id, { ...move, branch: "svc/T-0001-open" });
    const aside = async (branch: string) => {
      const made = await git("commit-tree", "-m", branch, "HEAD^{tree}");
      await git("update-ref", `refs/svc/aside/${branch}/${made}`, made);
      return made;
    };
    await aside("svc/T-0001-open");
    await aside("svc/T-0002-old");
    const young = await aside("svc/T-0003-young");
    const now = Date.parse("2027-01-01T00:00:00Z");
    await recordCommits(ports.db, {
      ...{ repo_id: ID, branch: "svc/T-0003-young", job_id: crypto.randomUUID() },
      ...{ role: "engineer", at: now, commits: [young] },
    });
    const needs = { repoId: ID, open: new Set<string>(), holders: new Set<string>() };
    const retained = async (apply: boolean) => {
      const tally = new RetentionTally();
      await retainClone(ports, tally, { needs, before: now - 1, apply });
      const left = (await ports.remotes.asides(repo.git)).map(({ branch }) => branch);
      return { left, groups: tally.groups, problems: tally.problems };
    };
    const groups = [{ what: "refs put aside", because: "age", count: 1, bytes: 0 }];
    const [open, old, newer] = ["svc/T-0001-open", "svc/T-0002-old", "svc/T-0003-young"];
    const before = { left: [open, old, newer], groups, problems: [] };
    assert.deepEqual(await retained(false), before);
    assert.deepEqual(await retained(true), { ...before, left: [open, newer] });
  },
);
