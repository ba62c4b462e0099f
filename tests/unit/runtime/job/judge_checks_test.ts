/** Whose a red check is: the work's, the base's, chance's or the machine's. */
import assert from "node:assert/strict";
import { readManifest } from "svc/features/harness/manifest.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { ownTree } from "svc/runtime/job/job_tree.ts";
import { type ChecksAsked, judgeChecks } from "svc/runtime/job/judge_checks.ts";
import { type Files, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { enginePorts } from "tests/unit/runtime/engine_place.ts";

interface Place extends AsyncDisposable {
  /** Files outside the repo, for checks that remember. */
  readonly outside: string;
  readonly repoId: string;
  /** What the work changes. */
  commit(files: Files): Promise<void>;
  judge(more?: Partial<ChecksAsked>): ReturnType<typeof judgeChecks>;
  /** Names of the recorded runs, oldest first. */
  ran(): Promise<string[]>;
  trees(): Promise<string[]>;
}

const COMMANDS = `project:
  name: demo
  checks:
    - { name: test, run: [sh, test.sh] }
    - { name: lint, run: [sh, lint.sh] }
`;

async function place(files: Files, project = COMMANDS): Promise<Place> {
  const folder = await tempFolder();
  const repo = await tempRepo({ files: { "lint.sh": "true\n", ...files }, commit: true });
  const parts = await enginePorts(folder.path);
  const signal = new AbortController().signal;
  const ports = { ...parts, signal };
  const id = "0123456789ab";
  const facts = { id, path: repo.path, branch: "main", remote: null, host: null };
  const opened = await new RepoOpener(ports).open(facts, ports);
  const plan = { jobId: "job-judge", role: "engineer", ticket: undefined };
  const tree = await ownTree(ports, opened, plan);
  const base = await repo.git("rev-parse", "HEAD");
  const manifest = readManifest(
    `version: 1\n${project}roles: { engineer: { prompt: roles/engineer.md } }\n`,
  );
  return {
    outside: folder.path,
    repoId: id,
    async commit(changed) {
      for (const [path, text] of Object.entries(changed)) {
        await Deno.writeTextFile(`${tree.root}/${path}`, text as string);
      }
    },
    judge: (more = {}) =>
      judgeChecks(ports, opened, {
        ...{ job: "job-judge", role: "engineer", tree, signal, progress() {}, manifest },
        ...{ base: base.trim(), acceptance: [] },
        ...more,
      }),
    async ran() {
      const rows = await ports.db.selectFrom("checks").select("name").orderBy("started_at")
        .orderBy("id").execute();
      return rows.map(({ name }) => name);
    },
    async trees() {
      const listed = await repo.git("worktree", "list", "--porcelain");
      return listed.split("\n").filter((line) => line.startsWith("worktree ")).slice(1);
    },
    async [Symbol.asyncDispose]() {
      tree[Symbol.dispose]();
      opened[Symbol.dispose]();
      await parts[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a check that was red before is not the work's, and its base is checked once", async () => {
  await using here = await place({ "test.sh": "echo old fault; false\n" });
  const seen = await here.judge();
  assert.equal(seen.checks, "red_before");
  assert.deepEqual([seen.failedChecks, seen.redBefore], [[], ["test"]]);
  assert.match(seen.redBeforeOutput, /^test: .*old fault/);
  assert.deepEqual(await here.ran(), ["test", "lint", "test (base)", "test (base)"]);
  assert.equal((await here.trees()).length, 1);
  assert.equal((await here.judge()).checks, "red_before");
  assert.deepEqual((await here.ran()).slice(4), ["test", "lint"]);
});

Deno.test("where each check was red before, none has judged the work", async () => {
  await using here = await place({ "test.sh": "false\n", "lint.sh": "false\n" });
  const seen = await here.judge();
  assert.equal(seen.checks, "unjudged");
  assert.deepEqual([seen.failedChecks, seen.redBefore], [[], ["test", "lint"]]);
  await here.commit({ "lint.sh": "true\n" });
  assert.equal((await here.judge()).checks, "red_before");
});

Deno.test("a check that the work broke is the work's, with the end of its output", async () => {
  await using here = await place({ "test.sh": "true\n" });
  await here.commit({ "test.sh": "seq 1 99; echo it broke; exit 3\n" });
  const seen = await here.judge();
  assert.equal(seen.checks, "failed");
  assert.deepEqual([seen.failedChecks, seen.redBefore], [["test"], []]);
  const tail = seen.tails.split("\n");
  assert.deepEqual([tail[1], tail.at(-1)], ["61", "it broke"]);
  assert.deepEqual(await here.ran(), ["test", "lint", "test (base)", "test"]);
});

Deno.test("beside a check that was red before, one that the work broke counts alone", async () => {
  await using here = await place({ "test.sh": "false\n" });
  await here.commit({ "lint.sh": "exit 1\n" });
  const seen = await here.judge();
  assert.equal(seen.checks, "failed");
  assert.deepEqual([seen.failedChecks, seen.redBefore], [["lint"], ["test"]]);
});

Deno.test("a check that the acceptance names must pass, and no base is asked", async () => {
  await using here = await place({ "test.sh": "false\n" });
  const acceptance = ["- [ ] `sh test.sh` passes"];
  assert.equal((await here.judge({ acceptance })).checks, "failed");
  assert.deepEqual(await here.ran(), ["test", "lint", "test"]);
  await here.commit({ "test.sh": "true\n" });
  assert.equal((await here.judge({ acceptance })).checks, "passed");
});

Deno.test("a check that is red once and then green passed, which is said", async () => {
  await using here = await place({ "test.sh": "true\n" });
  const flag = `${here.outside}/flag`;
  await here.commit({ "test.sh": `test -e ${flag} || { touch ${flag}; exit 1; }\n` });
  const seen = await here.judge();
  assert.deepEqual([seen.checks, seen.flaky, seen.tails], ["passed", ["test"], ""]);
  assert.deepEqual(await here.ran(), ["test", "lint", "test (base)", "test"]);
});

Deno.test("a base that is red by chance excuses nothing", async () => {
  await using folder = await tempFolder();
  const flag = `${folder.path}/flag`;
  await using here = await place({
    "test.sh": `test -e ${flag} || { touch ${flag}; exit 1; }\n`,
  });
  await here.commit({ "test.sh": "exit 1\n" });
  assert.deepEqual((await here.judge()).failedChecks, ["test"]);
});

Deno.test("a base on which the machine cannot run the check excuses nothing, and is asked again", async () => {
  await using here = await place({ "test.sh": "exit 127\n" });
  await here.commit({ "test.sh": "exit 1\n" });
  const seen = await here.judge();
  assert.deepEqual(seen.failedChecks, ["test"]);
  assert.match(
    seen.checkOutput,
    /whether it was red at [0-9a-f]{12} cannot be told: exit status 127/,
  );
  await here.judge();
  assert.equal((await here.ran()).filter((name) => name === "test (base)").length, 2);
});

Deno.test("a base whose set-up fails excuses nothing", async () => {
  const setup = COMMANDS.replace(
    "checks:",
    "setup: [{ name: deps, run: [sh, setup.sh] }]\n  checks:",
  );
  await using here = await place({ "setup.sh": "exit 1\n", "test.sh": "exit 1\n" }, setup);
  await here.commit({ "setup.sh": "true\n" });
  const seen = await here.judge();
  assert.deepEqual(seen.failedChecks, ["test"]);
  assert.match(seen.checkOutput, /cannot be told: Cannot set up a work tree with "sh setup\.sh"/);
  assert.equal((await here.trees()).length, 1);
});

Deno.test("without a base nothing is excused", async () => {
  await using here = await place({ "test.sh": "false\n" });
  assert.equal((await here.judge({ base: undefined })).checks, "failed");
});

Deno.test("a check that cannot start is the machine's, whatever the base does", async () => {
  await using here = await place({ "test.sh": "exit 127\n" });
  await assert.rejects(here.judge(), /Cannot run check "test"/);
});

Deno.test("a base that is being checked when a person cancels leaves no tree and no answer", async () => {
  await using here = await place({ "test.sh": "echo began; while :; do sleep 60; done\n" });
  await here.commit({ "test.sh": "exit 1\n" });
  const stop = new AbortController();
  const judged = here.judge({
    signal: stop.signal,
    progress(text) {
      if (/before the work: began$/.test(text)) stop.abort(new Error("stopped by a person"));
    },
  });
  await assert.rejects(judged, /stopped by a person/);
  assert.equal((await here.trees()).length, 1);
  assert.deepEqual(await here.ran(), ["test", "lint"]);
});

Deno.test("what a killed run left in the place of the base's tree is no obstacle", async () => {
  await using here = await place({ "test.sh": "exit 1\n" });
  const [own] = await here.trees();
  const left = own!.replace(/^worktree /, "").replace(/job-judge$/, "job-judge.base");
  await Deno.mkdir(left);
  assert.equal((await here.judge()).checks, "red_before");
  await assert.rejects(Deno.stat(left), Deno.errors.NotFound);
});

Deno.test("a check that hangs has its time limit once", async () => {
  const project = COMMANDS.replace("test.sh]", "test.sh], timeout_seconds: 1");
  await using here = await place({ "test.sh": "true\n" }, project);
  await here.commit({ "test.sh": "while :; do sleep 60; done\n" });
  assert.deepEqual((await here.judge()).failedChecks, ["test"]);
  assert.deepEqual(await here.ran(), ["test", "lint", "test (base)"]);
});
