/** A repo of which no job can have a work tree: nothing is begun, and no ticket moves. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { takeTicket } from "svc/runtime/job/job_ticket.ts";
import { queued, reposIn, ticketed, ticketsOf } from "tests/unit/runtime/engine_place.ts";
import { startPlace } from "tests/unit/runtime/start_place.ts";

Deno.test("start refuses it with what is in the way and the command that mends it", async () => {
  const { parts, repo, ports, start, plan } = await startPlace();
  await using _parts = parts;
  await repo.git("branch", "svc");
  const refusal = Failure.from(await start().catch((thrown) => thrown));
  assert.equal(refusal.code, "refused");
  assert.match(refusal.message, /no job can have a work tree of it: its branch "svc" leaves git/);
  assert.equal(refusal.remedy, `git -C ${repo.path} branch --move svc svc-work`);
  assert.equal((await plan()).rule, "unfit_repo");
  const { id } = (await reposIn(ports)())[0]!;
  assert.equal((await repo.git("log", "--format=%s")).trim(), "first", id);
  await repo.git("branch", "--move", "svc", "svc-work");
  assert.equal((await start()).action, "bootstrap");
});

Deno.test("an observer rehearses there", async () => {
  const { parts, repo, plan } = await startPlace({ profile: "observer" });
  await using _parts = parts;
  await repo.git("branch", "svc");
  assert.equal((await plan()).rule, "bootstrap");
});

Deno.test("a job waits there with its ticket in the backlog", async () => {
  const { parts, repo, ports, id } = await startPlace();
  await using _parts = parts;
  const ticket = await ticketed(ports, repo.path);
  const job = await queued(ports, id, "engineer", ticket);
  await repo.git("branch", "svc");
  const head = await repo.git("rev-parse", "HEAD");
  const [row] = await reposIn(ports)();
  using opened = await new RepoOpener(ports).open(row!, ports);
  const role = await opened.role("engineer");
  const refusal = Failure.from(
    await takeTicket(ports, opened, job, role).catch((thrown) => thrown),
  );
  assert.equal(refusal.detail.waits, true);
  assert.match(refusal.message, /its branch "svc" .* branch --move svc svc-work$/);
  assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "backlog");
  assert.equal(await repo.git("rev-parse", "HEAD"), head);
});
