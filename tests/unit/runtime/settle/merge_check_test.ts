/** Approved work whose branch moved on meanwhile is checked as it will be, before it lands. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { uuidV7 } from "svc/core/ids.ts";
import { ownerText } from "svc/features/jobs/owner.ts";
import { claimMergeCheck, wantedMergeChecks } from "svc/features/routing/merge_check_store.ts";
import { waiveChecks } from "svc/features/checks/waiver_store.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { ownTree } from "svc/runtime/job/job_tree.ts";
import { checkMerges } from "svc/runtime/settle/check_merge.ts";
import { settlePending } from "svc/runtime/settle/settle.ts";
import { settlementWait } from "svc/runtime/views/settlement_wait.ts";
import { svc } from "tests/kit/entrance.ts";
import { startDoomed } from "tests/kit/doomed.ts";
import { enginePorts } from "tests/unit/runtime/engine_place.ts";
import { BRANCH, landOnce, type MergePlace, mergePlace } from "tests/unit/runtime/merge_place.ts";

const PLACE = { merge: "local" } as const;

/** Passes on each branch alone, and not on both: `other.txt` is main's, `fixed.txt` the ticket's. */
const CLASH = "if test -e fixed.txt && test -e other.txt; then echo not ok 1 both; exit 1; fi\n";

async function moveMain({ repo }: MergePlace, files: Record<string, string>): Promise<string> {
  return (await repo.commit("meanwhile", files)).trim();
}

const mains = async ({ repo }: MergePlace) =>
  (await repo.git("ls-tree", "-r", "--name-only", "main")).split("\n");

async function rows({ base }: MergePlace) {
  await using parts = await enginePorts(base);
  const { db } = parts;
  return {
    checks: await db.selectFrom("checks").selectAll().orderBy("id").execute(),
    jobs: await db.selectFrom("jobs").selectAll().execute(),
    wanted: await db.selectFrom("merge_checks").selectAll().execute(),
  };
}

const trees = async ({ repo }: MergePlace) =>
  (await repo.git("worktree", "list")).trim().split("\n").length;

Deno.test("two branches that pass alone and not together: the merge does not land, and the ticket goes back with the output", async () => {
  await using place = await mergePlace(PLACE);
  const into = await moveMain(place, { "test.sh": CLASH, "other.txt": "1\n" });
  const said = await landOnce(place);
  assert.match(
    said.join("\n"),
    /^T-0001: checks the merge\nT-0001: the merge does not pass: test: /,
  );
  assert.ok(!(await mains(place)).includes("fixed.txt"), "it was merged");
  const { ticket, text, settlements } = await place.state();
  assert.equal(ticket, "in-progress");
  assert.match(text, /^rework: 1$/m);
  const tail = /its output ends: not ok 1 both \(whole output: ~\/home\/traces\/outputs\/.*\.log\)/;
  assert.match(text, tail);
  assert.match(settlements[0]!.reason, tail);
  assert.equal(settlements[0]!.outcome, `merged main into ${BRANCH}, moved to in-progress`);
  // The next attempt sees both sides.
  assert.equal(await place.repo.git("show", `${BRANCH}:other.txt`), "1\n");
  assert.equal(
    await place.repo.git("log", "-1", "--format=%P %(trailers:key=Svc-Role,valueonly)", BRANCH),
    `${place.commit} ${into} qa\n\n`,
  );
  const { jobs } = await rows(place);
  assert.deepEqual(jobs.map(({ role, trigger, status }) => [role, trigger, status]), [
    ["engineer", "route", "pending"],
  ]);
  assert.equal(await trees(place), 1);
  const told = await svc(
    ["explain", settlements[0]!.job_id!, "--repo", place.repo.path, "--db", `${place.base}/svc.db`],
    { env: { PATH: "/usr/bin:/bin", HOME: place.base, SVC_HOME: `${place.base}/home` } },
  );
  assert.match(told.stdout, tail, told.stderr);
});

