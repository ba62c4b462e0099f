/** What a Worker may ask that does not speak by svc's own ports: each argument is checked again. */
import assert from "node:assert/strict";
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import type { FileContent } from "svc/platform/files/folder.ts";
import { offerRepos } from "svc/platform/confined/brokered_repo.ts";
import { refusal } from "tests/kit/refusal.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { mainPorts } from "tests/unit/platform/confined_ports.ts";

async function ground() {
  const repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  const home = await tempFolder("svc-worktrees-");
  const repos = [repo.path];
  const offered = offerRepos(mainPorts({ repos, home: home.path }), { repos, profile: "host" });
  const incoming = { signal: new AbortController().signal, emit: () => Promise.resolve() };
  return {
    ...{ repo, home: home.path },
    call: async (object: string, method: string, ...args: readonly unknown[]) =>
      await offered.objects[object]![method]!(args, incoming),
    async [Symbol.asyncDispose]() {
      offered[Symbol.dispose]();
      for (const place of [repo, home]) await place[Symbol.asyncDispose]();
    },
  };
}

Deno.test("no file of git's folder is state of svc but the one that is named", async () => {
  await using at = await ground();
  const git = `${at.repo.path}/.git`;
  const config = await at.repo.read(".git/config");
  const bytes = new TextEncoder().encode("[core]\n\thooksPath = /tmp\n");
  for (
    const path of [
      ...[`${git}/config`, `${git}/HEAD`, `${git}/hooks/pre-commit`, `${git}/../a`, git, "config"],
      ...[`${git}/hooks/svc-tickets.json`, `${git}/info/../svc-tickets.json`, 7, undefined],
    ]
  ) {
    const no = refusal("refused", /it is no state of svc/);
    await assert.rejects(at.call("state", "stat", path), no, String(path));
    await assert.rejects(at.call("state", "read", path, 100), no, String(path));
    await assert.rejects(at.call("state", "write", path, bytes), no, String(path));
  }
  assert.equal(await at.repo.read(".git/config"), config);
});

Deno.test("no more of a file is read at a time than the main thread's bound, whatever is asked", async () => {
  await using at = await ground();
  const long = new Uint8Array(FILE_WRITE_BYTES + 1);
  await at.repo.write("long", long);
  await at.repo.write(".git/svc-tickets.json", long);
  const { handle } = await at.call("folder", "open", at.repo.path) as { handle: number };
  const path = `${at.repo.path}/.git/svc-tickets.json`;
  for (const maxBytes of [FILE_WRITE_BYTES + 1, Infinity]) {
    for (
      const read of [
        await at.call("folder", "read", handle, "long", { maxBytes }),
        await at.call("state", "read", path, maxBytes),
      ] as FileContent[]
    ) {
      assert.deepEqual([read.bytes.length <= FILE_WRITE_BYTES, read.truncated], [true, true]);
    }
  }
});

Deno.test("a work tree with work in it is removed only where that was said", async () => {
  await using at = await ground();
  const path = `${at.home}/one`;
  const plan = { doing: "test", path, branch: "svc/one", start: "main" };
  await at.call("worktrees", "add", at.repo.path, plan);
  await Deno.writeTextFile(`${path}/mine`, "work\n");
  for (const options of [undefined, {}, { discard: false }, { discard: "yes" }]) {
    await assert.rejects(at.call("worktrees", "remove", at.repo.path, path, options));
    assert.equal(await Deno.readTextFile(`${path}/mine`), "work\n");
  }
  await at.call("worktrees", "remove", at.repo.path, path, { discard: true });
  await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
});

Deno.test("a path into git's folder leaves the tree in any spelling", async () => {
  await using at = await ground();
  for (const path of [".git/config", ".GIT/config", "a/../a", "./a", "/a", ""]) {
    const read = at.call("tree", "read", at.repo.path, ["a", path], 100, undefined);
    await assert.rejects(read, refusal("refused", /a path leaves it/), path);
  }
});
