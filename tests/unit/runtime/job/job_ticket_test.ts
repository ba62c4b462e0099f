/** How a job takes its ticket when somebody else moves it at the same moment. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { type Repo, RepoOpener } from "svc/features/repos/repo.ts";
import { nothingToDo, overtaken, takeTicket } from "svc/runtime/job/job_ticket.ts";
import { queued, reposIn, ticketed, ticketsOf } from "tests/unit/runtime/engine_place.ts";
import { type StartPlace, startPlace } from "tests/unit/runtime/start_place.ts";
import { verifies } from "tests/kit/verifies.ts";

/** @param meanwhile happens once the job has found its ticket in the backlog */
async function take(
  place: StartPlace,
  meanwhile: (ticket: string) => Promise<void>,
  more: Partial<Repo["tickets"]> = {},
) {
  const { ports, repo, id } = place;
  const ticket = await ticketed(ports, repo.path);
  const job = await queued(ports, id, "engineer", ticket);
  const [row] = await reposIn(ports)();
  using opened = await new RepoOpener(ports).open(row!, ports);
  let finds = 0;
  const tickets = {
    ...opened.tickets,
    ...more,
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

Deno.test("a move that fails leaves its job without the ticket", async () => {
  const place = await startPlace();
  await using _parts = place.parts;
  const move = () => Promise.reject(new Failure("environment", "Cannot move T-0001", {}));
  await assert.rejects(take(place, async () => {}, { move }), { message: "Cannot move T-0001" });
});

Deno.test("a job is overtaken by the end of its ticket, unless a person or the ticket's own move asked for it", async () => {
  const { parts, ports } = await startPlace();
  await using _parts = parts;
  using opened = await new RepoOpener(ports).open((await reposIn(ports)())[0]!, ports);
  const said = async (
    state: "in-progress" | "blocked" | "done",
    { role = "engineer", trigger = "route", profile = "host" }: {
      readonly role?: string;
      readonly trigger?: "manual" | "route" | "ticket";
      readonly profile?: "host" | "observer";
    } = {},
  ) => {
    const list = () => Promise.resolve({ tickets: [{ id: "T-0001", state }] });
    const repo = { tickets: { list } } as unknown as Pick<Repo, "tickets">;
    const job = { trigger, ticket_id: "T-0001", unique_key: null };
    return await overtaken({ ...ports, profile }, repo, job, await opened.role(role));
  };
  assert.equal(await said("in-progress"), undefined);
  for (const state of ["blocked", "done"] as const) {
    assert.equal(await said(state), `T-0001 is ${state}`);
    assert.equal(await said(state, { trigger: "manual" }), undefined);
    assert.equal(await said(state, { profile: "observer" }), undefined);
    // A role that works on no tickets may look at one that is over.
    assert.equal(await said(state, { role: "ceo" }), undefined);
  }
  assert.equal(await said("blocked", { trigger: "ticket" }), undefined);
  assert.equal(await said("done", { trigger: "ticket" }), "T-0001 is done");
});

Deno.test("a run by hand without a ticket has nothing to do, unless it was told what", async () => {
  const { parts, ports } = await startPlace();
  await using _parts = parts;
  using opened = await new RepoOpener(ports).open((await reposIn(ports)())[0]!, ports);
  const engineer = await opened.role("engineer");
  const nothing = (payload: Record<string, string>) =>
    nothingToDo(
      {
        ...{ role: "engineer", trigger: "manual", ticket_id: null },
        payload: JSON.stringify(payload),
      },
      engineer,
    );
  assert.equal(nothing({}), 'no ticket for "engineer" can be started');
  for (const asked of ["task", "branch", "earlier"]) {
    assert.equal(nothing({ [asked]: "x" }), undefined);
  }
});
