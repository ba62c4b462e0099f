import assert from "node:assert/strict";
import { fileEdit } from "svc/features/tools/file_edit.ts";
import { fileList } from "svc/features/tools/file_list.ts";
import { fileRead } from "svc/features/tools/file_read.ts";
import { fileWrite } from "svc/features/tools/file_write.ts";
import { grep } from "svc/features/tools/grep.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import { GIT_SPELLINGS, treeHash } from "tests/kit/bad_args.ts";
import { hostilePlace, isRoot } from "./hostile_place.ts";

/** Reads, then writes and edits a path; gives all that was said. */
async function tryAll(
  at: Awaited<ReturnType<typeof hostilePlace>>,
  path: string,
): Promise<string[]> {
  const calls: readonly (readonly [AnyTool, unknown])[] = [
    [fileRead, { path }],
    [fileList, { path }],
    [grep, { pattern: "needle", path }],
    [fileWrite, { path, content: "changed\n" }],
    [fileEdit, { path, old: "needle-outside", new: "changed" }],
  ];
  const said: string[] = [];
  for (const [tool, args] of calls) {
    const { status, text } = await at.call(tool, args);
    if (status === "ok" && tool !== grep) said.push(`${tool.name} did it: ${text}`);
    if (text.includes("needle-outside")) said.push(`${tool.name} showed it`);
  }
  return said;
}

Deno.test("no file tool follows a link, opens a FIFO or a device, or takes another root", async () => {
  await using at = await hostilePlace();
  const before = [await treeHash(at.outside.path), await treeHash(at.repo.path)];
  const out = at.outside.path;
  const paths = [
    ...["link/secret", "link/new", "self/a.txt", "self/new", "straight", "away/secret", "away/new"],
    ...[
      `slash${out}/secret`,
      "fifo",
      ...(isRoot ? ["device"] : []),
      `${out}/secret`,
      `..${out}/secret`,
    ],
    ...["/proc/self/root/etc/hostname", "/proc/self/cwd/a.txt", "/dev/null", "a.txt\0", "../x"],
  ];
  for (const path of paths) assert.deepEqual(await tryAll(at, path), [], path);
  assert.deepEqual([await treeHash(out), await treeHash(at.repo.path)], before);
});

Deno.test("grep shows nothing from behind a link that git would follow", async () => {
  await using at = await hostilePlace();
  const plain = await at.repo.git("grep", "needle-outside");
  assert.match(plain, /away\/secret/, "git itself follows it");
  const { text, facts } = await at.call(grep, { pattern: "needle" });
  assert.doesNotMatch(text, /outside/);
  assert.match(text, /^a\.txt\n1:needle one\n\ndir\/b\.txt\n1:needle\n\ntwin\n1:needle-shared$/);
  assert.equal(facts["files"], 3, "nor is it counted, which would tell that it matches");
  const none = await at.call(grep, { pattern: "needle-nowhere" });
  assert.equal((await at.call(grep, { pattern: "needle-outside" })).text, none.text);
});

Deno.test("file tools read a hard link but do not write it", async () => {
  await using at = await hostilePlace();
  assert.equal((await at.call(fileRead, { path: "twin" })).status, "ok");
  for (
    const [tool, args] of [
      [fileWrite, { path: "twin", content: "changed\n" }],
      [fileEdit, { path: "twin", old: "needle-shared", new: "changed" }],
    ] as const
  ) {
    const { status, text } = await at.call(tool, args);
    assert.equal(status, "failed");
    assert.match(text, /it has a second hard link, which may lie elsewhere/);
  }
  assert.equal(await at.outside.read("twin"), "needle-shared\n");
});

Deno.test("no spelling of .git is written or read", async () => {
  assert.ok(GIT_SPELLINGS.length >= 60);
  await using at = await hostilePlace();
  const before = await treeHash(at.repo.path);
  for (const git of GIT_SPELLINGS) {
    for (const path of [`${git}/config`, `${git}/hooks/pre-commit`, `dir/${git}/x`, git]) {
      const written = await at.call(fileWrite, { path, content: "[core]\n" });
      assert.match(written.status, /denied|invalid|failed/, path);
      assert.notEqual((await at.call(fileRead, { path })).status, "ok", path);
      assert.notEqual(
        (await at.call(fileEdit, { path, old: "[core]", new: "x" })).status,
        "ok",
        path,
      );
    }
  }
  assert.equal(await treeHash(at.repo.path), before);
});
