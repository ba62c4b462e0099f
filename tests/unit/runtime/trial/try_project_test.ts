/** Candidates that really run, in a real work tree; what they say comes from the programs alone. */
import assert from "node:assert/strict";
import { RepoOpener } from "svc/features/repos/repo.ts";
import type { DetectedCommand } from "svc/features/harness/candidates/candidate.ts";
import { tryProject } from "svc/runtime/trial/try_project.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { enginePorts } from "tests/unit/runtime/engine_place.ts";

const FILES = {
  ".gitignore": "deps/\nown.txt\n",
  "tracked.txt": "as committed\n",
  "src/sum.sh": "sum() { echo $(($1 + $2)); }\n",
  "tests/all_test.sh": '. src/sum.sh; test "$(sum 1 2)" = 3\n',
};

const sh = (line: string) => ["sh", "-c", line];
const group = (name: string, ...runs: (readonly string[])[]) => ({
  name,
  candidates: runs.map((run) => ({ name, run, source: "Makefile" })),
});

async function tried(
  plan: {
    readonly setup?: readonly DetectedCommand[];
    readonly groups: readonly ReturnType<typeof group>[];
    readonly own?: Readonly<Record<string, string>>;
    readonly files?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  },
  progress: (text: string) => void = () => {},
) {
  await using repo = await tempRepo({ files: { ...FILES, ...plan.files }, commit: true });
  await using base = await tempFolder();
  await using parts = await enginePorts(base.path);
  const ports = { ...parts, signal: plan.signal ?? new AbortController().signal };
  for (const [path, text] of Object.entries(plan.own ?? {})) await repo.write(path, text);
  const facts = { id: "demo", path: repo.path, branch: "main", remote: null, host: null };
  using opened = await new RepoOpener(ports).open(facts, ports);
  const before = await repo.git("status", "--porcelain", "--ignored");
  const work = tryProject(ports, opened, { setup: [], source: "lock file", ...plan }, {
    programs: { has: (name) => name !== "no-such-tool" && name !== "pnpm" },
    signal: ports.signal,
    progress,
  });
  try {
    return await work;
  } finally {
    assert.equal(await repo.git("status", "--porcelain", "--ignored"), before);
    assert.equal((await repo.git("worktree", "list")).trim().split("\n").length, 1);
    assert.equal((await repo.git("branch", "--list")).trim(), "* main");
    assert.deepEqual(await ports.db.selectFrom("checks").selectAll().execute(), []);
  }
}

Deno.test("each candidate gets the verdict that its run gives it, and the first that runs is taken", async () => {
  const { report, checks, setup } = await tried({
    setup: [{ name: "deps", run: sh("mkdir -p deps; echo x > deps/tool; echo new > tracked.txt") }],
    groups: [group(
      "test",
      ["pnpm", "test"],
      sh("exit 3"),
      sh("echo more >> tracked.txt; sh tests/all_test.sh"),
      sh("echo x > left.txt; sh tests/all_test.sh"),
      sh("echo x > left.txt"),
      sh("sh tests/all_test.sh || true"),
      sh("test -e deps/tool && sh tests/all_test.sh"),
      ["sh", "never.sh"],
    )],
  });
  assert.deepEqual(
    report.commands.map(({ verdict, said }) =>
      `${verdict}: ${said.replace(/ \(whole output.*/, "")}`
    ),
    [
      'runs: passes; it rewrites "tracked.txt", which svc puts back',
      "missing_program: no such program on PATH: pnpm",
      "red: ended with exit code 3",
      'changes_files: passes, but rewrites "tracked.txt"',
      'changes_files: passes, but leaves "left.txt"',
      "cannot_fail: passes although tests/all_test.sh does not run",
      "cannot_fail: passes although tests/all_test.sh does not run",
      "runs: passes; fails where tests/all_test.sh does not run",
      "not_tried: another one runs",
    ],
  );
  assert.match(report.commands[1]!.remedy!, /corepack enable pnpm|npm install --global pnpm/);
  assert.deepEqual(checks, [{
    name: "test",
    run: sh("test -e deps/tool && sh tests/all_test.sh"),
  }]);
  assert.deepEqual(setup.map(({ name }) => name), ["deps"]);
  assert.deepEqual(report.commands.filter(({ chosen }) => chosen).map(({ name }) => name), [
    "deps",
    "test",
  ]);
});

Deno.test("what passes with the checkout's own files alone is said so, with their names", async () => {
  const { report, checks } = await tried({
    groups: [group("test", sh("test -e own.txt && test -e deps/tool"))],
    own: { "own.txt": "mine\n", "deps/tool": "x\n" },
  });
  const [one] = report.commands;
  assert.equal(one!.verdict, "needs_files");
  assert.match(one!.said, /passes with what only the checkout has: "deps", "own\.txt"/);
  assert.equal(checks.length, 1);
});

