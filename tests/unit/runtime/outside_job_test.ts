/** A job on a ticket from outside: it only looks until a person has moved the ticket. */
import assert from "node:assert/strict";
import { enqueue } from "svc/features/jobs/job_store.ts";
import { findDecisions } from "svc/features/routing/decision_store.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import { denialsSince } from "svc/features/trust/denial_store.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { carryOut, enginePorts, harnessedRepo, registered, ticketed } from "./engine_place.ts";
import { call, finish, turns } from "./team.ts";

Deno.test("a job on a ticket from outside changes things once a person vouched for it", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  const script = turns(call("file_write", { path: "new.txt", content: "x\n" }), finish("blocked"));
  await using endpoint = modelEndpoint({ roles: { engineer: script } });
  await using ports = await enginePorts(base.path);
  const repo_id = await registered(ports, repo.path);
  const ticket_id = await ticketed(ports, repo.path, { source: "webhook:github" });
  const run = async () => {
    await enqueue(ports.db, {
      ...{ repo_id, role: "engineer", trigger: "manual", source_trust: "observer", ticket_id },
    }, ports.clock.now());
    await carryOut(ports, endpoint.url);
    const denials = await denialsSince(ports.db, repo_id, 0, 10);
    return denials.map(({ tool, part }) => `${tool} ${part}`);
  };
  assert.deepEqual(await run(), ["file_write source_trust"]);
  using checkout = await openCheckout(
    { ...ports, signal: new AbortController().signal },
    repo.path,
  );
  await moveTicket(checkout, ticket_id, { to: "backlog", force: true, actor: "Ada", vouch: true });
  assert.deepEqual(await run(), ["file_write source_trust"], "no other denial");
});

Deno.test("a ticket from outside is handed out once somebody vouches for it, and trusted then", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  const script = turns(call("file_write", { path: "new.txt", content: "x\n" }), finish("blocked"));
  await using endpoint = modelEndpoint({ roles: { engineer: script } });
  await using ports = await enginePorts(base.path);
  const repo_id = await registered(ports, repo.path);
  const id = await ticketed(ports, repo.path, { source: "webhook:github" });
  const dispatched = async () => {
    await enqueue(ports.db, {
      ...{ repo_id, role: "orchestrator", trigger: "liveness", source_trust: "contributor" },
    }, ports.clock.now());
    await carryOut(ports, endpoint.url);
    const rows = await ports.db.selectFrom("jobs").selectAll().orderBy("id").execute();
    return rows.filter(({ ticket_id }) => ticket_id === id).map(({ role, source_trust }) =>
      `${role} ${source_trust}`
    );
  };
  assert.deepEqual(await dispatched(), []);
  const [job] = await ports.db.selectFrom("jobs").selectAll().execute();
  const [decision] = await findDecisions(ports.db, job!.id);
  assert.equal(
    JSON.parse(decision!.inputs).evidence,
    "no ticket can be started; T-0001 waits for a person to vouch for it",
  );
  assert.equal(endpoint.requests.length, 0, "nobody is paid for it");
  using checkout = await openCheckout(
    { ...ports, signal: new AbortController().signal },
    repo.path,
  );
  await moveTicket(checkout, id, { to: "backlog", actor: "Ada", vouch: true });
  assert.deepEqual(await dispatched(), ["engineer contributor"]);
  assert.deepEqual(await denialsSince(ports.db, repo_id, 0, 10), []);
});
