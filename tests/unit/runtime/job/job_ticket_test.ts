/** How a job takes its ticket when somebody else moves it at the same moment. */
import assert from "node:assert/strict";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { takeTicket } from "svc/runtime/job/job_ticket.ts";
import { queued, reposIn, ticketed, ticketsOf } from "tests/unit/runtime/engine_place.ts";
import { type StartPlace, startPlace } from "tests/unit/runtime/start_place.ts";
import { verifies } from "tests/kit/verifies.ts";

/** @param meanwhile happens once the job has found its ticket in the backlog */
async function take(
  place: StartPlace,
  meanwhile: (ticket: string) => Promise<void>,
) {
  const { ports, repo, id } = place;
  const ticket = await ticketed(ports, repo.path);
  const job = await queued(ports, id, "engineer", ticket);
  const [row] = await reposIn(ports)();
  using opened = await new RepoOpener(ports).open(row!, ports);
  let finds = 0;
  const tickets = {
    ...opened.tickets,
    async find(wanted: string) {
      const found = await opened.tickets.find(wanted);
      if (finds++ === 0) await meanwhile(ticket);
      return found;
    },
  };
  return await takeTicket(ports, { ...opened, tickets }, job, await opened.role("engineer"));
}

verifies(
  ["3.2:startup:resumes-active-jobs"],
  "a ticket that the job's process before has moved a moment ago is the job's all the same",
  async () => {
    const place = await startPlace();
    await using _parts = place.parts;
    const taken = await take(place, (ticket) => place.move(ticket, "in-progress"));
    assert.equal(taken?.facts.state, "in-progress");
    const log = await place.repo.git("log", "--format=%s");
    assert.equal(log.match(/move T-0001 to in-progress/g)?.length, 1);
  },
);

verifies(
  ["3.2:startup:resumes-active-jobs"],
  "what else keeps the ticket in the backlog is said",
  async () => {
    const place = await startPlace();
    await using _parts = place.parts;
    const rename = async () => void await place.repo.git("branch", "--move", "main", "trunk");
    await assert.rejects(take(place, rename), /main/);
    assert.equal((await ticketsOf(place.ports, place.repo.path))[0]!.state, "backlog");
  },
);
