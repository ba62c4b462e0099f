/** The audit of a repo that other nodes work on, too: what it saw may be over. */
import assert from "node:assert/strict";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { auditTickets } from "svc/runtime/engine/liveness.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import {
  enginePorts,
  harnessedRepo,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";

verifies(
  "3.2:startup:resumes-active-jobs",
  "the audit queues nothing for a ticket that another node has moved meanwhile",
  async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using parts = await enginePorts(base.path);
    const ports = { ...parts, signal: new AbortController().signal };
    await registered(parts, repo.path);
    using opened = await new RepoOpener(ports).open((await listRepos(ports.db))[0]!, ports);
    const ticket = await ticketed(parts, repo.path);
    using checkout = await openCheckout(ports, repo.path);
    const move = (to: "in-progress" | "review") =>
      moveTicket(checkout, ticket, { to, branch: "svc/one", actor: "ada" });
    await move("in-progress");
    const fetching = (refresh: () => Promise<unknown>) => ({
      ...opened,
      shared: { refresh } as unknown as NonNullable<typeof opened.shared>,
    });
    const moved = await auditTickets(ports, fetching(() => move("review")));
    assert.deepEqual(moved.audited, []);
    const stuck = await auditTickets(ports, fetching(() => Promise.resolve()));
    assert.deepEqual(stuck.audited.map(({ verdict }) => verdict), ["queue"]);
    assert.equal((await ports.db.selectFrom("jobs").selectAll().execute()).length, 1);
  },
);
