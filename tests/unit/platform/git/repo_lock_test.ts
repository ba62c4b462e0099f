import assert from "node:assert/strict";
import type { Failure } from "svc/core/failure.ts";
import { systemClock } from "svc/platform/clock.ts";
import { holderOf, lockRepo, tryLockFile } from "svc/platform/git/repo_lock.ts";
import { type TempFolder, tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const PROGRAM = new URL("../count_under_lock.ts", import.meta.url).pathname;

function start(folder: TempFolder, ...more: string[]) {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", PROGRAM, folder.path, ...more],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

const plan = (more: { waitMs?: number; signal?: AbortSignal } = {}) => ({
  doing: "test",
  clock: systemClock,
  ...more,
});
const place = ({ path }: TempFolder) => ({ root: path, commonDir: path });

Deno.test("lockRepo lets one of two processes in at a time, in 100 races", async () => {
  await using folder = await tempFolder();
  await folder.write("number", "0");
  const ends = await Promise.all(
    [start(folder, "100"), start(folder, "100")].map((p) => p.output()),
  );
  assert.deepEqual(ends.map(({ code }) => code), [0, 0]);
  assert.equal(await folder.read("number"), "200");
});

Deno.test("lockRepo names the holder, and takes over when that is killed", async () => {
  await using folder = await tempFolder();
  const holder = start(folder, "1", "hold");
  const reader = holder.stdout.getReader();
  await reader.read();
  await assert.rejects(lockRepo(place(folder), plan({ waitMs: 60 })), (failure: Failure) => {
    assert.equal(failure.code, "conflict");
    assert.match(
      failure.message,
      new RegExp(`^Cannot test: svc with pid ${holder.pid} \\("count 0"`),
    );
    assert.match(failure.remedy, /svc\.lock/);
    assert.equal(failure.detail.waits, true);
    return true;
  });
  const waiting = lockRepo(place(folder), plan());
  holder.kill("SIGKILL");
  await holder.status;
  await reader.cancel();
  using lock = await waiting;
  const said = JSON.parse(await Deno.readTextFile(lock.path));
  assert.equal(said.pid, Deno.pid);
  assert.equal(said.doing, "test");
  assert.match(said.boot_id, /^[0-9a-f-]{36}$/);
});

Deno.test("lockRepo stops waiting when the signal comes", async () => {
  await using folder = await tempFolder();
  using _held = await lockRepo(place(folder), plan());
  const controller = new AbortController();
  const waiting = lockRepo(place(folder), plan({ signal: controller.signal }));
  controller.abort();
  await assert.rejects(waiting, { code: "interrupted" });
});

Deno.test("lockRepo lets those of one process in as they came, however short they would wait", async () => {
  await using folder = await tempFolder();
  const came: number[] = [];
  const first = await lockRepo(place(folder), plan());
  const gone = new AbortController();
  const waiting = [1, 2, 3, 4].map(async (number) => {
    const signal = number === 2 ? { signal: gone.signal } : {};
    using _lock = await lockRepo(place(folder), plan({ waitMs: 0, ...signal }));
    came.push(number);
  });
  gone.abort();
  await assert.rejects(waiting[1]!, { code: "interrupted" });
  assert.deepEqual(came, []);
  first[Symbol.dispose]();
  await Promise.all(waiting.filter((_, at) => at !== 1));
  assert.deepEqual(came, [1, 3, 4]);
});

Deno.test("lockRepo refuses a link, a hard link and a folder of its name", async () => {
  await using folder = await tempFolder();
  await folder.write("precious", "keep me");
  const path = `${folder.path}/svc.lock`;
  await Deno.symlink(`${folder.path}/precious`, path);
  await assert.rejects(lockRepo(place(folder), plan()), { code: "refused" });
  await Deno.remove(path);
  await Deno.link(`${folder.path}/precious`, path);
  await assert.rejects(lockRepo(place(folder), plan()), { code: "refused" });
  await Deno.remove(path);
  await Deno.mkdir(path);
  await assert.rejects(lockRepo(place(folder), plan()), { code: "failed" });
  assert.equal(await folder.read("precious"), "keep me");
});

Deno.test("tryLockFile says who holds it, and gives it to the next", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/start.lock`;
  const held = await tryLockFile(path, plan());
  assert.ok(typeof held !== "string");
  assert.match(
    String(await tryLockFile(path, plan())),
    new RegExp(`^process ${Deno.pid}, since 2`),
  );
  held[Symbol.dispose]();
  const next = await tryLockFile(path, plan());
  assert.ok(typeof next !== "string");
  next[Symbol.dispose]();
});

Deno.test("a lock that was given back is free at once, whatever other threads start meanwhile", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/start.lock`;
  const module = new URL("../../../kit/forking_worker.ts", import.meta.url);
  const forking = new Worker(module, { type: "module" });
  try {
    await new Promise((resolve) => forking.onmessage = resolve);
    for (let nth = 0; nth < 3_000; nth++) {
      const held = await tryLockFile(path, plan());
      assert.ok(typeof held !== "string", `try ${nth}: ${held} has it`);
      held[Symbol.dispose]();
    }
  } finally {
    forking.terminate();
  }
  assert.equal(await holderOf(path), undefined);
});

verifies(
  ["4.5:run:repo"],
  "whoever waits reads the holder, whatever a longer one left",
  async () => {
    await using folder = await tempFolder();
    (await lockRepo(place(folder), { ...plan(), doing: "long ".repeat(50) }))[Symbol.dispose]();
    using _held = await lockRepo(place(folder), plan());
    const { doing, pid } = JSON.parse(await folder.read("svc.lock"));
    assert.deepEqual({ doing, pid }, { doing: "test", pid: Deno.pid });
  },
);