Deno.test("what a check prints of the checkout's own secrets is hidden", async () => {
  const secret = "tangerine-9f8e7d6c5b4a-harbour";
  const told: string[] = [];
  const { report } = await tried({
    groups: [group("test", sh("cat .env"))],
    own: { ".env": `SMTP_PASSWORD=${secret}\n` },
  }, (text) => told.push(text));
  assert.equal(report.commands[0]!.verdict, "needs_files");
  assert.match(told.join("\n"), /SMTP_PASSWORD=/);
  assert.ok(!told.join("\n").includes(secret), told.join("\n"));
});

Deno.test("a check that cannot fail is not taken; one whose program is missing is, and says so to each role", async () => {
  const { checks } = await tried({
    groups: [group("test", ["true"]), group("lint", ["no-such-tool", "."])],
  });
  assert.deepEqual(checks, [{ name: "lint", run: ["no-such-tool", "."] }]);
});

Deno.test("a set-up that fails is left out where the tests run without it, and stays where they do not", async () => {
  const setup = [{ name: "venv", run: ["true"] }, { name: "pip", run: sh("exit 1") }];
  const free = await tried({ setup, groups: [group("test", ["sh", "tests/all_test.sh"])] });
  assert.deepEqual(free.setup, []);
  assert.equal(free.report.commands[1]!.verdict, "red");
  const bound = await tried({ setup, groups: [group("test", sh("exit 1"))] });
  assert.deepEqual(bound.setup.map(({ name }) => name), ["venv", "pip"]);
});

Deno.test("a set-up that fails in one folder keeps no other folder from its own, nor its checks", async () => {
  const within = (folder: string, line: string) => sh(`cd ${folder} && ${line}`);
  const setup = [
    { name: "tests-venv", run: within("tests", "true") },
    { name: "tests-pip", run: within("tests", "exit 1") },
    { name: "deps-npm", run: sh("cd tests/.. && mkdir -p deps && echo x > deps/tool") },
  ];
  const passes = "sh tests/all_test.sh";
  const found = await tried({
    setup,
    groups: [
      group("tests-test", within("tests", `cd .. && ${passes}`)),
      group("deps-test", sh("exit 1"), within("tests/..", `test -e deps/tool && ${passes}`)),
    ],
  });
  assert.deepEqual(found.setup.map(({ name }) => name), ["deps-npm"]);
  assert.deepEqual(found.report.commands.slice(0, 3).map(({ verdict }) => verdict), [
    ...["runs", "red", "runs"],
  ]);
  assert.deepEqual(found.checks.map(({ run }) => run[2]), [
    `cd tests && cd .. && ${passes}`,
    `cd tests/.. && test -e deps/tool && ${passes}`,
  ]);
});

Deno.test("without its set-up a tree does not tell which check is best: the first is taken", async () => {
  const setup = [{ name: "pip", run: sh("exit 1") }];
  // As pytest of a venv that was not filled, and that of the system, which lacks the package.
  const pytest = group("test", ["pnpm", "test"], [".venv/bin/python", "x"], sh("exit 2"));
  const { checks } = await tried({ setup, groups: [pytest] });
  assert.deepEqual(checks.map(({ run }) => run[0]), [".venv/bin/python"]);
  const set = await tried({ groups: [pytest] });
  assert.deepEqual(set.checks.map(({ run }) => run[0]), ["sh"]);
  const runs = group("test", [".venv/bin/python", "x"], ["sh", "tests/all_test.sh"]);
  const able = await tried({ setup, groups: [runs] });
  assert.deepEqual(able.checks.map(({ run }) => run[0]), ["sh"]);
});

Deno.test("a trial that a person stops leaves nothing", async () => {
  const stop = new AbortController();
  const plan = {
    groups: [group("test", sh("echo began; while :; do sleep 60; done"))],
    signal: stop.signal,
  };
  const work = tried(plan, (text) => {
    if (text.endsWith("began")) stop.abort(new Error("stopped by a person"));
  });
  await assert.rejects(work, /stopped by a person/);
});

Deno.test("a check that gets files of git-lfs, as svc doctor advises, changes no files", async () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${
    "b".repeat(64)
  }\nsize 1\n`;
  const files = { ".gitattributes": "*.bin filter=lfs -text\n", "a.bin": pointer };
  const get = "printf x >a.bin && sh tests/all_test.sh";
  const { report } = await tried({ files, groups: [group("test", sh(get))] });
  assert.equal(report.commands[0]!.verdict, "runs", report.commands[0]!.said);
  const more = `${get} && echo new >tracked.txt`;
  const other = await tried({ files, groups: [group("test", sh(more))] });
  assert.match(other.report.commands[0]!.said, /rewrites "tracked.txt"$/);
});
