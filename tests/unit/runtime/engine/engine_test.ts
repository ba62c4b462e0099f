/** The engine with real git, processes, SQLite and HTTP: whole lives of tickets. */
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
} from "tests/unit/runtime/engine_place.ts";
import { call, ENGINEER, finish, ORCHESTRATOR, QA, TEAM, turns } from "tests/unit/runtime/team.ts";

Deno.test("an engine carries a project from the first plan to the merge", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint(TEAM);
  await queued(ports, await registered(ports, repo.path), "ceo");
  await carryOut(ports, endpoint.url);
  assert.deepEqual(await jobLines(ports), [
    "ceo - completed planned",
    "orchestrator - completed routed",
    "engineer T-0001 completed submitted",
    "qa T-0001 completed approved",
    "orchestrator - completed no_work",
  ]);
  const [ticket] = await ticketsOf(ports, repo.path);
  assert.equal(ticket!.state, "done");
  const text = await repo.read(ticket!.path);
  for (const move of ["backlog → in-progress", "in-progress → review", "review → done"]) {
    assert.match(text, new RegExp(`^- \\S+Z · agent:\\w+ · ${move}`, "m"));
  }
  assert.equal(await repo.read("fixed.txt"), "fixed\n");
  assert.deepEqual((await repo.git("log", "--first-parent", "--format=%s")).trim().split("\n"), [
    "chore(tickets): move T-0001 to done",
    "chore(merge): merge svc/T-0001-make-the-test-pass into main",
    "chore(tickets): move T-0001 to review",
    "chore(tickets): move T-0001 to in-progress",
    "chore(tickets): create T-0001",
    "first",
  ]);
  assert.equal(await repo.git("status", "--porcelain"), "");
  const decisions = await ports.db.selectFrom("decisions").selectAll().execute();
  assert.equal(decisions.length, 5);
  assert.equal((await repo.git("worktree", "list")).trim().split("\n").length, 1);
  assert.equal(await repo.git("branch", "--list", "svc/*"), "");
  assert.equal((await jobLines(ports)).length, 5);
});

Deno.test("a change that is sent back is mended by the same role, and then merged", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const again = turns(
    call("file_write", { path: "more.txt", content: "more\n" }),
    call("git_commit", { message: "fix: say more" }),
    finish("submitted"),
  );
  const sentBack = turns(finish("changes_requested"));
  await using endpoint = modelEndpoint({
    roles: { orchestrator: ORCHESTRATOR, engineer: [ENGINEER, again], qa: [sentBack, QA] },
  });
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  await queued(ports, id, "orchestrator");
  await carryOut(ports, endpoint.url);
  assert.deepEqual((await jobLines(ports)).slice(1, -1), [
    "engineer T-0001 completed submitted",
    "qa T-0001 completed changes_requested",
    "engineer T-0001 completed submitted",
    "qa T-0001 completed approved",
  ]);
  const [ticket] = await ticketsOf(ports, repo.path);
  assert.deepEqual([ticket!.state, ticket!.rework, ticket!.attempts], ["done", 1, 0]);
  assert.equal(await repo.read("more.txt"), "more\n");
});

Deno.test("a role that is blocked leaves its ticket to a person, and the next one is taken", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint({
    roles: { ...TEAM.roles, engineer: turns(finish("blocked", { evidence: "Which currency?" })) },
  });
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  await queued(ports, id, "orchestrator");
  await carryOut(ports, endpoint.url);
  const [ticket] = await ticketsOf(ports, repo.path);
  assert.equal(ticket!.state, "blocked");
  assert.deepEqual(ticket!.unblock, { owner: "maintainer", action: "Which currency?" });
  assert.equal(await repo.git("log", "--merges", "--format=%s"), "");
});
