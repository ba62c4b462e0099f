import assert from "node:assert/strict";
import { sha256 } from "svc/core/digest.ts";
import { Failure } from "svc/core/failure.ts";
import {
  type FileOperation,
  type FileVersion,
  type OperationStep,
  pendingEarlier,
  runOperation,
  settleEarlier,
} from "svc/platform/files/journal.ts";
import { treeHash } from "tests/kit/script.ts";
import { type TempFolder, tempFolder } from "tests/kit/temp_repo.ts";
import { deskAt, type Fuse, Killed } from "tests/unit/platform/journal_faults.ts";

const encode = (text: string) => new TextEncoder().encode(text);

async function version(text: string, mode?: number): Promise<FileVersion> {
  const bytes = encode(text);
  const plain = { sha256: await sha256(bytes), content: bytes.toBase64() };
  return mode === undefined ? plain : { ...plain, mode };
}

const file = (
  path: string,
  before: FileVersion | null,
  after: FileVersion | null,
): OperationStep => ({
  kind: "file",
  path,
  before,
  after,
});

/** A repo in which one operation makes, changes and removes files and folders, two outside of it. */
async function yard(): Promise<
  TempFolder & { operation: FileOperation; repo: string; home: string }
> {
  const place = await tempFolder();
  await place.write("repo/changed.txt", "old");
  await place.write("repo/script.sh", "old script", { executable: true });
  await place.write("repo/gone/last.txt", "to go");
  await place.write("git/hook", "old hook", { executable: true });
  await place.write("home/db/demo/svc.db", "rows");
  const repo = `${place.path}/repo`;
  await Deno.mkdir(`${repo}/hollow`);
  const steps: OperationStep[] = [
    { kind: "folder", path: "new", made: true },
    { kind: "folder", path: "new/deep", made: true },
    file("new/deep/one.txt", null, await version("one")),
    file("changed.txt", await version("old", 0o644), await version("new")),
    file("script.sh", await version("old script", 0o755), null),
    file("gone/last.txt", await version("to go", 0o644), null),
    { kind: "folder", path: "gone", made: false },
    { kind: "folder", path: "hollow", made: false },
    { kind: "folder", path: "empty", made: true },
    file("root.txt", null, await version("root")),
    file(`${place.path}/git/hook`, await version("old hook", 0o755), await version("new hook")),
  ];
  const drops = [`${place.path}/home/db/demo`];
  return {
    ...place,
    repo,
    home: `${place.path}/home`,
    operation: { name: "init", repo, steps, drops },
  };
}

type Yard = Awaited<ReturnType<typeof yard>>;

async function run(at: Yard, fuse?: Fuse): Promise<void> {
  using desk = await deskAt(at.repo, at.home, fuse);
  await runOperation(desk, "op", at.operation);
}

async function settle(at: Yard) {
  using desk = await deskAt(at.repo, at.home);
  return await settleEarlier(desk, at.repo);
}

/** The whole yard but for the empty folder of journals, which stays. */
async function look(at: Yard): Promise<string> {
  const tree = (await treeHash(at.path)).replaceAll(at.path, "");
  return tree.replace(/^folder 40700 \/home\/journal\n/m, "");
}

Deno.test("runOperation does all steps, then the drops, and leaves no journal", async () => {
  await using at = await yard();
  await run(at);
  assert.equal(await at.read("repo/new/deep/one.txt"), "one");
  assert.equal(await at.read("repo/changed.txt"), "new");
  assert.equal(await at.read("git/hook"), "new hook");
  assert.equal((await Deno.stat(`${at.path}/git/hook`)).mode! & 0o777, 0o755);
  for (const gone of ["gone", "hollow"]) await assert.rejects(Deno.stat(`${at.repo}/${gone}`));
  assert.ok((await Deno.stat(`${at.repo}/empty`)).isDirectory);
  await assert.rejects(Deno.stat(`${at.repo}/script.sh`));
  await assert.rejects(Deno.stat(`${at.home}/db/demo`));
  assert.deepEqual(await Array.fromAsync(Deno.readDir(`${at.home}/journal`)), []);
});

Deno.test("runOperation begins nothing that it could not read back", async () => {
  await using at = await yard();
  const large = await version("x".repeat(49 * 1024 * 1024));
  const steps = [...at.operation.steps, file("large.txt", null, large)];
  using desk = await deskAt(at.repo, at.home);
  await assert.rejects(runOperation(desk, "op", { ...at.operation, steps }), {
    code: "refused",
    message: /^Cannot .*: it is too much at once$/,
  });
  assert.equal(await at.read("repo/changed.txt"), "old");
  assert.deepEqual(await Array.fromAsync(Deno.readDir(`${at.home}/journal`)), []);
  assert.deepEqual(await settle(at), []);
});

