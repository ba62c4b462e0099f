/** How folders are held: by descriptors that no program inherits, with the errors of node:fs. */
import assert from "node:assert/strict";
import { constants, openSync } from "node:fs";
import { HeldFolder } from "svc/platform/files/held_folder.ts";
import { osCode } from "svc/platform/files/os_errors.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

// O_PATH (Linux asm-generic/fcntl.h)
const FLAGS = 0o10000000 | constants.O_NOFOLLOW | constants.O_DIRECTORY;

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return "none";
  } catch (thrown) {
    return osCode(thrown);
  }
}

verifies(
  "1:execution-profile:host-is-not-containment",
  "a program inherits none of the folders that svc holds",
  async () => {
    await using place = await tempFolder();
    using held = HeldFolder.folder(place.path);
    assert.equal(Deno.realPathSync(held.path), place.path);
    const { stdout } = await new Deno.Command("ls", { args: ["-l", "/proc/self/fd"] }).output();
    const listed = new TextDecoder().decode(stdout);
    assert.match(listed, / 1 -> /);
    assert.ok(!listed.includes(place.path), listed);
  },
);

Deno.test("what cannot be held fails as node:fs says", async () => {
  await using place = await tempFolder();
  await place.write("file", "text");
  await Deno.mkdir(`${place.path}/folder`);
  await Deno.symlink("folder", `${place.path}/link`);
  await Deno.symlink("loop", `${place.path}/loop`);
  const names = ["absent", "absent/below", "file", "file/below", "link", "loop/below"];
  for (const name of [...names, "x".repeat(300)]) {
    const path = `${place.path}/${name}`;
    const theirs = codeOf(() => openSync(path, FLAGS));
    assert.notEqual(theirs, "none", name);
    assert.equal(codeOf(() => HeldFolder.folder(path)), theirs, name);
  }
  // A C string would end before the rest of the name.
  assert.equal(codeOf(() => HeldFolder.folder(`${place.path}/folder\0/..`)), "EINVAL");
});

Deno.test("a descriptor is given back", async () => {
  await using place = await tempFolder();
  const open = () => [...Deno.readDirSync("/proc/self/fd")].length;
  const before = open();
  for (let at = 0; at < 50; at++) {
    using _held = HeldFolder.folder(place.path);
  }
  assert.equal(open(), before);
});
