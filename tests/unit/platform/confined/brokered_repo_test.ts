import assert from "node:assert/strict";
import { capturedText } from "svc/core/head_tail.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { highestEver, rememberIds } from "svc/features/tickets/ticket_ids.ts";
import { systemClock } from "svc/platform/clock.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import type { Run } from "svc/platform/process/process.ts";
import { lockRepo, tryLockFile } from "svc/platform/git/repo_lock.ts";
import { refusal } from "tests/kit/refusal.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { confined } from "tests/unit/platform/confined_ports.ts";

/** Two repos that are admitted, one that is not, and a place for work trees. */
async function ground(profile: "observer" | "host" = "host") {
  const [one, two, other] = [
    await tempRepo({ files: { a: "a\n", "d/b": "b\n" }, commit: true }),
    await tempRepo({ files: { two: "2\n" }, commit: true }),
    await tempRepo({ files: { secret: "s\n" }, commit: true }),
  ];
  const home = await tempFolder("svc-worktrees-");
  const app = confined({ repos: [one.path, two.path], home: home.path, profile });
  return {
    ...{ one, two, other, home: home.path, app },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      for (const place of [one, two, other, home]) await place[Symbol.asyncDispose]();
    },
  };
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

for (const profile of ["observer", "host"] as const) {
  Deno.test(`several repos are read through the broker in the ${profile} profile`, async () => {
    await using at = await ground(profile);
    for (const [repo, file, content] of [[at.one, "a", "a\n"], [at.two, "two", "2\n"]] as const) {
      const opened = await at.app.git.open(repo.path);
      assert.deepEqual([opened.root, opened.branch], [repo.path, "main"]);
      using folder = await at.app.folder(repo.path);
      assert.equal(text((await folder.read(file, { maxBytes: 10 })).bytes), content);
      assert.equal(await folder.stat("absent"), undefined);
      assert.equal((await opened.status()).changes.length, 0);
      assert.equal(await at.app.commits.tip(opened), (await repo.git("rev-parse", "HEAD")).trim());
    }
    assert.deepEqual((await (await at.app.git.open(`${at.one.path}/d`)).trackedFiles()).paths, [
      "a",
      "d/b",
    ]);
  });
}

Deno.test("no other repo is reached: outside, nested, linked, or by a forged place", async () => {
  await using at = await ground();
  const { app, one, other } = at;
  const confinedTo = refusal("refused", /this run is confined to/);
  await at.one.git("init", "--quiet", "nested");
  await at.other.git("worktree", "add", "--quiet", "-b", "x", `${one.path}/linked`);
  await at.other.git("worktree", "add", "--quiet", "-b", "y", `${at.home}/foreign`);
  await Deno.symlink(other.path, `${one.path}/link`);
  const places = [other.path, `${one.path}/..`, "/", `${one.path}/nested`, `${one.path}/linked`];
  for (const path of [...places, `${at.home}/foreign`, `${one.path}/link`, `${one.path}x`]) {
    await assert.rejects(app.git.open(path), confinedTo, path);
    await assert.rejects(app.folder(path), confinedTo, path);
  }
  await assert.rejects(app.folder(`${one.path}/d`), confinedTo);
  await assert.rejects(app.git.open(`${at.home}/absent`), refusal("environment", /no such folder/));

  const opened = await app.git.open(one.path);
  const forged = { ...opened, gitDir: `${other.path}/.git`, commonDir: `${other.path}/.git` };
  assert.equal(await app.commits.tip(forged), (await one.git("rev-parse", "HEAD")).trim());
  using lock = await app.lockRepo(forged, { doing: "test", clock: systemClock });
  assert.equal(lock.path, `${one.path}/.git/svc.lock`);
  await assert.rejects(app.commits.tip({ ...opened, root: other.path }), confinedTo);
  for (const path of [`${other.path}/.git/svc-tickets.json`, `${one.path}/svc-tickets.json`]) {
    await assert.rejects(app.files.stat(path), refusal("refused", /no state of svc/));
  }
});

