/** A start between a manual run and an engine: what one decided is what the other goes on with. */
import { RepoOpener } from "svc/features/repos/repo.ts";
import assert from "node:assert/strict";
import { harnessIn } from "svc/runtime/job/harness_source.ts";
import { manualRun } from "svc/runtime/run/manual_run.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { verifies } from "tests/kit/verifies.ts";
import { carryOut, jobLines, reposIn, ticketed, ticketsOf } from "./engine_place.ts";
import { startPlace } from "./start_place.ts";
import { TEAM } from "./team.ts";

const lines = ({ jobs }: { jobs: readonly { role: string; ticket_id?: string | null }[] }) =>
  jobs.map(({ role, ticket_id }) => `${role} ${ticket_id ?? "-"}`);

verifies(
  "3.2:startup:resumes-recent-dispositions",
  "a start follows what one manual run decided, and the team finishes the ticket",
  async () => {
    const { parts, repo, ports, plan, start } = await startPlace();
    await using _parts = parts;
    await using endpoint = modelEndpoint(TEAM);
    await ticketed(ports, repo.path);
    using opened = await new RepoOpener(ports).open((await reposIn(ports)())[0]!, ports);
    const { manifest } = await opened.manifest();
    const asked = { role: "engineer", ticket: undefined, task: undefined };
    const manual = {
      repo: opened,
      manifest: manifest!,
      definition: manifest!.roles.engineer!,
      harness: harnessIn(opened),
    };
    await manualRun(ports, manual, asked, { modelEndpoint: endpoint.url });
    assert.deepEqual(lines(await plan()), ["qa T-0001"]);
    const { saw, done } = await start();
    assert.match(
      saw.join("\n"),
      /"engineer" ended with submitted on T-0001, and "qa" was not queued/,
    );
    assert.equal(done.queued.length, 1);
    assert.equal((await plan()).action, "resume");
    await carryOut(ports, endpoint.url);
    assert.deepEqual(await jobLines(ports), [
      "engineer T-0001 completed submitted",
      "qa T-0001 completed approved",
      "orchestrator - completed no_work",
    ]);
    assert.equal((await ticketsOf(ports, repo.path))[0]!.state, "done");
    assert.deepEqual(lines(await plan()), ["ceo -"]); // nothing is left to follow
  },
);
