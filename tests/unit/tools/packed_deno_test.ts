/** The runtime's part of a portable build: it is packed once, and what follows it in the archive is read too. */
import assert from "node:assert/strict";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { packedDeno, TAR } from "tools/packed_deno.ts";

async function sh(line: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", line, "sh", ...args],
  })
    .output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

Deno.test("a packed runtime and what is packed behind it are one archive", async () => {
  await using folder = await tempFolder();
  await folder.write("runtimes/2.0/bin", "the runtime", { executable: true });
  await folder.write("bundle/main.js", "the program");
  const packed = await packedDeno(`${folder.path}/runtimes/2.0/bin`, `${folder.path}/dist`);
  const line =
    `cd "$1" && mkdir out && { cat "$2"; ${TAR} -C bundle -cf - . | gzip -6n; } >all && ` +
    `tar -xzf all -C out && stat -c '%a %n' out/deno && cat out/deno out/main.js`;
  assert.equal(await sh(line, folder.path, packed), "700 out/deno\nthe runtimethe program");
});

Deno.test("a runtime is packed once, and another one is not taken for it", async () => {
  await using folder = await tempFolder();
  const [dist, bin] = [`${folder.path}/dist`, `${folder.path}/deno`];
  await folder.write("deno", "one");
  const first = await packedDeno(bin, dist);
  const { ino } = await Deno.stat(first);
  assert.equal(await packedDeno(bin, dist), first);
  assert.equal((await Deno.stat(first)).ino, ino);
  await folder.write("deno", "two");
  assert.notEqual(await packedDeno(bin, dist), first);
  assert.deepEqual([...Deno.readDirSync(dist)].filter(({ name }) => !name.endsWith(".gz")), []);
});