Deno.test("what passes with what came meanwhile lands as it was checked; only that is checked", async () => {
  await using place = await mergePlace(PLACE);
  await moveMain(place, { "other.txt": "1\n" });
  assert.deepEqual(await landOnce(place), [
    "T-0001: checks the merge",
    "T-0001: the merge passes",
  ]);
  const { ticket } = await place.state();
  assert.equal(ticket, "done");
  const { checks } = await rows(place);
  assert.deepEqual(checks.map(({ name, outcome }) => [name, outcome]), [["test", "passed"]]);
  const files = await mains(place);
  assert.ok(files.includes("fixed.txt") && files.includes("other.txt"));
  assert.equal(await trees(place), 1);
});

Deno.test("where only tickets moved since the approval, the work that was approved is what lands: nothing is checked", async () => {
  await using place = await mergePlace(PLACE);
  await moveMain(place, { "docs/tickets/README.md": "# Tickets\n" });
  assert.deepEqual(await landOnce(place), []);
  assert.equal((await place.state()).ticket, "done");
  assert.deepEqual((await rows(place)).checks, []);
});

Deno.test("work that was approved before any check looked at it is checked first", async () => {
  for (const checks of ["none", "not_run"]) {
    await using place = await mergePlace(PLACE);
    await using parts = await enginePorts(place.base);
    const inputs = JSON.stringify({ checks });
    await parts.db.updateTable("decisions").set({ inputs }).execute();
    await landOnce(place);
    assert.equal((await place.state()).ticket, "done");
    assert.deepEqual((await rows(place)).checks.map(({ name }) => name), ["test"], checks);
  }
});

Deno.test("a red check of what the merge is no more sends nothing back", async () => {
  await using place = await mergePlace(PLACE);
  await moveMain(place, { "test.sh": CLASH, "other.txt": "1\n" });
  const mend = `cd ${place.repo.path} && git rm --quiet other.txt && ` +
    "git -c user.name=Ada -c user.email=a@example.org commit --quiet -m mended";
  const told: string[] = [];
  await landOnce(place, {
    said(text) {
      told.push(text);
      if (!text.includes("does not pass")) return;
      assert.ok(new Deno.Command("sh", { args: ["-c", mend] }).outputSync().success);
    },
  });
  assert.deepEqual(told.map((text) => text.split(":")[1]), [
    ...[" checks the merge", " the merge does not pass"],
    ...[" checks the merge", " the merge passes"],
  ]);
  assert.equal((await place.state()).ticket, "done");
});

Deno.test("work whose next role a person starts waits for it when it is sent back, and what its tree held is kept", async () => {
  await using place = await mergePlace(PLACE);
  await moveMain(place, { "test.sh": CLASH, "other.txt": "1\n" });
  await using parts = await enginePorts(place.base);
  const ports = { ...parts, signal: new AbortController().signal };
  await parts.db.updateTable("decisions").set({ next_role: "orchestrator" }).execute();
  using repo = await new RepoOpener(ports).open((await listRepos(ports.db))[0]!, ports);
  const of = { jobId: uuidV7(Date.now()), role: "engineer", ticket: undefined, branch: BRANCH };
  const tree = await ownTree(ports, repo, of);
  tree[Symbol.dispose]();
  await Deno.writeTextFile(`${tree.root}/other.txt`, "mine\n");
  await landOnce(place);
  assert.equal((await place.state()).ticket, "in-progress");
  assert.deepEqual((await rows(place)).jobs, []);
  const kept = `refs/svc/leftovers/${tree.root.slice(tree.root.lastIndexOf("/") + 1)}`;
  assert.equal(await place.repo.git("show", `${kept}:other.txt`), "mine\n");
  assert.equal(await place.repo.git("show", `${BRANCH}:other.txt`), "1\n");
});

/** Beside the check "test" of every place. */
async function withLint(place: MergePlace): Promise<string> {
  const manifest = await place.repo.read(".harness/manifest.yaml");
  return manifest.replace(
    /^( +)(- .*\[sh, test\.sh\].*)$/m,
    "$1$2\n$1- { name: lint, run: [echo, ok] }",
  );
}

