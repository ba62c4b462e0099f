/** What of the home goes that belongs to no job of the database at hand, and what stays. */
import assert from "node:assert/strict";
import { uuidV7 } from "svc/core/ids.ts";
import { systemClock } from "svc/platform/clock.ts";
import { endedJob } from "tests/kit/outcomes.ts";
import { registered } from "tests/unit/runtime/engine_place.ts";
import { openTestStore } from "tests/unit/store/temp_store.ts";
import { DAY, NOW, type OldPlace, oldPlace } from "./old_place.ts";

/** A file of the home that nobody has changed for so many days. */
async function aged({ ports: { home } }: OldPlace, path: string, days: number): Promise<string> {
  const whole = `${home.root}/${path}`;
  await Deno.mkdir(whole.slice(0, whole.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(whole, "x");
  const at = new Date(NOW - days * DAY);
  await Deno.utime(whole, at, at);
  return whole;
}

const there = (paths: readonly string[]) =>
  Promise.all(paths.map((path) => Deno.stat(path).then(() => true, () => false)));

Deno.test("files of jobs that no database knows stay for longer, and those of another's jobs stay", async () => {
  await using place = await oldPlace();
  const { ports, repo } = place;
  await using other = await openTestStore({ clock: systemClock }, `${ports.home.db}/else/svc.db`);
  const repoId = await registered({ ...ports, db: other.db }, repo.path);
  const known = await endedJob(other.db, {
    ...{ repoId, role: "qa", disposition: "submitted", at: NOW - 500 * DAY },
  });
  const trace = (job: string, days: number) => aged(place, `traces/else/${job}.jsonl`, days);
  const paths = [
    await trace(known, 500),
    await trace(uuidV7(NOW - 91 * DAY), 91),
    await trace(uuidV7(NOW - 89 * DAY), 89),
  ];
  await place.retain({ apply: false });
  assert.deepEqual(await there(paths), [true, true, true]);
  const { groups } = await place.retain();
  assert.deepEqual(await there(paths), [true, false, true]);
  assert.deepEqual(groups, [{ what: "job files", because: "age", count: 1, bytes: 1 }]);
});

Deno.test("old logs go that no check names, and old caches and what was never finished", async () => {
  await using place = await oldPlace();
  const { ports: { db }, repoId } = place;
  const named = await aged(place, "traces/logs/named.log", 500);
  await db.insertInto("checks").values({
    ...{ id: uuidV7(NOW), repo_id: repoId, name: "test", role: "engineer", command: "[]" },
    ...{ outcome: "passed", ending: "exited", exit_code: 0, signal: null, reason: null },
    ...{ started_at: NOW, duration_ms: 1, log_path: named },
  }).execute();
  const hex = "0123456789abcdef";
  const [young, old] = [0.5, 500];
  const stays = [
    named,
    await aged(place, "traces/logs/young.log", young),
    await aged(place, "cache/scan/young.json", young),
    await aged(place, `traces/push-${hex}`, young),
    await aged(place, "traces/logs/notes.txt", old),
    await aged(place, "cache/scan/notes.txt", old),
    await aged(place, "traces/push-of-mine", old),
  ];
  const goes = [
    await aged(place, "traces/logs/old.log", old),
    await aged(place, "cache/scan/old.json", old),
    await aged(place, `traces/push-${[...hex].reverse().join("")}`, 2),
    await aged(place, `cache/scan/.svc-tmp-${hex}01234567`, 2),
    await aged(place, "db/else/.svc.db.partial", 2),
  ];
  const { groups } = await place.retain();
  assert.deepEqual(await there(stays), stays.map(() => true));
  assert.deepEqual(await there(goes), goes.map(() => false));
  assert.deepEqual(groups.map(({ what, count }) => [what, count]), [
    ["caches", 1],
    ["unfinished files", 3],
    ["command logs", 1],
  ]);
});
