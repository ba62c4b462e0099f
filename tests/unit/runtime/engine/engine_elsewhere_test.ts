/** A person checks out something else while a role works: its work is handed on, and lands once they are back. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  ticketed,
  ticketsOf,
  watchedEngine,
} from "tests/unit/runtime/engine_place.ts";
import { call, finish, QA, turns } from "tests/unit/runtime/team.ts";

/** What would be waited for 10 s is given up after 0.2 s. */
const FAST = { ...systemClock, monotonic: () => 50 * systemClock.monotonic() };

const TIMES = { repoWaitMs: 200, pollMs: 50, settleMs: 200 };

const ELSEWHERE = {
  "a branch without the ticket": ["before"],
  "a branch with the ticket in the backlog": ["beside"],
  "no branch": ["--detach", "before"],
} as const;

for (const [what, where] of Object.entries(ELSEWHERE)) {
  Deno.test(`work that ends while ${what} is checked out is handed on`, async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path, { clock: FAST });
    const engineer = turns(
      call("file_write", { path: "fixed.txt", content: "fixed\n" }),
      call("git_commit", { message: "fix: it" }),
      () => {
        const args = ["switch", "--quiet", ...where];
        assert.ok(new Deno.Command("git", { args, cwd: repo.path }).outputSync().success);
        return finish("submitted");
      },
    );
    await using endpoint = modelEndpoint({ roles: { engineer, qa: QA } });
    const id = await registered(ports, repo.path);
    await repo.git("branch", "before");
    const ticket = await ticketed(ports, repo.path);
    await repo.git("branch", "beside");
    await queued(ports, id, "engineer", ticket);
    const { engine, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url, times: TIMES });
    await seen((event) => event.kind === "given_back" || event.kind === "ended");
    const [worked, next] = await jobLines(ports);
    assert.equal(worked, "engineer T-0001 completed submitted");
    // Claimed and given back, again and again, until the branch is there.
    assert.match(next ?? "", /^qa T-0001 (?:pending|running) -$/);
    await repo.git("switch", "--quiet", "main");
    engine.wake();
    await seen((event) => event.kind === "ended" && event.job.role === "qa");
    await engine.idle();
    await engine.stop();
    assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "done");
    assert.equal(await repo.git("show", "main:fixed.txt"), "fixed\n");
  });
}
