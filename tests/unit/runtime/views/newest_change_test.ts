import assert from "node:assert/strict";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { NewestChange } from "svc/runtime/views/newest_change.ts";
import { RepoFilesCache } from "svc/runtime/views/repo_files.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { enginePorts, harnessedRepo, registered } from "tests/unit/runtime/engine_place.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

Deno.test("NewestChange tells what happened in a repo, or in none, from what happened in others", async () => {
  await using store = await tempStore();
  const { db } = store;
  const happens = (type: "decision" | "job_turn", repoId?: string) =>
    recordEvent(db, { type, data: {}, ...(repoId !== undefined && { repoId }) }, 1);
  const before = await happens("decision", "a");
  const changes = new NewestChange(db);
  const marks = async () => [await changes.of("a"), await changes.of("b")];
  assert.deepEqual(await marks(), [before, before]);
  const inA = await happens("decision", "a");
  assert.deepEqual(await marks(), [inA, before]);
  await happens("job_turn", "b");
  assert.deepEqual(await marks(), [inA, before]);
  const inNone = await happens("decision");
  assert.deepEqual(await marks(), [inNone, inNone]);
});

Deno.test("RepoFilesCache reads a repo again for what happened there, and for nothing else", async () => {
  await using one = await harnessedRepo();
  await using other = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const id = await registered(ports, one.path);
  const otherId = await registered(ports, other.path);
  const [row] = (await listRepos(ports.db)).filter((repo) => repo.id === id);
  let now = 0;
  const clock = { ...ports.clock, monotonic: () => now };
  const cache = new RepoFilesCache({ ...ports, clock }, new RepoOpener(ports));
  const first = await cache.of(row!);
  await recordEvent(ports.db, { type: "job_update", repoId: otherId, data: {} }, 1);
  assert.equal(await cache.of(row!), first);
  await recordEvent(ports.db, { type: "job_update", repoId: id, data: {} }, 1);
  const second = await cache.of(row!);
  assert.notEqual(second, first);
  now += 60_000;
  assert.notEqual(await cache.of(row!), second);
});
