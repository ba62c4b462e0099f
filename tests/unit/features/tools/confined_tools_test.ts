import assert from "node:assert/strict";
import { fileEdit } from "svc/features/tools/file_edit.ts";
import { fileList } from "svc/features/tools/file_list.ts";
import { fileRead } from "svc/features/tools/file_read.ts";
import { fileWrite } from "svc/features/tools/file_write.ts";
import { glob } from "svc/features/tools/glob.ts";
import { grep } from "svc/features/tools/grep.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { toolPlace } from "tests/kit/tool_place.ts";
import { confined } from "tests/unit/platform/confined_ports.ts";

/** The file tools over the ports that a confined Worker has. */
async function confinedPlace(profile: "observer" | "host") {
  const at = await toolPlace({ files: { "a.txt": "needle\r\n" } });
  const home = await tempFolder();
  const app = confined({ repos: [at.repo.path], home: home.path, profile });
  const repo = await app.git.open(at.repo.path);
  const folder = await app.folder(at.repo.path);
  const tree = { ...at.session.tree, git: repo, folder };
  const session = { ...at.session, tree };
  const { signal } = new AbortController();
  return {
    repo: at.repo,
    // The policy is the host's: what holds here is the broker alone.
    call: (tool: AnyTool, args: unknown) =>
      at.box([tool], { session }).call(tool.name, args, { signal }),
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]();
      await app[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
      await at[Symbol.asyncDispose]();
    },
  };
}

for (const profile of ["observer", "host"] as const) {
  Deno.test(`file tools look through the broker in the ${profile} profile`, async () => {
    await using at = await confinedPlace(profile);
    const text = async (tool: AnyTool, args: unknown) => (await at.call(tool, args)).text;
    assert.equal(
      await text(fileRead, { path: "a.txt" }),
      "[a.txt: 1 lines; CRLF line ends]\nneedle",
    );
    assert.equal(await text(fileList, {}), "[.: 1 file, without what git ignores]\na.txt");
    assert.equal(await text(glob, { pattern: "*.txt" }), "a.txt");
    assert.equal(await text(grep, { pattern: "need" }), "a.txt\n1:needle");
    assert.match(await text(grep, { pattern: "(" }), /set fixed to true/);
  });
}

Deno.test("file tools write through the broker as host, and cannot as observer", async () => {
  const calls = [
    [fileEdit, { path: "a.txt", old: "needle", new: "thread" }],
    [fileWrite, { path: "new/b.txt", content: "new\n" }],
  ] as const;
  await using host = await confinedPlace("host");
  await using observer = await confinedPlace("observer");
  for (const [tool, args] of calls) {
    assert.equal((await host.call(tool, args)).status, "ok");
    const { status, text } = await observer.call(tool, args);
    assert.equal(status, "failed");
    assert.match(text, /not offered|refuse|profile/i);
  }
  assert.equal(await host.repo.read("a.txt"), "thread\r\n");
  assert.equal(await host.repo.read("new/b.txt"), "new\n");
  assert.equal((await observer.repo.git("status", "--porcelain")).trim(), "");
});
