import assert from "node:assert/strict";
import { statfs } from "node:fs/promises";
import { diskFree, roomAt } from "svc/platform/files/disk_space.ts";
import { repoRoot } from "tests/kit/script.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

/** Others write meanwhile. */
const OTHERS = 256 * 1024 * 1024;

async function nodeFree(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

for (const path of ["/", "/proc", "/dev", "/dev/shm", "/sys"]) {
  Deno.test(`the room of ${path} is what Node tells`, async () => {
    const [ours, theirs] = [await diskFree(path), await nodeFree(path)];
    assert.ok(Math.abs(ours - theirs) <= OTHERS, `${ours} and ${theirs}`);
  });
}

Deno.test("a path that is not there yet has the room of the folder above", async () => {
  await using folder = await tempFolder("svc-room-");
  const [ours, above] = [await roomAt(`${folder.path}/a/b/c`), await nodeFree(folder.path)];
  assert.ok(Math.abs(ours - above) <= OTHERS, `${ours} and ${above}`);
  await assert.rejects(diskFree(`${folder.path}/a`), { code: "ENOENT" });
});

Deno.test("below a file there is no room, and no name has a NUL", async () => {
  await using folder = await tempFolder("svc-room-");
  await Deno.writeTextFile(`${folder.path}/file`, "");
  await assert.rejects(diskFree(`${folder.path}/file/below`), { code: "ENOTDIR" });
  await assert.rejects(diskFree(`${folder.path}/a\0b`));
});

Deno.test("who may not call libc is told by Node, and who may loads none of it", async () => {
  const free = `
    import { diskFree } from "${repoRoot}src/platform/files/disk_space.ts";
    console.log(await diskFree("/") > 0);`;
  const without = `Object.defineProperty(process, "getBuiltinModule", { value() { throw 1; } });`;
  const all = ["run", "--no-prompt", "--allow-read", "--allow-sys"];
  for (
    const [argv, source] of [[all, free], [[...all, "--allow-ffi"], `${without}${free}`]] as const
  ) {
    await using folder = await tempFolder("svc-room-");
    await Deno.writeTextFile(`${folder.path}/free.ts`, source);
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...argv, "--config", `${repoRoot}deno.json`, `${folder.path}/free.ts`],
    }).output();
    const text = new TextDecoder();
    assert.equal(text.decode(stdout), "true\n", text.decode(stderr));
  }
});