Deno.test("an observer is offered nothing that writes, locks, commits or starts a program", async () => {
  await using at = await ground("observer");
  const { app } = at;
  const repo = await app.git.open(at.one.path);
  using folder = await app.folder(at.one.path);
  const plan = { doing: "test", message: "test" };
  const merge = { doing: "test", into: "main", from: "main", message: "test" };
  const work = { doing: "test", path: `${at.home}/w`, branch: "svc/w", start: "main" };
  const run: Run = { program: "/bin/true", args: [], cwd: "/", env: {} };
  const calls: readonly (() => Promise<unknown>)[] = [
    () => folder.write("a", new Uint8Array()),
    () => folder.makeFolder("x"),
    () => folder.remove("a"),
    () => folder.rename("a", "b"),
    () => app.commits.commit(repo, folder, { ...plan, changes: [] }),
    () => app.commits.commitPaths(repo, folder, { ...plan, paths: [] }),
    () => app.commits.recover(repo, folder),
    () => app.lockRepo(repo, { doing: "test", clock: systemClock }),
    () => app.processes.run(run),
    () => app.processes.sweep("x"),
    () => app.worktrees.add(repo, work),
    () => app.worktrees.remove(repo, work.path),
    () => app.worktrees.move(repo, work.path, `${work.path}-2`),
    () => app.worktrees.merge(repo, merge),
    () => app.worktrees.mergeCommit(repo, merge),
    () => app.worktrees.pulled(repo, { ...merge, tip: "main", merged: "main", isOrigin: false }),
    () => app.worktrees.addsNothing(repo, "main", "main"),
    () => app.worktrees.deleteMerged(repo, "svc/w", "main"),
    () => app.files.writeAtomic(`${repo.commonDir}/svc-tickets.json`, "{}"),
  ];
  for (const call of calls) await assert.rejects(call, refusal("refused", /not offered/));
  assert.deepEqual(await app.worktrees.list(repo), []);
  assert.equal(await app.worktrees.patch(repo, "main", "main"), "");
});

Deno.test("work in a work tree, commit it, merge it, all by broker", async () => {
  await using at = await ground();
  const { app, one } = at;
  const repo = await app.git.open(one.path);
  const path = `${at.home}/demo/job`;
  using _lock = await app.lockRepo(repo, { doing: "test", clock: systemClock });
  const plan = { doing: "work", path, branch: "svc/T-0001", start: "main" };
  assert.equal((await app.worktrees.add(repo, plan)).branch, "svc/T-0001");
  const linked = await app.git.open(path);
  {
    using folder = await app.folder(path);
    await folder.write("new", new TextEncoder().encode("n\n"));
    const commit = { doing: "commit", message: "work", paths: ["new"] };
    const id = await app.commits.commitPaths(linked, folder, commit);
    assert.deepEqual(await app.worktrees.ahead(repo, "svc/T-0001", "main"), [id]);
  }
  const merge = { doing: "merge", into: "main", from: "svc/T-0001", message: "merge" };
  assert.equal((await app.worktrees.merge(repo, merge)).kind, "merged");
  assert.equal(await one.read("new"), "n\n");
  assert.equal(await app.worktrees.move(repo, path, `${path}-on`), true);
  assert.deepEqual((await (await app.git.open(`${path}-on`)).status()).changes, []);
  await app.worktrees.remove(repo, `${path}-on`);
  await assert.rejects(linked.status(), refusal("environment", /no such folder/));
  assert.equal(await app.worktrees.deleteMerged(repo, "svc/T-0001", "main"), true);
});

Deno.test("the checkout of the tickets works by broker, its state file too, but not through a link", async () => {
  await using at = await ground();
  using checkout = await openCheckout(
    { ...at.app, signal: new AbortController().signal, clock: systemClock },
    at.one.path,
  );
  const known = await highestEver(checkout, []);
  await rememberIds(checkout, { ...known, highest: 7 });
  assert.equal((await highestEver(checkout, [])).highest, 7);
  const path = `${at.one.path}/.git/svc-tickets.json`;
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  await Deno.remove(path);
  await Deno.symlink(`${at.other.path}/secret`, path);
  await assert.rejects(at.app.files.readText(path, { maxBytes: 10 }), refusal("refused", /link/));
});

Deno.test("a lock is held by the broker and let go of by the Worker, or with it", async () => {
  await using at = await ground();
  const mine = { root: at.one.path, commonDir: `${at.one.path}/.git` };
  const plan = { doing: "test", clock: systemClock, waitMs: 0 };
  const repo = await at.app.git.open(at.one.path);
  const lock = await at.app.lockRepo(repo, plan);
  assert.match(String(await tryLockFile(lock.path, plan)), /^process \d+, since/);
  lock[Symbol.dispose]();
  {
    using _again = await at.app.lockRepo(repo, plan);
    const stop = new AbortController();
    const waiting = at.app.lockRepo(repo, { ...plan, signal: stop.signal });
    stop.abort();
    await assert.rejects(waiting, refusal("interrupted", /./));
  }
  await at.app.lockRepo(repo, plan);
  await at.app[Symbol.asyncDispose]();
  (await lockRepo(mine, plan))[Symbol.dispose]();
});

Deno.test("a program's output comes as it is written, and its end is told", async () => {
  await using at = await ground();
  const script = "echo out; echo err >&2; cat; exit 3";
  const run: Run = {
    ...{ program: "/bin/sh", args: ["-c", script], cwd: at.one.path, env: { PATH: "/bin" } },
    stdin: new TextEncoder().encode("in\n"),
  };
  const got = { stdout: "", stderr: "" };
  const ended = await at.app.processes.run({
    ...run,
    onOutput: (chunk, stream) => void (got[stream] += text(chunk)),
  });
  assert.deepEqual(got, { stdout: "out\nin\n", stderr: "err\n" });
  assert.deepEqual([ended.code, capturedText(ended.stdout)], [3, "out\nin\n"]);
  await assert.rejects(
    at.app.processes.run({ ...run, program: "/absent" }),
    refusal("environment", /"\/absent": it, or the interpreter/),
  );
});

