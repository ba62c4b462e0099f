/** What is remembered of a repo's settings, and when it is read anew. */
import assert from "node:assert/strict";
import { knownDrivers, knownNames, settled } from "svc/platform/git/drivers_known.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const OLD = new Date("2026-01-01T00:00:00Z");

/** A git folder whose settings were last changed so long ago that they may be remembered. */
async function quietPlace(path: string, config: string) {
  await Deno.writeTextFile(`${path}/config`, config);
  return { root: path, gitDir: path, commonDir: path };
}

/** The time of change (ctime) cannot be set, so the clock goes ahead of it. */
function later() {
  const real = Date.now;
  Date.now = () => real() + 2_100;
  return { [Symbol.dispose]: () => void (Date.now = real) };
}

/** The moment in which the file changed, until `later` is disposed. */
function nowIs(changed: Date) {
  Date.now = () => changed.getTime();
}

Deno.test("settings are remembered once another change of theirs would show in their time", () => {
  const second = Date.UTC(2026, 0, 2, 3, 4, 5);
  const settledAfter = (changed: number) => {
    let ms = 0;
    while (!settled(changed, changed + ms)) ms++;
    return ms;
  };
  assert.equal(settledAfter(second), 2_000, "whole seconds may be all that is kept, or even ones");
  assert.equal(settledAfter(second + 1), 100, "others are as exact as the kernel's tick");
  assert.equal(settledAfter(second + 999), 100);
  assert.equal(settled(second + 1, second), false, "a clock that went back settles nothing");
});

Deno.test("knownDrivers asks once while the settings stay as they are, and again when they change", async () => {
  await using folder = await tempFolder();
  const processes = denoProcesses();
  const place = await quietPlace(folder.path, "[core]\n");
  let asked = 0;
  using _later = later();
  const read = () => {
    asked++;
    return Promise.resolve({ names: ["core.bare"], blanks: [["a", ""] as const] });
  };
  assert.deepEqual(await knownDrivers(processes, place, read), [["a", ""]]);
  assert.deepEqual(await knownDrivers(processes, place, read), [["a", ""]]);
  assert.equal(asked, 1);
  await knownDrivers(denoProcesses(), place, read);
  assert.equal(asked, 2, "another port knows nothing of it");

  // The new text has the same length and modification time: only the time of change tells.
  const { mtime } = await Deno.lstat(`${folder.path}/config`);
  await Deno.writeTextFile(`${folder.path}/config`, "[diff]\n");
  await Deno.utime(`${folder.path}/config`, OLD, mtime!);
  nowIs((await Deno.lstat(`${folder.path}/config`)).ctime!);
  await knownDrivers(processes, place, read);
  await knownDrivers(processes, place, read);
  assert.equal(asked, 4, "what changed a moment ago is read anew each time");
});

Deno.test("knownDrivers asks once for all work trees that have no settings of their own", async () => {
  await using folder = await tempFolder();
  const processes = denoProcesses();
  const place = await quietPlace(folder.path, "[core]\n");
  using _later = later();
  let asked = 0;
  const read = () => {
    asked++;
    return Promise.resolve({ names: ["core.bare"], blanks: [] });
  };
  const linked = { ...place, gitDir: `${folder.path}/worktrees/job` };
  await Deno.mkdir(linked.gitDir, { recursive: true });
  assert.equal(knownNames(processes, place), undefined);
  await knownDrivers(processes, place, read);
  await knownDrivers(processes, linked, read);
  assert.equal(asked, 1);
  assert.deepEqual(knownNames(processes, linked), ["core.bare"]);

  await Deno.writeTextFile(`${linked.gitDir}/config.worktree`, "[filter]\n");
  assert.equal(knownNames(processes, linked), undefined);
  await knownDrivers(processes, linked, read);
  assert.equal(asked, 2, "it has settings of its own now");
  assert.deepEqual(knownNames(processes, place), ["core.bare"]);
});

Deno.test("knownDrivers remembers nothing of settings that take in other files, or of a link", async () => {
  await using folder = await tempFolder();
  const processes = denoProcesses();
  const place = await quietPlace(folder.path, "[include]\n");
  using _later = later();
  let asked = 0;
  const read = () => {
    asked++;
    return Promise.resolve({ names: ["includeif.gitdir:x.path"], blanks: [] });
  };
  await knownDrivers(processes, place, read);
  await knownDrivers(processes, place, read);
  assert.equal(asked, 2);

  await Deno.rename(`${folder.path}/config`, `${folder.path}/real`);
  await Deno.symlink("real", `${folder.path}/config`);
  const plain = () => {
    asked++;
    return Promise.resolve({ names: [], blanks: [] });
  };
  await knownDrivers(processes, place, plain);
  await knownDrivers(processes, place, plain);
  assert.equal(asked, 4);
});
