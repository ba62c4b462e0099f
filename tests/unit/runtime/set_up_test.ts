/** The set-up of a work tree, and what a machine lacks: with the real engine, git and programs. */
import assert from "node:assert/strict";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  ticketed,
  ticketsOf,
} from "./engine_place.ts";
import { call, ENGINEER, finish, ORCHESTRATOR, QA, turns } from "./team.ts";

interface Scene {
  /** Shell text of the set-up; `$LOG` is a file outside of the repo. */
  readonly setup?: string;
  readonly check?: readonly string[];
  readonly engineer?: ReturnType<typeof turns>;
  readonly qa?: ReturnType<typeof turns>;
  readonly profile?: "host" | "observer";
  readonly files?: Readonly<Record<string, string>>;
  readonly tickets?: number;
}

const NEEDS_DEPS = ["sh", "-c", "test -e deps/tool && test -e fixed.txt"];
const INSTALL = "echo installed >> $LOG; mkdir -p deps; cp lock.json deps/tool";

/** Tickets from their engineer on, one after the other, until nothing is left to do. */
async function played(
  { setup = INSTALL, check = NEEDS_DEPS, profile = "host", tickets = 1, ...scene }: Scene,
) {
  await using base = await tempFolder();
  const log = `${base.path}/log`;
  const step = JSON.stringify(["sh", "-ec", setup.replaceAll("$LOG", log)]);
  const own = ["sh", "test.sh"].join(", ");
  await using repo = await harnessedRepo({
    files: {
      ".gitignore": "deps/\n",
      "package-lock.json": "1\n",
      "lock.json": "1\n",
      ...scene.files,
    },
    manifest: (text) =>
      text.replace("setup: []", `setup: [{ name: deps, run: ${step} }]`)
        .replace(`[${own}]`, JSON.stringify(check)),
  });
  await using ports = await enginePorts(base.path, { profile });
  const { engineer = ENGINEER, qa = QA } = scene;
  await using endpoint = modelEndpoint({ roles: { orchestrator: ORCHESTRATOR, engineer, qa } });
  const id = await registered(ports, repo.path);
  for (let number = 1; number <= tickets; number++) {
    const ticket = await ticketed(ports, repo.path);
    await queued(ports, id, "engineer", ticket);
    await carryOut(ports, endpoint.url);
  }
  const [ticket] = await ticketsOf(ports, repo.path);
  const checks = await ports.db.selectFrom("checks").selectAll().orderBy("id").execute();
  const decisions = await ports.db.selectFrom("decisions").select("inputs").execute();
  return {
    lines: (await jobLines(ports)).filter((line) => !line.startsWith("orchestrator")),
    state: ticket?.state,
    attempts: ticket?.attempts,
    unblock: ticket?.unblock?.action ?? "",
    text: ticket === undefined ? "" : await repo.read(ticket.path),
    ran: (await base.read("log").catch(() => "")).split("\n").filter((line) => line !== ""),
    checks,
    inputs: decisions.map(({ inputs }) => inputs),
    wholes: await Promise.all(checks.map(({ log_path }) => Deno.readTextFile(log_path))),
    prompts: endpoint.requests.map((request) => JSON.stringify(request)),
    checkout: await repo.git("status", "--porcelain", "--ignored"),
    trees: (await repo.git("worktree", "list")).trim().split("\n").length,
    branches: await repo.git("branch", "--list", "svc/*"),
  };
}

Deno.test("the set-up runs once for engineer and qa of a ticket, in their tree and never in the checkout", async () => {
  const { lines, state, ran, checks, checkout, wholes } = await played({});
  assert.deepEqual(lines, ["engineer T-0001 completed submitted", "qa T-0001 completed approved"]);
  assert.equal(state, "done");
  assert.deepEqual(ran, ["installed"]);
  assert.equal(checkout, "");
  // Its output is kept like that of a check.
  const [first] = checks;
  assert.deepEqual([first?.name, first?.outcome], ["set-up deps", "passed"]);
  assert.match(wholes[0]!, /sh.*-ec/);
});

Deno.test("the set-up runs again when a role commits another lock file, and when a role alters what it made", async () => {
  const relock = turns(
    call("command_run", { argv: ["sh", "-c", "echo 2 > package-lock.json"] }),
    call("file_write", { path: "fixed.txt", content: "fixed\n" }),
    call("git_commit", { message: "fix: it" }),
    finish("submitted"),
  );
  assert.deepEqual((await played({ engineer: relock })).ran, ["installed", "installed"]);
  const altered = turns(
    call("command_run", { argv: ["sh", "-c", "echo changed > deps/tool"] }),
    call("file_write", { path: "fixed.txt", content: "fixed\n" }),
    call("git_commit", { message: "fix: it" }),
    finish("submitted"),
  );
  const { ran, state } = await played({ engineer: altered });
  assert.deepEqual([ran, state], [["installed", "installed"], "done"]);
});

