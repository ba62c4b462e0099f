import assert from "node:assert/strict";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { NewestChange } from "svc/runtime/views/newest_change.ts";
import { RepoFilesCache } from "svc/runtime/views/repo_files.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

Deno.test("NewestChange tells what happened in a repo, or in none, from what happened in others", async () => {
  await using store = await tempStore();
  const { db } = store;
  const happens = (type: "decision" | "job_turn", repoId?: string) =>
    recordEvent(db, { type, data: {}, ...(repoId !== undefined && { repoId }) }, 1);
  await happens("decision", "a");
  const changes = new NewestChange(db);
  const marks = async () => [await changes.of("a"), await changes.of("b")];
  /** Which of the repos have changed since the marks that were told before. */
  let told = await marks();
  async function changed() {
    const [before, now] = [told, told = await marks()];
    return ["a", "b"].filter((_, at) => now[at]! > before[at]!);
  }
  assert.deepEqual(await changed(), []);
  await happens("decision", "a");
  assert.deepEqual(await changed(), ["a"]);
  await happens("decision", "a");
  await happens("job_turn", "b");
  assert.deepEqual(await changed(), ["a"]);
  await happens("decision");
  assert.deepEqual(await changed(), ["a", "b"]);
  // Who asks while somebody else's look is on its way may know of more.
  const early = changes.of("a");
  await happens("decision", "b");
  const late = changes.of("b");
  await early;
  assert.ok(await late > told[1]!);
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

Deno.test("RepoFilesCache keeps nothing of a repo that was let go, and its texts make room", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  const [row] = await listRepos(ports.db);
  const cache = new RepoFilesCache(ports, new RepoOpener(ports));
  const files = await cache.of(row!);
  const { path } = files.tickets[0]!;
  cache.keepOnly(new Set([row!.id]));
  assert.notEqual(files.texts.text(path), undefined);
  cache.keepOnly(new Set());
  assert.equal(files.texts.text(path), undefined);
  assert.notEqual(await cache.of(row!), files);
});
