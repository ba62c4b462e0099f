/** A job on a ticket from outside: it only looks until a person has moved the ticket. */
import assert from "node:assert/strict";
import { enqueue } from "svc/features/jobs/job_store.ts";
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

Deno.test("a ticket from outside that svc hands out is trusted no more for that", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  const script = turns(call("file_write", { path: "new.txt", content: "x\n" }), finish("blocked"));
  await using endpoint = modelEndpoint({ roles: { engineer: script } });
  await using ports = await enginePorts(base.path);
  const repo_id = await registered(ports, repo.path);
  await ticketed(ports, repo.path, { source: "webhook:github" });
  await enqueue(ports.db, {
    ...{ repo_id, role: "orchestrator", trigger: "liveness", source_trust: "contributor" },
  }, ports.clock.now());
  await carryOut(ports, endpoint.url);
  const [, work] = await ports.db.selectFrom("jobs").selectAll().orderBy("id").execute();
  assert.deepEqual([work!.role, work!.ticket_id, work!.source_trust], [
    ...["engineer", "T-0001", "observer"],
  ]);
  const denials = await denialsSince(ports.db, repo_id, 0, 10);
  assert.deepEqual(denials.map(({ tool, part }) => `${tool} ${part}`), ["file_write source_trust"]);
});
