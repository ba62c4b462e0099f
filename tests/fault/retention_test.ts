/** Retention under kill -9, beside another svc, on a full and on a read-only disk, with a clock that is wrong. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { policyOf } from "svc/features/retention/policy.ts";
import { removalOf } from "svc/features/retention/removal_store.ts";
import { retentionState } from "svc/features/retention/state_store.ts";
import { Config } from "svc/features/settings/config_file.ts";
import { removeOwn } from "svc/platform/files/remove_below.ts";
import { retain } from "svc/runtime/retention/retain.ts";
import { retentionRound } from "svc/runtime/retention/retention_round.ts";
import { openStore } from "svc/store/open.ts";
import { sql } from "svc/store/query.ts";
import { cannotMount, tmpfs } from "tests/kit/odd_disks.ts";
import { signalled } from "tests/kit/signalled.ts";
import { DAY, NOW, type OldPlace, oldPlace } from "tests/unit/runtime/retention/old_place.ts";

const policy = policyOf(Config.parse({}));

/** A job without files is told of; one that is not told of has them all. */
async function nothingUntold(place: OldPlace, jobs: readonly string[]): Promise<number> {
  let gone = 0;
  for (const job of jobs) {
    const told = await removalOf(place.ports.db, job, "files") !== undefined;
    const left = place.filesOf(job).length;
    assert.ok(told || left === 3, `${job} has ${left} of 3 and no note`);
    if (left === 0) gone++;
  }
  const { rows } = await sql`PRAGMA integrity_check`.execute(place.ports.db);
  assert.deepEqual(Object.values(rows[0] as object), ["ok"]);
  return gone;
}

Deno.test("kill -9 leaves no job whose missing files nobody explains, and the next run ends the work", async () => {
  await using place = await oldPlace();
  const jobs: string[] = [];
  for (let nth = 0; nth < 30; nth++) jobs.push(await place.job(40 + nth));
  for (const after of [1, 25]) {
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        new URL("retain_forever.ts", import.meta.url).href,
        place.base,
      ],
      ...{ stdin: "null", stdout: "piped", stderr: "inherit" },
    }).spawn();
    let seen = 0;
    for await (const bytes of child.stdout) {
      seen += bytes.filter((byte) => byte === 10).length;
      if (seen >= after) signalled(child, "SIGKILL");
    }
    await child.status;
    assert.ok(seen >= after, "it ended by itself");
    await nothingUntold(place, jobs);
  }
  await place.retain();
  assert.equal(await nothingUntold(place, jobs), jobs.length);
});

Deno.test("two at once remove each thing once, and neither fails", async () => {
  await using place = await oldPlace();
  const jobs: string[] = [];
  for (let nth = 0; nth < 12; nth++) jobs.push(await place.job(500 + nth));
  await using other = await openStore(place.ports, `${place.base}/svc.db`);
  const plan = { policy: { ...policy, recordsLeft: 0 }, now: NOW, apply: true, repos: true };
  const both = await Promise.all([
    retain(place.ports, plan),
    retain({ ...place.ports, db: other.db }, plan),
  ]);
  assert.deepEqual(both.flatMap(({ problems }) => problems), []);
  const records = both.flatMap(({ groups }) => groups).filter(({ what }) => what === "job records");
  assert.equal(records.reduce((sum, { count }) => sum + count, 0), jobs.length);
  for (const job of jobs) assert.deepEqual(place.filesOf(job), []);
});

Deno.test("on a full disk the oldest files go before their time, and make room for the notes", {
  ignore: await cannotMount(),
}, async () => {
  await using disk = await tmpfs(6 * 1024);
  await using place = await oldPlace();
  const { ports, base } = place;
  const [old, young] = [await place.job(3), await place.job(0.2)];
  await Deno.writeFile(`${ports.home.traces}/outputs/${old}/deep/file`, new Uint8Array(600 * 1024));
  await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(ports.db);
  const moved = new Deno.Command("cp", {
    args: ["-a", ports.home.root, `${base}/svc.db`, disk.path],
  });
  assert.equal((await moved.output()).code, 0);
  const home = { ...ports.home, root: `${disk.path}/home`, traces: `${disk.path}/home/traces` };
  await using store = await openStore(ports, `${disk.path}/svc.db`);
  // To the last byte.
  await assert.rejects(async () => {
    for (let nth = 0;; nth++) {
      await Deno.writeFile(`${disk.path}/fill-${nth}`, new Uint8Array(nth < 100 ? 65_536 : 4096));
    }
  });
  const there = (job: string) => ports.files.stat(`${home.traces}/outputs/${job}`);
  const full = { ...ports, home, db: store.db, removeOwn: removeOwn(() => home.root) };
  await retain(full, { policy, now: NOW, apply: true, repos: false, wanted: 1e9 });
  assert.equal(await there(old), undefined);
  assert.ok(await there(young));
  assert.ok(await removalOf(store.db, old, "files"));
});

