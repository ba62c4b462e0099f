/** `init` on a disk that is too small or read-only: all of it is written, or nothing. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { cannotMount, tmpfs } from "tests/kit/odd_disks.ts";
import { treeHash } from "tests/kit/script.ts";
import { plainGit, tempFolder } from "tests/kit/temp_repo.ts";
import { init, siteAt } from "tests/unit/features/harness/harness_site.ts";

const ignore = await cannotMount();

async function look(path: string): Promise<string> {
  return (await treeHash(path)).split("\n").filter((line) => !line.includes("/.git/")).join("\n");
}

Deno.test("init on a full disk writes all or nothing", { ignore }, async () => {
  const ends = new Set<string>();
  for (const kib of [40, 80, 120, 200, 400]) {
    await using disk = await tmpfs(kib);
    await using home = await tempFolder();
    const { code, stderr } = await plainGit(disk.path, ["init", "--quiet", "--template="]);
    assert.equal(code, 0, stderr);
    const before = await look(disk.path);
    using site = await siteAt(disk.path, home.path);
    try {
      await init(site);
      ends.add("written");
      await Deno.stat(`${disk.path}/.harness/metadata.json`);
    } catch (thrown) {
      assert.ok(thrown instanceof Failure, String(thrown));
      assert.match(thrown.message, /the disk is full/);
      ends.add("refused");
      assert.equal(await look(disk.path), before, `${kib} KiB`);
      assert.deepEqual(
        (await Array.fromAsync(Deno.readDir(`${home.path}/journal`))).map(({ name }) => name),
        [],
      );
    }
  }
  assert.deepEqual([...ends].sort(), ["refused", "written"]);
});

Deno.test("init on a read-only disk says so", { ignore }, async () => {
  await using disk = await tmpfs(400);
  await using home = await tempFolder();
  await plainGit(disk.path, ["init", "--quiet", "--template="]);
  await disk.makeReadOnly();
  using site = await siteAt(disk.path, home.path);
  await assert.rejects(init(site), /read-only/);
});
