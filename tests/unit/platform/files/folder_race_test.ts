import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { startDoomed } from "tests/kit/doomed.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { bytes, names, text, yard } from "tests/unit/platform/yard.ts";

const bound = { maxBytes: 1024 };

/** 60 s by `make race`, which prints how many operations met the exchange. */
const RACE_MS = Number(Deno.env.get("RACE_MS") ?? 0);

Deno.test("Folder.write killed at any point leaves a whole file that can be written again", async () => {
  await using dir = await tempFolder();
  using folder = await openFolder(dir.path);
  let leftovers = 0;
  for (let round = 0; round < 30; round++) {
    await using writer = startDoomed(
      new URL("../write_forever.ts", import.meta.url),
      "folder",
      dir.path,
    );
    await writer.printed(1 + round % 3);
    for (let later = 0; later < 10 * round; later++) names(dir.path);
    await writer.kill();
    leftovers += names(dir.path).filter((name) => name !== "target").length;
    const found = await folder.stat("target");
    if (found) {
      const { bytes: content } = await folder.read("target", { maxBytes: 1024 * 1024 });
      assert.equal(content.length, 64 * 1024);
      assert.ok(content.every((byte) => byte === content[0]), `mixed content in round ${round}`);
    }
    await folder.write("target", bytes("next"));
    assert.deepEqual(names(dir.path), ["target"]);
  }
  assert.ok(leftovers > 0, "no kill came between temp and rename: the test proved nothing");
});

Deno.test("Folder reaches nothing outside while a folder and a link exchange their names", async () => {
  await using place = await yard();
  const { folder, root } = place;
  Deno.renameSync(`${root}/dir/file`, `${root}/dir/secret`);
  await place.write("spare", "");
  Deno.symlinkSync(place.outside, `${root}/link`);
  const outside = (await Deno.stat(`${place.outside}/secret`)).ino;
  const race = await raceFor(RACE_MS || 2500, [`${root}/dir`, `${root}/link`], {
    async read() {
      assert.match(text((await folder.read("dir/secret", bound)).bytes), /^inside/);
    },
    async stat() {
      assert.notEqual((await folder.stat("dir/secret"))?.inode, outside);
    },
    async list() {
      const { entries } = await folder.list("dir");
      assert.ok(!entries.some(({ name }) => name === "only outside"));
    },
    write: () => folder.write("dir/secret", bytes("inside again")),
    "write new": () => folder.write("dir/new", bytes(""), { expected: null }),
    remove: () => folder.remove("dir/new"),
    makeFolder: () => folder.makeFolder("dir/sub/sub"),
    "rename to": () => folder.rename("spare", "dir/moved"),
    "rename from": () => folder.rename("dir/moved", "spare"),
  });
  assert.deepEqual(race.never, []);
  place.assertOutsideUntouched();
});

Deno.test("Folder reaches nothing outside while a file and a link exchange their names", async () => {
  await using place = await yard();
  const { folder, root } = place;
  Deno.symlinkSync(`${place.outside}/secret`, `${root}/link`);
  const race = await raceFor(RACE_MS || 500, [`${root}/dir/file`, `${root}/link`], {
    async read() {
      assert.equal(text((await folder.read("dir/file", bound)).bytes), "inside");
    },
  });
  assert.deepEqual(race.never, []);
  place.assertOutsideUntouched();
});

/**
 * Repeats all `acts` for so many ms while another process exchanges two names.
 * `never` tells which act was never carried out, or never met a refusal: it then proved nothing.
 */
async function raceFor(
  ms: number,
  [one, other]: [string, string],
  acts: Readonly<Record<string, () => Promise<void>>>,
): Promise<{ never: string[] }> {
  await using swapper = startDoomed(new URL("../swap_names.ts", import.meta.url), one, other);
  await swapper.printed(1);
  let [done, refused] = [0, 0];
  const never = new Set(Object.keys(acts).flatMap((name) => [`${name} done`, `${name} refused`]));
  for (const end = performance.now() + ms; performance.now() < end;) {
    for (const [name, act] of Object.entries(acts)) {
      try {
        await act();
        done++;
        never.delete(`${name} done`);
      } catch (thrown) {
        if (!(thrown instanceof Failure) || thrown.code === "internal") throw thrown;
        refused++;
        never.delete(`${name} refused`);
      }
    }
  }
  if (RACE_MS > 0) console.log(`${done + refused} operations in ${ms} ms, ${refused} refused`);
  return { never: [...never] };
}