Deno.test("a new dependency is installed where the only lock file is not of its project", async () => {
  const depend = turns(
    call("command_run", { argv: ["sh", "-c", "echo '{}' > composer.json"] }),
    call("file_write", { path: "fixed.txt", content: "fixed\n" }),
    call("git_commit", { message: "fix: it" }),
    finish("submitted"),
  );
  assert.deepEqual((await played({ engineer: depend })).ran, ["installed", "installed"]);
});

Deno.test("the next ticket is worked on without another set-up, and no work tree is left", async () => {
  const again = turns(
    call("command_run", { argv: ["sh", "-c", "echo fixed >> fixed.txt"] }),
    call("git_commit", { message: "fix: it" }),
    finish("submitted"),
  );
  const { lines, ran, trees, branches, checkout } = await played({ tickets: 2, engineer: again });
  assert.deepEqual(lines.map((line) => line.split(" ").slice(0, 2).join(" ")), [
    "engineer T-0001",
    "qa T-0001",
    "engineer T-0002",
    "qa T-0002",
  ]);
  assert.deepEqual(ran, ["installed"]);
  assert.deepEqual([trees, branches, checkout], [1, "", ""]);
});

Deno.test("a set-up that fails blocks the ticket with its command and the end of its output, and spends no attempt", async () => {
  const { lines, state, attempts, unblock, trees, ran } = await played({
    setup: "echo began >> $LOG; mkdir deps; echo no route to registry.example; exit 7",
  });
  assert.deepEqual(lines, ["engineer T-0001 completed blocked"]);
  assert.deepEqual([state, attempts, ran], ["blocked", 0, ["began"]]);
  assert.match(unblock, /^Cannot set up a work tree with "sh -ec .*": ended with exit code 7/);
  assert.match(
    unblock,
    /its output ends: no route to registry\.example \(whole output: ~\/.*\.log\)/,
  );
  assert.match(unblock, /project\.setup in \.harness\/manifest\.yaml; then unblock the ticket$/);
  assert.equal(trees, 1);
});

Deno.test("a set-up that leaves what git does not ignore is refused: it would be committed with the work", async () => {
  const { state, unblock } = await played({ setup: "echo x > left.txt" });
  assert.equal(state, "blocked");
  assert.match(unblock, /it changes "left\.txt"\. Add what the set-up makes to \.gitignore/);
});

Deno.test("a set-up that rewrites committed files, as npm's prepare does, has them put back", async () => {
  const { state, checkout, wholes } = await played({
    setup: `${INSTALL}; echo rewritten > lock.json; chmod +x test.sh; rm .gitignore`,
    check: ["sh", "-c", "test $(cat lock.json) = 1 && test -e .gitignore && test -e fixed.txt"],
  });
  assert.deepEqual([state, checkout], ["done", ""]);
  assert.match(wholes[0]!, /rewritten > lock\.json/);
});

Deno.test("a rehearsal sets nothing up", async () => {
  const { ran, checks } = await played({ profile: "observer" });
  assert.deepEqual([ran, checks], [[], []]);
});

Deno.test("a check whose program PATH lacks blocks the ticket before a model is asked, and spends no attempt", async () => {
  for (const check of [["no-such-tool", "-q"], ["sh", "-c", "true && no-such-tool -q"]]) {
    const { lines, state, attempts, unblock, prompts, ran } = await played({ check });
    assert.deepEqual(lines, ["engineer T-0001 completed blocked"]);
    assert.deepEqual([state, attempts, ran, prompts], ["blocked", 0, ["installed"], []]);
    assert.match(unblock, /^Cannot run check "test", ".*no-such-tool -q": PATH has no program/);
    assert.match(
      unblock,
      /Install no-such-tool, or take "test" out of project\.checks in \.harness/,
    );
    assert.match(unblock, /; then unblock the ticket$/);
  }
});

Deno.test("a check of the tree that cannot start blocks the ticket with the remedy, and spends no attempt", async () => {
  const { lines, state, attempts, unblock } = await played({ check: ["./no-such-tool", "-q"] });
  assert.deepEqual(lines, ["engineer T-0001 completed blocked"]);
  assert.deepEqual([state, attempts], ["blocked", 0]);
  assert.match(unblock, /^Cannot run check "test", "\.\/no-such-tool -q": /);
  assert.match(unblock, /or name what installs it in project\.setup/);
});

Deno.test("the end of a red check is in the ticket, in the decision and in the next prompt, with the path of the whole", async () => {
  const wrong = turns(
    call("file_write", { path: "wrong.txt", content: "work\n" }),
    call("git_commit", { message: "fix: it" }),
    finish("submitted"),
    finish("submitted"),
  );
  const { text, inputs, prompts, state } = await played({
    engineer: wrong,
    check: ["sh", "-c", "echo 1..1; echo not ok 1 adds; exit 1"],
  });
  assert.equal(state, "blocked");
  const said =
    /its output ends: 1\.\.1 \| not ok 1 adds \(whole output: ~\/home\/traces\/outputs\//;
  assert.match(text, said);
  assert.match(inputs[0]!, said);
  assert.match(prompts.at(-1)!, said);
});