Deno.test("settleEarlier finishes an operation that was killed at any call, to the byte", async () => {
  await using whole = await yard();
  await run(whole);
  const done = await look(whole);
  let kills = 0;
  for (let calls = 1;; calls++) {
    await using at = await yard();
    const start = await look(at);
    const killed = await run(at, { left: calls }).then(() => false, (thrown) => {
      assert.ok(thrown instanceof Killed, String(thrown));
      return true;
    });
    if (!killed) break;
    kills++;
    const settled = await settle(at);
    const now = await look(at);
    if (settled.length === 0) {
      // Killed before the journal was written, or after it was removed.
      assert.ok([start, done].includes(now));
    } else {
      assert.deepEqual(settled, [{ operation: "init", outcome: "finished", edited: [] }]);
      assert.equal(now, done, `after ${calls} calls`);
    }
  }
  assert.ok(kills > 10, `${kills} kills`);
});

Deno.test("settleEarlier takes an operation back when somebody edited a file of it", async () => {
  const edits: [string, string][] = [
    ["changed.txt", "edited"],
    ["new/deep/one.txt", "edited"],
    ["root.txt", "edited"],
  ];
  for (const [path, text] of edits) {
    await using at = await yard();
    const start = await look(at);
    await assert.rejects(run(at, { left: 9 }), Killed);
    await at.write(`repo/${path}`, text);
    assert.deepEqual(await settle(at), [{ operation: "init", outcome: "undone", edited: [path] }]);
    assert.equal(await at.read(`repo/${path}`), text);
    const parent = path.startsWith("new/") ? ["/repo/new", "/repo/new/deep"] : [];
    const rest = (tree: string) =>
      tree.split("\n").filter((line) =>
        !line.includes(`/${path}`) &&
        !parent.some((folder) => line.endsWith(folder))
      );
    assert.deepEqual(rest(await look(at)), rest(start));
  }
});

Deno.test("settleEarlier takes nothing back once something was dropped", async () => {
  let dropped = 0;
  for (let calls = 9;; calls++) {
    await using at = await yard();
    const killed = await run(at, { left: calls }).then(() => false, () => true);
    if (!killed) break;
    if (await Deno.stat(`${at.home}/db/demo/svc.db`).then(() => true, () => false)) continue;
    dropped++;
    await at.write("repo/root.txt", "edited");
    for (const { outcome } of await settle(at)) assert.equal(outcome, "finished");
    assert.equal(await at.read("repo/root.txt"), "edited");
    assert.equal(await at.read("repo/changed.txt"), "new", `after ${calls} calls`);
  }
  assert.ok(dropped > 0);
});

Deno.test("runOperation leaves a file with a second name as it is, in the repo and outside", async () => {
  for (const path of ["repo/changed.txt", "git/hook"]) {
    await using at = await yard();
    await Deno.link(`${at.path}/${path}`, `${at.path}/second`);
    const start = await look(at);
    await assert.rejects(
      run(at),
      /^Failure: Cannot init: ".*" changed meanwhile; nothing was done/,
    );
    assert.equal(await look(at), start);
  }
});

Deno.test("runOperation takes everything back when a file is not what was planned", async () => {
  await using at = await yard();
  await at.write("repo/root.txt", "somebody was faster");
  const start = await look(at);
  await assert.rejects(run(at), (error) => {
    assert.ok(error instanceof Failure);
    assert.equal(error.code, "conflict");
    assert.match(error.message, /^Cannot init: "root.txt" changed meanwhile/);
    return true;
  });
  assert.equal(await look(at), start);
});

Deno.test("runOperation takes everything back when a step cannot be done", async () => {
  await using at = await yard();
  // A folder stands where a file is to be written.
  await Deno.mkdir(`${at.repo}/root.txt`);
  const start = await look(at);
  await assert.rejects(run(at), Failure);
  assert.equal(await look(at), start);
});

Deno.test("pendingEarlier names what is unfinished here and changes nothing", async () => {
  await using at = await yard();
  await assert.rejects(run(at, { left: 6 }), Killed);
  const before = await look(at);
  using desk = await deskAt(at.repo, at.home);
  assert.deepEqual(await pendingEarlier(desk, at.repo), [
    { operation: "init", outcome: "pending", edited: [] },
  ]);
  assert.deepEqual(await pendingEarlier(desk, "/another/repo"), []);
  assert.equal(await look(at), before);
});

Deno.test("settleEarlier says which journal is damaged", async () => {
  await using at = await yard();
  await at.write("home/journal/x.json", '{"format": 2}');
  await assert.rejects(settle(at), /Cannot read the journal ".*x\.json": it is damaged/);
});

Deno.test("settleEarlier sweeps what a writer left that was killed while placing", async () => {
  await using at = await yard();
  await assert.rejects(run(at, { left: 9 }), Killed);
  await at.write("repo/new/deep/.svc-tmp-0123456789abcdef01234567", "half");
  await at.write("git/.svc-tmp-0123456789abcdef01234567", "half");
  await settle(at);
  assert.doesNotMatch(await look(at), /svc-tmp/);
});
