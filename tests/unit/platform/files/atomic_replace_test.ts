import assert from "node:assert/strict";
import { replace, TEMP_NAME } from "svc/platform/files/atomic_replace.ts";
import { factsOf, type FolderAccess } from "svc/platform/files/disk.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const bytes = new TextEncoder().encode("content\n");

/** The folder by its path, as `files.ts` reaches it. */
function placeAt(folder: string): FolderAccess {
  const at = (name: string) => `${folder}/${name}`;
  return {
    at,
    pinned: async (name, use) => await use(at(name), factsOf(await Deno.lstat(at(name)))),
  };
}

const names = (folder: string) => Array.from(Deno.readDirSync(folder), ({ name }) => name);

Deno.test("a temp has a name that nobody foresees, and only its owner reads it", async () => {
  await using folder = await tempFolder();
  const seen = new Set<string>();
  for (let round = 0; round < 50; round++) {
    await replace(placeAt(folder.path), "file", {
      ...{ bytes, mode: 0o600 },
      async beforePlacing() {
        const [temp, ...others] = names(folder.path).filter((name) => name !== "file");
        assert.match(temp!, TEMP_NAME);
        assert.deepEqual(others, []);
        assert.equal((await Deno.stat(`${folder.path}/${temp}`)).mode! & 0o777, 0o600);
        seen.add(temp!);
      },
    });
  }
  assert.equal(seen.size, 50);
  // 96 bits each: of any two, about 3 in 24 digits are the same by chance.
  const [one = "", other = ""] = seen;
  assert.ok([...one.slice(9)].filter((digit, at) => digit === other.slice(9)[at]).length < 16);
});

Deno.test("what waits under the name of a temp is neither followed nor written", async () => {
  await using folder = await tempFolder();
  await using outside = await tempFolder();
  await outside.write("victim", "as it was\n");
  const real = crypto.getRandomValues;
  // Somebody who did foresee the name.
  crypto.getRandomValues = (array) => array;
  try {
    const temp = `${folder.path}/.svc-tmp-${"0".repeat(24)}`;
    await Deno.symlink(`${outside.path}/victim`, temp);
    const write = () => replace(placeAt(folder.path), "file", { bytes, mode: 0o600 });
    await assert.rejects(write, Deno.errors.AlreadyExists);
    await Deno.remove(temp);
    await Deno.symlink(`${outside.path}/absent`, temp);
    await assert.rejects(write, Deno.errors.AlreadyExists);
  } finally {
    crypto.getRandomValues = real;
  }
  assert.equal(await outside.read("victim"), "as it was\n");
  assert.deepEqual(names(outside.path), ["victim"]);
});

Deno.test("a file that somebody put in place of a temp gets no rights, and is not placed", async () => {
  await using folder = await tempFolder();
  const access = placeAt(folder.path);
  const meddled: FolderAccess = {
    ...access,
    async pinned(name, use) {
      await Deno.rename(access.at(name), access.at("kept"));
      await Deno.writeTextFile(access.at(name), "theirs", { mode: 0o600 });
      return await access.pinned(name, async (path, facts) => {
        try {
          return await use(path, facts);
        } finally {
          assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
        }
      });
    },
  };
  await assert.rejects(
    () => replace(meddled, "file", { bytes, mode: 0o755 }),
    /another process meddles with it/,
  );
  assert.deepEqual(names(folder.path), ["kept"]);
});