Deno.test("a disk that takes no line of the log is no reason not to tell what went", async () => {
  await using place = await oldPlace();
  const { ports } = place;
  const old = await place.job(90);
  await Deno.mkdir(`${ports.home.db}/other`, { recursive: true });
  await Deno.writeTextFile(`${ports.home.db}/other/svc.db`, "no database".repeat(1000));
  let asked = 0;
  const log = {
    ...ports.log,
    write() {
      asked++;
      throw new Failure("environment", "Cannot write the command log", { remedy: "Free space" });
    },
  };
  const { groups } = await retain({ ...ports, log }, {
    ...{ policy, now: NOW, apply: true, repos: false },
  });
  assert.equal(asked, 1);
  assert.deepEqual(groups.map(({ what }) => what), ["job files"]);
  assert.deepEqual(place.filesOf(old), []);
});

Deno.test("what a read-only disk keeps is told of, and nothing is half gone", {
  ignore: await cannotMount(),
}, async () => {
  await using disk = await tmpfs(8 * 1024);
  await using place = await oldPlace();
  const job = await place.job(40);
  const { ports } = place;
  const copied = new Deno.Command("cp", { args: ["-a", ports.home.root, disk.path] });
  assert.equal((await copied.output()).code, 0);
  const home = { ...ports.home, root: `${disk.path}/home`, traces: `${disk.path}/home/traces` };
  await disk.makeReadOnly();
  const at = { ...ports, home, removeOwn: removeOwn(() => home.root) };
  const { problems } = await retain(at, { policy, now: NOW, apply: true, repos: false });
  assert.equal(problems.length, 3);
  assert.match(problems.join(), /read-only/);
  assert.ok(await ports.files.stat(`${home.traces}/outputs/${job}/deep/file`));
});

function clockAt(place: OldPlace) {
  let at = NOW;
  const clock = { ...place.ports.clock, now: () => at };
  const look = { signal: place.ports.signal, quiet: true, freeBytes: 0 };
  return {
    async round(
      days: number,
      more: Partial<typeof look> & Partial<Pick<OldPlace["ports"], "settings">> & {
        free?: number;
      } = {},
    ) {
      const { free = 1e12, settings = place.ports.settings, ...asked } = more;
      at = NOW + days * DAY;
      const ports = { ...place.ports, settings, clock, diskFree: () => Promise.resolve(free) };
      return await retentionRound(ports, { ...look, ...asked });
    },
  };
}

Deno.test("a service runs it once a day at a quiet moment, and a clock far ahead removes nothing", async () => {
  await using place = await oldPlace();
  const job = await place.job(5);
  const { round } = clockAt(place);
  assert.equal(await round(0), undefined, "the first look believes nothing");
  assert.ok(await round(0.9), "the day's run");
  assert.equal(await round(1.2), undefined, "it ran today");
  assert.equal(await round(2, { quiet: false }), undefined, "a job runs");
  assert.ok(await round(2.2, { quiet: false }), "it cannot wait for ever");
  await round(3650);
  await round(3650.001);
  assert.equal(place.filesOf(job).length, 3, "ten years ahead for a minute");
  assert.ok(await round(3.3), "and back");
  assert.equal(place.filesOf(job).length, 3);
  for (const day of [9, 15, 21, 27]) assert.ok(await round(day));
  assert.deepEqual(place.filesOf(job), []);
});

Deno.test("a run that did not come to its end is made up for soon, not a day later", async () => {
  await using place = await oldPlace();
  const job = await place.job(60);
  const { round } = clockAt(place);
  await round(0);
  const killed = () => Promise.reject(new Error("killed"));
  await assert.rejects(round(0.9, { settings: killed }), /killed/);
  assert.equal(
    await round(0.92),
    undefined,
    "not at once: it may fail again, or still run elsewhere",
  );
  assert.ok(await round(0.95));
  assert.deepEqual(place.filesOf(job), []);
  assert.equal(await round(1.9), undefined, "it ran today");
});

Deno.test("a disk that is nearly full does not wait for the day's run", async () => {
  await using place = await oldPlace();
  const job = await place.job(2);
  const { round } = clockAt(place);
  await round(0);
  await round(0.9);
  assert.equal(place.filesOf(job).length, 3);
  assert.ok(await round(1, { quiet: false, freeBytes: 1e9, free: 5 }));
  assert.deepEqual(place.filesOf(job), []);
});

Deno.test("of two services on one database one takes the day's run", async () => {
  await using place = await oldPlace();
  const { round } = clockAt(place);
  await round(0);
  const both = await Promise.all([round(0.9), round(0.9)]);
  assert.equal(both.filter((one) => one !== undefined).length, 1);
  assert.equal((await retentionState(place.ports.db)).ran_at, NOW + 0.9 * DAY);
});

Deno.test("what goes wrong with one file is told, and does not stop the others", async () => {
  await using place = await oldPlace();
  const [bad, good] = [await place.job(50), await place.job(40)];
  const removeBut = (path: string) =>
    path.includes(`outputs/${bad}`)
      ? Promise.reject(new Failure("environment", `Cannot remove "${path}"`))
      : place.ports.removeOwn(path);
  const ports = { ...place.ports, removeOwn: removeBut };
  const { problems } = await retain(ports, { policy, now: NOW, apply: true, repos: true });
  assert.deepEqual(problems, [`Cannot remove "traces/outputs/${bad}"`]);
  assert.deepEqual([place.filesOf(bad).length, place.filesOf(good).length], [1, 0]);
});
