import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { removeOwn } from "svc/platform/files/remove_below.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { makeFifo, makeNonUtf8Name } from "tests/kit/odd_disks.ts";

const JOB = "traces/outputs/job";

async function place() {
  const dir = await tempFolder();
  const home = `${dir.path}/home`;
  await dir.write("outside/deep/precious", "precious");
  await dir.write(`home/${JOB}/1-grep.txt`, "12345");
  return {
    dir,
    home,
    outside: `${dir.path}/outside`,
    remove: removeOwn(() => home),
    there: (path: string) => Array.from(Deno.readDirSync(`${home}/${path}`), ({ name }) => name),
    precious: () => Deno.readTextFileSync(`${dir.path}/outside/deep/precious`),
  };
}

const refusal = (code: string) => (thrown: unknown) =>
  thrown instanceof Failure && thrown.code === code;

Deno.test("a folder goes with all it holds, and its files are counted", async () => {
  const { dir, home, remove, there } = await place();
  await using _dir = dir;
  await dir.write(`home/${JOB}/untracked/a/b`, "678");
  await makeFifo(`${home}/${JOB}/pipe`);
  assert.deepEqual(await remove(JOB), { files: 3, bytes: 8 });
  assert.deepEqual(there("traces/outputs"), []);
  assert.deepEqual(await remove(JOB), { files: 0, bytes: 0 });
  assert.deepEqual(await remove("traces/none/job.jsonl"), { files: 0, bytes: 0 });
});

Deno.test("planted links are removed as links: what they lead to stays", async () => {
  const { dir, home, outside, remove, there, precious } = await place();
  await using _dir = dir;
  await Deno.symlink(outside, `${home}/${JOB}/folder`);
  await Deno.symlink(`${outside}/deep/precious`, `${home}/${JOB}/file`);
  await Deno.symlink("/nowhere", `${home}/${JOB}/dangling`);
  await Deno.link(`${outside}/deep/precious`, `${home}/${JOB}/second name`);
  await Deno.symlink(outside, `${home}/traces/outputs/whole`);
  await remove(JOB);
  await remove("traces/outputs/whole");
  assert.deepEqual(there("traces/outputs"), []);
  assert.equal(precious(), "precious");
});

Deno.test("a link on the way is refused, whichever folder of the home it replaces", async () => {
  const { dir, home, outside, remove, precious } = await place();
  await using _dir = dir;
  await Deno.rename(`${home}/traces`, `${home}/before`);
  await Deno.symlink(outside, `${home}/traces`);
  await assert.rejects(() => remove("traces/deep/precious"), refusal("refused"));
  await Deno.remove(`${home}/traces`);
  await Deno.mkdir(`${home}/traces`);
  await Deno.symlink(`${outside}/deep`, `${home}/traces/outputs`);
  await assert.rejects(() => remove("traces/outputs/precious"), refusal("refused"));
  assert.equal(precious(), "precious");
});

Deno.test("a home that is a link of the user's is followed", async () => {
  const { dir, home, remove, there } = await place();
  await using _dir = dir;
  await Deno.symlink(home, `${dir.path}/link`);
  await removeOwn(() => `${dir.path}/link`)(JOB);
  assert.deepEqual(there("traces/outputs"), []);
  await remove("traces/outputs");
});

Deno.test("nothing but evidence, caches and half copies of databases can be named", async () => {
  const { dir, remove, precious } = await place();
  await using _dir = dir;
  await dir.write("home/db/app/svc.db", "rows");
  await dir.write("home/db/app/.svc.db-1.partial", "half");
  for (
    const path of [
      ...["", "traces", "config.yaml", "db/app/svc.db", "db/app", "models/x", "journal/backups/x"],
      ...["worktrees/x", "traces/../config.yaml", "traces/../../outside/deep/precious", "/etc/x"],
      ...["traces//x", "cache/./x", "db/a/b/.x.partial", "db/../.x.partial"],
      ...["models/traces/x", "db/app/.svc.partial.db", "db/app/.x.partial/svc.db"],
    ]
  ) await assert.rejects(() => remove(path), Failure, path);
  assert.deepEqual(await remove("db/app/.svc.db-1.partial"), { files: 1, bytes: 4 });
  assert.equal(precious(), "precious");
});

Deno.test("a name that cannot be written as text stays, and the failure names the folder", async () => {
  const { dir, home, remove, there } = await place();
  await using _dir = dir;
  await makeNonUtf8Name(`${home}/${JOB}`);
  await assert.rejects(() => remove(JOB), /outputs\/job/);
  assert.deepEqual(there("traces/outputs"), ["job"]);
});