const RED = { "test.sh": "echo broken by another; exit 1\n" };

Deno.test("a check that is red on the branch without the work keeps no work out that another check judged, and the ticket says so", async () => {
  await using place = await mergePlace(PLACE);
  await moveMain(place, { ...RED, ".harness/manifest.yaml": await withLint(place) });
  assert.deepEqual(await landOnce(place), [
    "T-0001: checks the merge",
    "T-0001: the merge is checked: passed, but for what is red without it too: test",
  ]);
  const { ticket, text } = await place.state();
  assert.equal(ticket, "done");
  assert.match(text, /Checks of the merge: passed, but for what is red without it too: test/);
});

Deno.test("work that no green check judged waits for a person's word, as where there is none, or for a check that was mended", async () => {
  await using place = await mergePlace(PLACE);
  await moveMain(place, RED);
  assert.deepEqual(await landOnce(place), [
    "T-0001: checks the merge",
    "T-0001: the merge is checked: red without it too, so no green check judged it: test",
  ]);
  const { ticket, settlements } = await place.state();
  assert.equal(ticket, "review");
  const { zone, why, action } = settlementWait(settlements[0]!);
  assert.equal(zone, "needs_you");
  assert.match(why, /waits for your word: each check is red without it too \(test\), so no green/);
  assert.match(why, /mend one on main, let this commit in: svc tickets approve T-0001 --commit/);
  assert.match(why, /, or let all in unchecked: svc checks waive --repo \S+ --db \S+$/);
  const seen = settlements[0]!.merge_commit!.slice(0, 12);
  assert.match(action ?? "", /^svc tickets approve T-0001 --commit \w+ --repo \S+ --db \S+$/);
  assert.ok(action?.includes(`--commit ${seen} `), action ?? "");
  const runs = (await rows(place)).checks.length;
  assert.deepEqual(await landOnce(place), [], "the same files are not checked again");
  assert.equal((await rows(place)).checks.length, runs);
  await moveMain(place, { "test.sh": "true\n" });
  await landOnce(place);
  assert.equal((await place.state()).ticket, "done", "its check was mended on the branch");
});

Deno.test("the word that is given once lets in what each check is red without, too", async () => {
  await using place = await mergePlace(PLACE);
  await moveMain(place, RED);
  await landOnce(place);
  const { settlements: [owed] } = await place.state();
  await using parts = await enginePorts(place.base);
  const { repo_id } = owed!;
  assert.ok(await waiveChecks(parts.db, { repo_id, reason: "a prototype", waived_at: 1 }));
  assert.deepEqual(await landOnce(place), []);
  const { ticket, text } = await place.state();
  assert.equal(ticket, "done");
  assert.match(text, /red without it too, so no green check judged it: test/);
});

Deno.test("an approval whose checks were all red before is no proof of its files", async () => {
  await using place = await mergePlace(PLACE);
  await using parts = await enginePorts(place.base);
  const inputs = JSON.stringify({ checks: "unjudged", red_before: ["test"] });
  await parts.db.updateTable("decisions").set({ inputs }).execute();
  assert.deepEqual(await landOnce(place), ["T-0001: checks the merge", "T-0001: the merge passes"]);
  assert.equal((await place.state()).ticket, "done");
});

Deno.test("a check that this machine cannot run on the merge blocks the ticket with what to install", async () => {
  await using place = await mergePlace(PLACE);
  const manifest = await place.repo.read(".harness/manifest.yaml");
  await moveMain(place, {
    ".harness/manifest.yaml": manifest.replace("[sh, test.sh]", "[no-such-tool]"),
  });
  await landOnce(place);
  const { ticket, text, settlements } = await place.state();
  assert.equal(ticket, "blocked");
  assert.match(text, /Cannot run check .*no-such-tool/);
  assert.match(text, /Install no-such-tool/);
  assert.equal(settlements[0]!.fault, "environment");
  assert.ok(!(await mains(place)).includes("fixed.txt"), "it was merged");
});

