/** What a decision owes to a ticket, once the ticket is elsewhere: by a person, by a crash, on another branch, by another process. */
import assert from "node:assert/strict";
import { sql } from "kysely";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { newSettlement, recordSettlement } from "svc/features/routing/settlement_store.ts";
import { settlePending } from "svc/runtime/settle/settle.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  registered,
  ticketed,
  ticketsOf,
} from "tests/unit/runtime/engine_place.ts";

type Owed = Omit<Parameters<typeof newSettlement>[0], "repoId" | "ticket" | "reason" | "actor">;

/** A repo with a ticket of the backlog. */
async function place() {
  await using parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo());
  const base = parts.use(await tempFolder());
  const ports = {
    ...parts.use(await enginePorts(base.path)),
    signal: new AbortController().signal,
  };
  const repoId = await registered(ports, repo.path);
  const ticket = await ticketed(ports, repo.path);
  const open = async () => await new RepoOpener(ports).open((await listRepos(ports.db))[0]!, ports);
  const held = parts.move();
  return {
    repo,
    async begun(): Promise<void> {
      using opened = await open();
      await opened.tickets.move(ticket, { to: "in-progress", actor: "ada", reason: "so" });
    },
    async owe(owed: Owed): Promise<string> {
      const of = { repoId, ticket, reason: "it is so", actor: "agent:engineer" };
      const made = newSettlement({ ...of, ...owed }, ports.clock.now());
      await recordSettlement(ports.db, made);
      return made.id;
    },
    async settled(owed: Owed) {
      return await this.again(await this.owe(owed));
    },
    async settledElsewhere(): Promise<void> {
      using opened = await open();
      await settlePending({ ...ports, signal: new AbortController().signal }, opened);
    },
    /** @param meanwhile runs once what is owed was looked up, before any of it is settled */
    async again(id: string, meanwhile?: () => Promise<unknown>) {
      using opened = await open();
      const late: typeof opened.reopen = async (signal) => {
        await meanwhile?.();
        return await opened.reopen(signal);
      };
      await settlePending(ports, { ...opened, reopen: late });
      const row = await ports.db.selectFrom("settlements").selectAll().where("id", "=", id)
        .executeTakeFirstOrThrow();
      return { id, state: row.state, said: row.outcome ?? row.waits_for };
    },
    /** The database refuses that it ends. */
    async breaks(id: string): Promise<void> {
      await sql`CREATE TRIGGER odd BEFORE UPDATE OF state ON settlements
        WHEN NEW.id = ${sql.lit(id)} BEGIN SELECT RAISE(ABORT, 'the disk is odd'); END`
        .execute(ports.db);
    },
    async ticket() {
      const { state, attempts } = (await ticketsOf(ports, repo.path))[0]!;
      return { state, attempts };
    },
    told: async () =>
      (await ports.db.selectFrom("events").selectAll().where("type", "=", "ticket_update")
        .execute()).map(({ data }) => JSON.parse(data).to),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

Deno.test("an attempt counts for the ticket as it was, on its own branch alone", async () => {
  await using at = await place();
  const move = { from: "in-progress", to: "review" } as const;
  const overtaken = await at.settled({ move, attempt: true });
  assert.deepEqual([overtaken.state, overtaken.said], ["superseded", "T-0001 is backlog by now"]);
  assert.deepEqual(await at.ticket(), { state: "backlog", attempts: 0 });

  await at.repo.git("switch", "--quiet", "-c", "theirs");
  const waits = await at.settled({ attempt: true });
  assert.equal(waits.state, "pending");
  assert.equal(waits.said, '"main" to be checked out: "theirs" is');
  assert.equal((await at.ticket()).attempts, 0);
  await at.repo.git("switch", "--quiet", "main");
  const { state, said } = await at.again(waits.id);
  assert.deepEqual([state, said], ["done", "counted an attempt"]);
  assert.equal((await at.ticket()).attempts, 1);
});

Deno.test("a move that was made before a crash is told, and one that no ticket can make is let go", async () => {
  await using at = await place();
  await at.begun();
  const made = await at.settled({ move: { from: "backlog", to: "in-progress" } });
  assert.deepEqual([made.state, made.said], ["done", "moved to in-progress"]);
  assert.deepEqual(await at.told(), ["in-progress"]);

  const none = await at.settled({ move: { from: "in-progress", to: "done" } });
  assert.deepEqual([none.state, none.said], [
    "superseded",
    "no move leads from in-progress to done",
  ]);
  const late = await at.settled({ move: { from: "review", to: "done" } });
  assert.deepEqual([late.state, late.said], ["superseded", "T-0001 is in-progress by now"]);
  assert.deepEqual([await at.told(), (await at.ticket()).state], [["in-progress"], "in-progress"]);
});

Deno.test("a fault of svc in one thing that is owed keeps nothing else from being done", async () => {
  await using at = await place();
  await at.begun();
  const broken = await at.owe({ move: { from: "backlog", to: "in-progress" } });
  await at.breaks(broken);
  const next = await at.settled({ move: { from: "in-progress", to: "review" } });
  assert.deepEqual([next.state, (await at.ticket()).state], ["done", "review"]);
  const { state, said } = await at.again(broken);
  assert.equal(state, "pending");
  assert.equal(said, "a fault of svc to be over; its log tells of it");
});

Deno.test("a move that another process made in between is told once [1:serve:worker-pool]", async () => {
  await using at = await place();
  await at.begun();
  const id = await at.owe({ move: { from: "in-progress", to: "review" } });
  const { state, said } = await at.again(id, () => at.settledElsewhere());
  assert.deepEqual([state, said], ["done", "moved to review"]);
  assert.deepEqual(await at.told(), ["review"]);
});