Deno.test("a program is given up by a signal, by its visitor, and never started after an abort", async () => {
  await using at = await ground();
  const run = (script: string): Run => ({
    ...{ program: "/bin/sh", args: ["-c", script], cwd: at.one.path, env: { PATH: "/bin" } },
  });
  const endless = "while :; do echo x; sleep 0.01; done";
  const stop = new AbortController();
  const ended = await at.app.processes.run({
    ...run(endless),
    signal: stop.signal,
    onOutput: () => stop.abort(),
  });
  assert.deepEqual([ended.cancelled, ended.code], [true, undefined]);
  const thrown = new Error("enough");
  const call = at.app.processes.run({
    ...run(endless),
    onOutput: () => Promise.reject(thrown),
  });
  await assert.rejects(call, (error) => error === thrown);
  const signal = AbortSignal.abort();
  const never = await at.app.processes.run({ ...run("touch made"), signal });
  assert.equal(never.cancelled, true);
  await assert.rejects(Deno.stat(`${at.one.path}/made`), Deno.errors.NotFound);
});

Deno.test("the end of the Worker ends the programs that it had started", async () => {
  await using at = await ground();
  const begun = Promise.withResolvers<number>();
  at.app.processes.run({
    ...{ program: "/bin/sh", args: ["-c", "echo $$; sleep 60"], cwd: "/", env: { PATH: "/bin" } },
    onOutput: (chunk) => begun.resolve(Number(text(chunk))),
  });
  const pid = await begun.promise;
  await at.app[Symbol.asyncDispose]();
  assert.throws(() => Deno.kill(pid, "SIGCONT"), Deno.errors.NotFound);
});

Deno.test("trees and objects come in batches, whole and in order", async () => {
  await using at = await ground();
  const big = "x".repeat(700_000);
  const files = Object.fromEntries(
    Array.from({ length: 70 }, (_, at) => [`f${at}`, at % 20 === 0 ? `${at}${big}` : `${at}`]),
  );
  await at.two.commit("many", files);
  const repo = await at.app.git.open(at.two.path);
  const paths = Object.keys(files);
  const seen: string[] = [];
  const progress: number[] = [];
  const plan = { root: repo.root, maxBytes: 1_000_000, signal: new AbortController().signal };
  await at.app.readTree({
    ...plan,
    paths: [...paths, "absent"],
    progress: (done) => progress.push(done),
  }, (path, content) => {
    seen.push(path);
    assert.equal(content instanceof Uint8Array ? text(content) : content, files[path] ?? "missing");
  });
  assert.deepEqual(seen, [...paths, "absent"]);
  assert.equal(progress.at(-1), 71);
  const aborted = { ...plan, paths, signal: AbortSignal.abort(new Error("stop")) };
  await assert.rejects(at.app.readTree(aborted, () => {}), /stop/);
  await assert.rejects(
    at.app.readTree({ ...plan, paths: ["d/../../x"] }, () => {}),
    refusal("refused", /leaves it/),
  );

  const entries = (await repo.indexEntries()).filter(({ path }) => path in files);
  const blobs: string[] = [];
  await repo.catFiles(entries.map(({ oid }) => oid), (blob) => {
    blobs.push(blob.state === "read" ? text(blob.bytes) : blob.state);
  });
  assert.deepEqual(blobs, entries.map(({ path }) => files[path]));
  const thrown = new Error("enough");
  await assert.rejects(
    repo.catFiles(entries.map(({ oid }) => oid), () => {
      throw thrown;
    }),
    (error) => error === thrown,
  );
});

Deno.test("a folder that the Worker gave back is closed, and it may not hold too many", async () => {
  await using at = await ground();
  const folder = await at.app.folder(at.one.path);
  folder[Symbol.dispose]();
  await assert.rejects(folder.read("a", { maxBytes: 1 }), refusal("internal", /let go of/));
  const held: Awaited<ReturnType<typeof openFolder>>[] = [];
  await assert.rejects(async () => {
    for (;;) held.push(await at.app.folder(at.one.path));
  }, refusal("too_busy", /more than 256/));
  assert.equal(held.length, 256);
});

Deno.test("the room on the disk of work trees is told, also before their folder is made", async () => {
  await using home = await tempFolder();
  await using app = confined({ repos: [], home: `${home.path}/not/yet`, profile: "observer" });
  assert.equal(await app.diskFree() > 0, true);
});
