import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { editStartupFiles } from "svc/features/setup/shell_path.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const NOTE = "# Written by svc path setup; run it again to change the folder.";
const BEGIN = "# >>> svc path >>>";
const END = "# <<< svc path <<<";
const block = (...lines: string[]) => [BEGIN, NOTE, ...lines, END].join("\n");

const files = denoFiles();
const wet = { dryRun: false };
const dry = { dryRun: true };
const at = (...paths: string[]) => paths.map((path) => ({ candidates: [path] }));

async function failure(work: () => unknown): Promise<Failure> {
  try {
    await work();
  } catch (thrown) {
    assert.ok(thrown instanceof Failure, String(thrown));
    return thrown;
  }
  throw new Error("it succeeded");
}

Deno.test("editStartupFiles changes a file once and keeps bytes that are not UTF-8", async () => {
  await using dir = await tempFolder();
  const rc = `${dir.path}/rc`;
  const latin1 = Uint8Array.of(0x23, 0xe9, 0xff, 0x0a);
  await dir.write("rc", latin1);
  const edit = () => editStartupFiles(files, at(rc), ["PATH=ü"], wet);
  assert.deepEqual(await edit(), [{ path: rc, change: "added" }]);
  const once = await Deno.readFile(rc);
  assert.deepEqual(once.subarray(0, 4), latin1);
  assert.match(new TextDecoder().decode(once.subarray(4)), /^PATH=ü$/m);
  const inode = (await Deno.stat(rc)).ino;
  assert.deepEqual(await edit(), [{ path: rc, change: "unchanged" }]);
  assert.deepEqual([await Deno.readFile(rc), (await Deno.stat(rc)).ino], [once, inode]);
});

Deno.test("editStartupFiles keeps a link, the mode of its file, and its owner", async () => {
  await using dir = await tempFolder();
  await dir.write("dotfiles/zshrc", "# mine\n");
  const file = `${dir.path}/dotfiles/zshrc`;
  await Deno.chmod(file, 0o640);
  const root = Deno.uid() === 0;
  if (root) await Deno.chown(file, 1234, 2345);
  await Deno.symlink("dotfiles/zshrc", `${dir.path}/.zshrc`);
  await editStartupFiles(files, at(`${dir.path}/.zshrc`), ["one"], wet);
  assert.equal(await Deno.readLink(`${dir.path}/.zshrc`), "dotfiles/zshrc");
  const { mode, uid, gid } = await Deno.stat(file);
  assert.equal(mode! & 0o7777, 0o640);
  if (root) assert.deepEqual([uid, gid], [1234, 2345]);
  assert.equal(await dir.read("dotfiles/zshrc"), `# mine\n\n${block("one")}\n`);
});

Deno.test("editStartupFiles edits the first candidate that exists, else makes the last", async () => {
  await using dir = await tempFolder();
  const candidates = ["a", "b", "c/d"].map((name) => `${dir.path}/${name}`);
  const absent = { candidates: [`${dir.path}/never`], ifExists: true } as const;
  // Like a shell, it passes over a link that leads nowhere.
  await Deno.symlink("gone", `${dir.path}/a`);
  const edit = () => editStartupFiles(files, [absent, { candidates }], ["one"], wet);
  assert.deepEqual(await edit(), [{ path: candidates[2], change: "added" }]);
  await dir.write("b", "");
  assert.deepEqual(await edit(), [{ path: candidates[1], change: "added" }]);
  assert.deepEqual(Array.from(Deno.readDirSync(dir.path), ({ name }) => name).sort(), [
    "a",
    "b",
    "c",
  ]);
});

Deno.test("editStartupFiles edits a file once that two names lead to", async () => {
  await using dir = await tempFolder();
  await dir.write(".bashrc", "# mine\n");
  await Deno.symlink(".bashrc", `${dir.path}/.bash_profile`);
  const startups = at(`${dir.path}/.bash_profile`, `${dir.path}/.bashrc`);
  const changes = await editStartupFiles(files, startups, ["one"], wet);
  assert.deepEqual(changes, [{ path: `${dir.path}/.bash_profile`, change: "added" }]);
  assert.equal(await dir.read(".bashrc"), `# mine\n\n${block("one")}\n`);
});

Deno.test("editStartupFiles refuses a link that leads nowhere", async () => {
  await using dir = await tempFolder();
  await Deno.symlink("gone", `${dir.path}/rc`);
  for (const mode of [wet, dry]) {
    const { code, message } = await failure(() =>
      editStartupFiles(files, at(`${dir.path}/rc`), ["one"], mode)
    );
    assert.equal(code, "conflict");
    assert.equal(message, `Cannot make "${dir.path}/rc": it is a link that leads nowhere`);
  }
});

Deno.test("editStartupFiles writes no file when it cannot plan every one", async () => {
  await using dir = await tempFolder();
  await dir.write("good", "# mine\n");
  await dir.write("half", `${BEGIN}\n`);
  const startups = at(`${dir.path}/good`, `${dir.path}/half`);
  const { code } = await failure(() => editStartupFiles(files, startups, ["one"], wet));
  assert.equal(code, "conflict");
  assert.equal(await dir.read("good"), "# mine\n");
});

Deno.test("editStartupFiles shows the diff of a dry run and writes nothing", async () => {
  await using dir = await tempFolder();
  await dir.write("rc", "# mine\n");
  await dir.write("same", `${block("one")}\n`);
  const startups = at(`${dir.path}/rc`, `${dir.path}/same`, `${dir.path}/sub/new`);
  const [rc, same, fresh] = await editStartupFiles(files, startups, ["one"], dry);
  assert.match(rc!.diff!, /^ # mine\n\+\n\+# >>> svc path >>>$/m);
  assert.deepEqual(same, { path: `${dir.path}/same`, change: "unchanged" });
  assert.match(fresh!.diff!, /^--- \/dev\/null\n/);
  assert.equal(await dir.read("rc"), "# mine\n");
  assert.equal(await files.stat(`${dir.path}/sub`), undefined);
});
