/** What the machine blocked, tried again by a service that goes on: real git and SQLite, a clock by hand. */
import assert from "node:assert/strict";
import { newSettlement, recordSettlement, settle } from "svc/features/routing/settlement_store.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { dueAgain, tryMended } from "svc/runtime/engine/mended.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  ticketed,
  ticketsOf,
} from "tests/unit/runtime/engine_place.ts";
import { TEAM } from "tests/unit/runtime/team.ts";

const MINUTE = 60_000;

Deno.test("dueAgain waits four times as long after each block, and ends after the fourth", () => {
  const minutes = [1, 2, 3, 4, 5].map((blocks) => {
    const due = dueAgain(1_000, blocks);
    return due === undefined ? undefined : (due - 1_000) / MINUTE;
  });
  assert.deepEqual(minutes, [15, 60, 240, 960, undefined]);
});

Deno.test("a service tries what the machine blocked again when its time has come, and nothing that a person blocked", async () => {
  const manifest = (text: string) =>
    text.replace("setup: []", 'setup: [{ name: deps, run: ["false"] }]');
  await using repo = await harnessedRepo({ manifest });
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint(TEAM);
  const id = await registered(ports, repo.path);
  await queued(ports, id, "engineer", await ticketed(ports, repo.path));
  await carryOut(ports, endpoint.url);
  const state = async () => (await ticketsOf(ports, repo.path))[0]!.state;
  assert.equal(await state(), "blocked");

  const signal = new AbortController().signal;
  const [row] = await listRepos(ports.db);
  using opened = await new RepoOpener(ports).open(row!, { signal });
  const later = (minutes: number) => {
    const now = ports.clock.now() + minutes * MINUTE;
    const clock = { ...ports.clock, now: () => now };
    return tryMended({ ...ports, clock, signal }, opened, { atOnce: false });
  };
  assert.deepEqual(await later(13), []);
  assert.equal(await state(), "blocked");
  // Somebody has decided already what becomes of it.
  const move = { from: "blocked", to: "backlog" } as const;
  const decided = { repoId: id, ticket: "T-0001", move, reason: "it is mended", actor: "ada" };
  const owed = newSettlement(decided, ports.clock.now());
  await recordSettlement(ports.db, owed);
  assert.deepEqual(await later(16), []);
  await settle(ports.db, owed.id, { state: "superseded", outcome: "", now: ports.clock.now() });
  assert.deepEqual(await later(16), ["T-0001"]);
  assert.equal(await state(), "backlog");

  // Tickets tell whole seconds.
  const clock = { ...ports.clock, now: () => ports.clock.now() + MINUTE };
  using ada = await new RepoOpener({ ...ports, clock }).open(row!, { signal });
  const order = { owner: "ada", action: "Choose a colour" };
  await ada.tickets.move("T-0001", { to: "in-progress", actor: "ada" });
  await ada.tickets.move("T-0001", { to: "blocked", unblock: order, actor: "ada" });
  assert.deepEqual(await later(100_000), []);
  assert.equal(await state(), "blocked");
});
