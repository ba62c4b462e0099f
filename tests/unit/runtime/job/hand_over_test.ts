/** What a node does with a job's branch that other nodes pushed, or did not push. The remotes are bare repos of git's. */
import assert from "node:assert/strict";
import { recordCommits } from "svc/features/jobs/commit_store.ts";
import { nodeBegan } from "svc/features/nodes/node_store.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { systemClock } from "svc/platform/clock.ts";
import { handOver, takeOver, teamTip } from "svc/runtime/job/hand_over.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { remotePorts } from "tests/unit/platform/remote_ports.ts";
import { enginePorts, queued } from "tests/unit/runtime/engine_place.ts";

const NODE = crypto.randomUUID();

const BRANCH = "svc/T-0001-mend-add";
const ID = "0123456789ab";

async function place() {
  const parts = new AsyncDisposableStack();
  const base = parts.use(await tempFolder());
  const ada = parts.use(await tempRepo({ files: { "a.txt": "a\n" }, commit: true }));
  const bare = `${base.path}/app.git`;
  await plainGit(base.path, ["clone", "--quiet", "--bare", ada.path, bare]);
  await ada.git("remote", "add", "origin", bare);
  const time = { passed: 0 };
  const clock = { ...systemClock, now: () => systemClock.now() + time.passed };
  const own = parts.use(await enginePorts(base.path, { clock }));
  const said: string[] = [];
  const log = { ...own.log, write: (_: unknown, text: string) => void said.push(text) };
  const remotes = remotePorts(`${base.path}/bo`);
  const ports = { ...own, log, remotes, signal: new AbortController().signal };
  const facts = { id: ID, path: "/", branch: "main", remote: null, host: null };
  const bo = parts.use(
    await new RepoOpener(ports).open({ ...facts, url: `file://${bare}` }, ports),
  );
  const git = async (...args: string[]) => (await plainGit(bo.root, args)).stdout.trim();
  return {
    ...{ parts, ada, bare, ports, bo, git, said, time },
    /** Another node pushes a commit on the branch. @returns its id */
    async pushed(subject: string): Promise<string> {
      const there = (await ada.git("branch", "--list", BRANCH)).trim() !== "";
      await ada.git("switch", "--quiet", ...(there ? [BRANCH] : ["-c", BRANCH]));
      await ada.git("commit", "--quiet", "--allow-empty", "-m", subject);
      await ada.git("push", "--quiet", "origin", BRANCH);
      await bo.shared!.refresh();
      return (await ada.git("rev-parse", BRANCH)).trim();
    },
    /** A commit on the branch that this clone alone has. */
    async alone(subject: string, parent: string): Promise<string> {
      const made = await git("commit-tree", "-p", parent, "-m", subject, "HEAD^{tree}");
      await git("update-ref", `refs/heads/${BRANCH}`, made);
      return made;
    },
    take: () => takeOver(ports, bo, BRANCH, () => Promise.resolve()),
  };
}

verifies(
  ["2.1:shared-database:holds-serve-state"],
  "a node goes on from what another node pushed, and keeps what it alone had",
  async () => {
    const { parts, git, pushed, alone, take, bare, ports, bo } = await place();
    await using _parts = parts;
    const tip = () => teamTip(ports, bo, BRANCH);
    assert.equal(await tip(), undefined);
    const first = await pushed("feat: first");
    assert.equal(await tip(), first);
    await take();
    assert.equal(await git("rev-parse", BRANCH), first);

    const second = await pushed("feat: second");
    assert.equal(await tip(), second);
    await take();
    assert.equal(await git("rev-parse", BRANCH), second);

    // Diverged: the remote's commits count, and nothing is lost.
    const mine = await alone("feat: mine", first);
    const third = await pushed("feat: third");
    assert.equal(await tip(), third);
    await take();
    assert.equal(await git("rev-parse", BRANCH), third);
    assert.equal(await git("rev-parse", `refs/svc/aside/${BRANCH}/${mine}`), mine);
    assert.equal((await plainGit(bare, ["rev-parse", BRANCH])).stdout.trim(), third);

    // What is ahead stays: nobody else has it yet.
    const ahead = await alone("feat: ahead", third);
    assert.equal(await tip(), ahead);
    await take();
    assert.equal(await git("rev-parse", BRANCH), ahead);
  },
);

