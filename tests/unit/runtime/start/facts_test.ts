/** What `start` finds in real repos and databases. */
import assert from "node:assert/strict";
import { verifies } from "tests/kit/verifies.ts";
import { jobLines, ticketed, ticketsOf } from "tests/unit/runtime/engine_place.ts";
import { type Ports, startPlace } from "tests/unit/runtime/start_place.ts";

Deno.test("a start of a fresh repo seeds the bootstrap role once, however often it is run", async () => {
  const { parts, ports, start } = await startPlace();
  await using _parts = parts;
  const first = await start();
  assert.deepEqual([first.rule, first.done.queued[0]!.existed], ["bootstrap", false]);
  assert.deepEqual((await start()).rule, "resume");
  assert.deepEqual(await jobLines(ports), ["ceo - pending -"]);
});

Deno.test("a start takes back the job of a process that died, and resumes it", async () => {
  const { parts, repo, ports, held, move, start } = await startPlace();
  await using _parts = parts;
  await ticketed(ports, repo.path);
  await move("T-0001", "in-progress");
  await held("engineer", "T-0001", "dead");
  const { rule, action, saw } = await start();
  assert.deepEqual([rule, action], ["resume", "resume"]);
  assert.equal(saw[0], "1 job of a process that died");
  assert.deepEqual(await jobLines(ports), ["engineer T-0001 pending -"]);
});

Deno.test("a start does not count on a dead job that has no attempt left", async () => {
  const { parts, ports, held, start } = await startPlace();
  await using _parts = parts;
  const { id } = await held("ceo", undefined, "dead");
  await ports.db.updateTable("jobs").set({ max_attempts: 1, unique_key: "held" })
    .where("id", "=", id).execute();
  assert.equal((await start()).rule, "bootstrap");
  assert.deepEqual(await jobLines(ports), ["ceo - failed internal_error", "ceo - pending -"]);
});

Deno.test("a start beside a living one is refused, and names it", async () => {
  const { parts, held, start } = await startPlace();
  await using _parts = parts;
  const { id } = await held("ceo", undefined, "parent");
  await assert.rejects(start(), {
    code: "conflict",
    message: new RegExp(`worked on already, by process ${Deno.ppid}, which runs job ${id}$`),
  });
});

Deno.test("a branch that is gone is a loss only where its work is nowhere else", async () => {
  const { parts, repo, ports, ended, held, move, facts, plan } = await startPlace();
  await using _parts = parts;
  const tip = async (ref: string) => (await repo.git("rev-parse", ref)).trim();
  const lost = async () => (await facts()).lost;
  await ticketed(ports, repo.path);
  await move("T-0001", "in-progress");
  assert.deepEqual(await lost(), [{ ticket: "T-0001", branch: "svc/T-0001", commit: undefined }]);
  assert.equal((await plan()).rule, "lost_work");

  await held("engineer", "T-0001", "dead"); // killed before it had a work tree
  assert.deepEqual(await lost(), []);
  await ports.db.deleteFrom("jobs").execute();

  await repo.git("branch", "svc/T-0001");
  assert.deepEqual(await lost(), []);
  await ended("engineer", "T-0001", { disposition: "no_work", head_commit: await tip("main") });
  await repo.git("branch", "-D", "svc/T-0001");
  assert.deepEqual(await lost(), []); // all of it is in main

  await repo.git("switch", "--quiet", "--create", "svc/T-0001");
  await repo.git("commit", "--quiet", "--allow-empty", "--message", "work");
  const commit = await tip("HEAD");
  await repo.git("switch", "--quiet", "main");
  await ended("engineer", "T-0001", { disposition: "submitted", head_commit: commit });
  await repo.git("branch", "-D", "svc/T-0001");
  assert.deepEqual(await lost(), [{ ticket: "T-0001", branch: "svc/T-0001", commit }]);
  const { refusal } = await plan();
  const remedy = /git -C (\S+) branch (\S+) (\w+)/.exec(refusal!.remedy)!;
  await repo.git("branch", remedy[2]!, remedy[3]!);
  assert.equal((await plan()).action, "reconcile");
});

verifies(
  ["3.2:startup:resumes-in-progress-tickets", "3.2:startup:resumes-rework-tickets"],
  "a ticket in progress or in rework whose job is gone gets one, and nothing is bootstrapped",
  async () => {
    const { parts, repo, ports, move, start } = await startPlace();
    await using _parts = parts;
    for (const title of ["One", "Two"]) await ticketed(ports, repo.path, { title });
    await move("T-0001", "in-progress");
    await move("T-0002", "in-progress", "review", "in-progress");
    for (const id of ["T-0001", "T-0002"]) await repo.git("branch", `svc/${id}`);
    const tickets = await ticketsOf(ports, repo.path);
    assert.deepEqual(tickets.map(({ state, rework }) => [state, rework]), [
      ...[["in-progress", 0], ["in-progress", 1]],
    ]);
    const { action, saw } = await start();
    assert.equal(action, "reconcile", saw.join("\n"));
    assert.equal((await start()).action, "resume");
    assert.deepEqual((await jobLines(ports)).sort(), [
      ...["engineer T-0001 pending -", "engineer T-0002 pending -"],
    ]);
  },
);

Deno.test("an unreadable ticket is named, and a new lifecycle begins beside it", async () => {
  const { parts, repo, ports, start } = await startPlace();
  await using _parts = parts;
  await Deno.writeTextFile(`${repo.path}/docs/tickets/backlog/T-0009-x.md`, "no front matter\n");
  await assert.rejects(start(), { code: "conflict", message: /T-0009-x\.md/ });
  assert.deepEqual(await jobLines(ports), []);
  assert.equal((await start({ newLifecycle: true })).action, "new_lifecycle");
  assert.deepEqual(await jobLines(ports), ["ceo - pending -"]);
});

Deno.test("a git operation and another branch are refused to a host, and no matter to an observer", async () => {
  const { parts, repo, ports, facts, start } = await startPlace();
  await using _parts = parts;
  await repo.git("switch", "--quiet", "--create", "mine");
  await assert.rejects(start(), { code: "conflict", message: /"mine" is checked out$/ });
  await repo.git("switch", "--quiet", "main");
  await Deno.writeTextFile(`${repo.path}/.git/MERGE_HEAD`, await repo.git("rev-parse", "HEAD"));
  await assert.rejects(start(), { code: "conflict", message: /a merge is going on$/ });
  const observer: Ports = { ...ports, profile: "observer" };
  assert.equal((await facts({}, observer)).checkout.operation, "merge");
  assert.equal((await start({}, observer)).action, "bootstrap");
});