Deno.test("a check that somebody's work in the repo keeps from beginning blocks no ticket", async () => {
  await using place = await mergePlace(PLACE);
  await moveMain(place, { "other.txt": "1\n" });
  {
    await using parts = await enginePorts(place.base);
    const { signal } = new AbortController();
    const busy = new Failure("conflict", "the repo is held", { remedy: "Wait", waits: true });
    const worktrees = { ...parts.worktrees, add: () => Promise.reject(busy) };
    const ports = { ...parts, signal, worktrees };
    using repo = await new RepoOpener(ports).open((await listRepos(ports.db))[0]!, ports);
    await settlePending(ports, repo);
    const watch = { signal, step() {}, said() {} };
    await assert.rejects(checkMerges(ports, repo, watch), { message: "the repo is held" });
  }
  assert.equal((await place.state()).ticket, "review");
  await landOnce(place);
  assert.equal((await place.state()).ticket, "done");
});

Deno.test("a branch that moves on during the checks has them run again, a few times, and then the merge waits", async () => {
  await using place = await mergePlace(PLACE);
  const { path } = place.repo;
  const moves = `cd ${path} && date +%N > moved.txt && git add moved.txt && ` +
    "git -c user.name=Ada -c user.email=a@example.org commit -qm moves\n";
  await moveMain(place, { "test.sh": moves });
  const said = await landOnce(place);
  assert.equal(said.filter((text) => text.endsWith("checks the merge")).length, 3);
  const { ticket, settlements } = await place.state();
  assert.equal(ticket, "review");
  assert.equal(settlements[0]!.waits_for, '"main" to rest: it moved on 3 times during the checks');
  assert.ok(!(await mains(place)).includes("fixed.txt"), "it was merged");
  await moveMain(place, { "test.sh": "exit 0\n" });
  await landOnce(place);
  assert.equal((await place.state()).ticket, "done");
});

Deno.test("a person's edits that are in the way are told before anything is checked, and no round leaves a commit", async () => {
  await using place = await mergePlace(PLACE);
  await moveMain(place, { "other.txt": "1\n" });
  await place.repo.write("fixed.txt", "mine\n");
  await landOnce(place);
  const before = await place.repo.git("count-objects", "-v");
  await landOnce(place);
  assert.equal(await place.repo.git("count-objects", "-v"), before);
  const { settlements } = await place.state();
  assert.equal(settlements[0]!.waits_for, "a clean checkout: fixed.txt");
  assert.deepEqual((await rows(place)).checks, []);
});

/** Stays in its first run until it is ended. */
const HANGS_ONCE = (base: string) =>
  `test -e ${base}/once && exit 0; touch ${base}/once; echo began; while :; do sleep 60; done\n`;

Deno.test("a stop ends the checks at once, and leaves no process, tree or claim; the next process does them", async () => {
  await using place = await mergePlace(PLACE);
  await moveMain(place, { "test.sh": HANGS_ONCE(place.base) });
  const stop = new AbortController();
  const step = (text: string) => text.endsWith("began") && stop.abort(new Error("svc ends"));
  await assert.rejects(landOnce(place, { signal: stop.signal, step }), /svc ends/);
  const { wanted, checks } = await rows(place);
  assert.deepEqual(wanted.map(({ owner, outcome }) => [owner, outcome]), [[null, null]]);
  assert.deepEqual(checks, []);
  assert.equal(await trees(place), 1);
  await landOnce(place);
  assert.equal((await place.state()).ticket, "done");
});