verifies(
  ["2.1:shared-database:holds-serve-state"],
  "a commit that nobody pushed is waited for, ten minutes long and by the name of its node",
  async () => {
    const { parts, git, pushed, take, ports, said, time } = await place();
    await using _parts = parts;
    const facts = { abilities: "[]", concurrency: 1, name: "ada", schema: 1, version: "1" };
    await ports.db.transaction().execute((tx) =>
      nodeBegan(tx, { id: NODE, owner: "o1", ...facts }, null, ports.clock.now())
    );
    const job = await queued(ports, ID, "engineer");
    await ports.db.updateTable("jobs").set({ node_id: NODE }).where("id", "=", job.id).execute();
    const first = await pushed("feat: first");
    const record = { repo_id: ID, branch: BRANCH, job_id: job.id, role: "engineer" };
    await recordCommits(ports.db, { ...record, at: ports.clock.now() - 1, commits: [first] });
    await take();
    await recordCommits(ports.db, { ...record, at: ports.clock.now(), commits: ["f".repeat(40)] });
    const waits = {
      code: "conflict",
      message: `Cannot go on with ${BRANCH}: node ada has not pushed its work`,
      detail: {
        remedy: "Start svc on node ada; after 10 minutes the work goes on from what is pushed",
        waits: true,
      },
    };
    await assert.rejects(take(), waits);
    time.passed = 590_000;
    await assert.rejects(take(), waits);
    assert.deepEqual(said, []);
    time.passed = 601_000;
    await take();
    assert.equal(await git("rev-parse", BRANCH), first);
    assert.deepEqual(said, [`goes on without a commit of ${BRANCH} that node ada has not pushed`]);
  },
);

verifies(
  ["2.1:shared-database:holds-serve-state"],
  "of a branch at the remote only svc's own commit of unfinished work is replaced",
  async () => {
    const { parts, git, pushed, alone, take, bare, ports, bo } = await place();
    await using _parts = parts;
    const there = async () => (await plainGit(bare, ["rev-parse", BRANCH])).stdout.trim();
    const hand = () => ports.remotes.hand(bo.git, bo.shared!.remote, BRANCH);
    const refused = { code: "conflict", message: /the remote has other commits on it$/ };
    const first = await pushed("feat: first");
    const left = await pushed("chore(wip): first\n\nHalf of it.\n\nSvc-Unfinished: timed_out");
    await take();
    const whole = await alone("feat: all of it", first);
    await hand();
    assert.equal(await there(), whole);

    // Somebody went on from the unfinished commit: theirs stays.
    await git("update-ref", `refs/heads/${BRANCH}`, left);
    await git("push", "--quiet", "--force", bare, BRANCH);
    await bo.shared!.refresh();
    await alone("feat: all of it, again", first);
    const theirs = await pushed("feat: by a person");
    await assert.rejects(hand(), refused);
    assert.equal(await there(), theirs);

    // So does a whole commit, even where this clone has all that is below it.
    await alone("feat: beside it", left);
    await assert.rejects(hand(), refused);
    assert.equal(await there(), theirs);

    // And an unfinished one above what this clone lacks.
    const more = await pushed("chore(wip): more\n\nSvc-Unfinished: timed_out");
    await assert.rejects(hand(), refused);
    assert.equal(await there(), more);
  },
);

verifies(
  ["2.1:shared-database:holds-serve-state"],
  "what may not leave the machine is pushed to no other node",
  async () => {
    const { parts, git, alone, bare, ports, bo, said } = await place();
    await using _parts = parts;
    await bo.shared!.refresh();
    const main = await git("rev-parse", "main");
    const there = async () => (await plainGit(bare, ["branch", "--list", BRANCH])).stdout.trim();
    await alone("feat: sneaky", main);
    await handOver(ports, bo, BRANCH);
    assert.equal(await there(), "");
    assert.match(said.join(), /^svc\/T-0001-mend-add stays on this machine: .*"feat: sneaky"/);
    await alone("feat: x\n\nSvc-Role: engineer\nSvc-Job: j1", main);
    await handOver(ports, bo, BRANCH);
    assert.equal(await there(), BRANCH);
    assert.equal(said.length, 1);
  },
);
