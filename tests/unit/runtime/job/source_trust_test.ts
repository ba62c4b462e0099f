import assert from "node:assert/strict";
import { createTickets, moveTicket, ticketsOf } from "svc/features/tickets/tickets.ts";
import { jobTrust, ticketTrust } from "svc/runtime/job/source_trust.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { checkoutAt, draft } from "tests/unit/features/tickets/ticket_checkout.ts";

async function siteOf() {
  await using held = new AsyncDisposableStack();
  const repo = held.use(await tempRepo({ files: { a: "1\n" }, commit: true }));
  const checkout = held.use(await checkoutAt(repo.path));
  const create = async (source: string) =>
    (await createTickets(checkout, [draft(`from ${source}`, { source })], { actor: source }))
      .created[0]!;
  const parts = held.move();
  return {
    repo,
    checkout,
    tickets: ticketsOf(checkout),
    create,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

Deno.test("a ticket from outside is trusted once a person has moved it, in mid-run too", async () => {
  await using at = await siteOf();
  const ticket = await at.create("webhook:github");
  const asked = { source_trust: "observer", ticket } as const;
  const trust = () => jobTrust(at, asked);
  assert.equal(await trust(), "observer");
  await moveTicket(at.checkout, ticket.id, { to: "in-progress", actor: "agent:engineer" });
  assert.equal(await trust(), "observer", "the runtime vouches for nobody");
  const handedOut = await jobTrust(at, { source_trust: "contributor", ticket });
  assert.equal(handedOut, "observer", "whoever handed it out vouches for nobody");
  assert.equal(await ticketTrust(at, ticket.id), "observer");
  const moved = await moveTicket(at.checkout, ticket.id, {
    to: "backlog",
    actor: "Ada",
    vouch: true,
  });
  assert.equal(moved.ticket.vouched, "Ada");
  assert.equal(await trust(), "contributor");
  await moveTicket(at.checkout, ticket.id, { to: "in-progress", actor: "Eve", vouch: true });
  assert.match(
    await at.repo.read(`docs/tickets/in-progress/${nameOf(ticket.path)}`),
    /^vouched: Ada$/m,
  );
  await Deno.remove(`${at.repo.path}/docs/tickets`, { recursive: true });
  assert.equal(await trust(), "observer", "nobody vouches for what is gone");
});

Deno.test("what a stranger asked for on somebody else's ticket stays a stranger's", async () => {
  await using at = await siteOf();
  const ticket = await at.create("human");
  const moved = await moveTicket(at.checkout, ticket.id, {
    ...{ to: "in-progress", actor: "Ada", vouch: true },
  });
  assert.equal(moved.ticket.vouched, undefined, "it needs no vouching for");
  const trust = (source_trust: "contributor" | "observer", given = true) =>
    jobTrust(at, { source_trust, ticket: given ? ticket : undefined });
  assert.equal(await trust("observer"), "observer");
  assert.equal(await trust("observer", false), "observer");
  assert.equal(await trust("contributor"), "contributor");
});

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