Deno.test("a check that was killed with its process is done again, and its programs are ended", async () => {
  await using place = await mergePlace(PLACE);
  await moveMain(place, { "test.sh": HANGS_ONCE(place.base) });
  const plan = JSON.stringify({ base: place.base, bare: "", api: "" });
  {
    await using doomed = startDoomed(new URL("../merge_place.ts", import.meta.url), plan);
    await doomed.printed(3); // it begins, the check, its first line
    await doomed.kill();
  }
  assert.notEqual((await rows(place)).wanted[0]!.owner, null);
  await landOnce(place);
  assert.equal((await place.state()).ticket, "done");
  const [{ job_id } = { job_id: "" }] = (await place.state()).settlements;
  await using parts = await enginePorts(place.base);
  assert.equal(await parts.processes.sweep(job_id!), 0);
  assert.equal(await trees(place), 1);
});

Deno.test("while another process checks a merge of the repo, this one leaves it alone", async () => {
  await using place = await mergePlace(PLACE);
  await moveMain(place, { "other.txt": "1\n" });
  await place.round("");
  await using parts = await enginePorts(place.base);
  const repoId = (await parts.db.selectFrom("repos").select("id").executeTakeFirstOrThrow()).id;
  const [wanted] = await wantedMergeChecks(parts.db, repoId);
  const owner = ownerText(await parts.identities.self(), "merge-1");
  assert.equal(await claimMergeCheck(parts.db, wanted!, owner), true);
  assert.deepEqual(await landOnce(place), []);
  assert.equal((await place.state()).ticket, "review");
});

Deno.test("what was sent back too often is a person's", async () => {
  await using place = await mergePlace(PLACE);
  const manifest = await place.repo.read(".harness/manifest.yaml");
  const text = manifest.replace(/max_rework: \d+/, "max_rework: 0");
  await moveMain(place, { "test.sh": CLASH, "other.txt": "1\n", ".harness/manifest.yaml": text });
  await landOnce(place);
  const { ticket, text: said } = await place.state();
  assert.equal(ticket, "blocked");
  assert.match(said, /Settle what svc\/T-0001.* and main disagree on/);
  assert.match(said, /its output ends: not ok 1 both/);
});

Deno.test("where no check is named, approved work waits for a person's word, which is given once", async () => {
  await using place = await mergePlace(PLACE);
  const manifest = await place.repo.read(".harness/manifest.yaml");
  const none = manifest.replace(/checks:\n +- .*\n/, "checks: []\n");
  await moveMain(place, { ".harness/manifest.yaml": none });
  assert.deepEqual(await landOnce(place), []);
  const { ticket, settlements } = await place.state();
  assert.equal(ticket, "review");
  const { zone, why, action } = settlementWait(settlements[0]!);
  assert.equal(zone, "needs_you");
  const flags = `--repo ${place.repo.path} --db ${place.base}/svc.db`;
  const seen = settlements[0]!.merge_commit!.slice(0, 12);
  assert.equal(action, `svc tickets approve T-0001 --commit ${seen} ${flags}`);
  const waive = `svc checks waive ${flags}`;
  assert.ok(why.endsWith(`, or let all in unchecked: ${waive}`), why);
  const words = waive.split(" ").slice(1);
  const env = { PATH: "/usr/bin:/bin", HOME: place.base, SVC_HOME: `${place.base}/home` };
  const job = await svc(words, { env: { ...env, SVC_JOB_ID: "job" } });
  assert.match(
    job.stderr,
    /^svc: Cannot run svc checks waive inside a job: .*this program belongs to job job/,
  );
  assert.equal(job.code, 3);
  await landOnce(place);
  assert.equal((await place.state()).ticket, "review");
  assert.match(
    (await svc([...words, "--yes"], { env })).stdout,
    /^Said: approved work is merged unchecked$/m,
  );
  assert.match((await svc([...words, "--end", "--yes"], { env })).stdout, /waits for your word/);
  await landOnce(place);
  assert.equal((await place.state()).ticket, "review");
  await using parts = await enginePorts(place.base);
  const repo_id = settlements[0]!.repo_id;
  assert.ok(await waiveChecks(parts.db, { repo_id, reason: "notes", waived_at: 1 }));
  await landOnce(place);
  assert.equal((await place.state()).ticket, "done");
});
