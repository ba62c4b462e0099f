import assert from "node:assert/strict";
import { examine } from "svc/features/doctor/examine.ts";
import type { ProbeContext } from "svc/features/doctor/probe.ts";
import { workflow } from "svc/features/doctor/repo_probes.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

Deno.test("doctor tells when a repo in which svc alone commits wants to be packed", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  await using home = await tempFolder();
  const commonDir = `${repo.path}/.git`;
  const context = {
    repo: {
      git: { root: repo.path, commonDir, branch: "main", operation: undefined },
      movedFrom: () => Promise.resolve(undefined),
    },
    home: () => ({ worktrees: `${home.path}/worktrees` }),
    files: denoFiles(),
  } as unknown as ProbeContext;
  const found = async () =>
    (await examine([workflow], context)).findings.map(({ text, fix }) => [text, fix]);
  const fine = ["on branch main", undefined];
  assert.deepEqual(await found(), [fine]);
  await Deno.mkdir(`${commonDir}/objects/17`, { recursive: true });
  const loose = async (count: number) => {
    for (let nth = 0; nth < count; nth++) {
      const name = String(nth).padStart(38, "0");
      await Deno.writeTextFile(`${commonDir}/objects/17/${name}`, "");
    }
  };
  await loose(26);
  assert.deepEqual(await found(), [fine]);
  await loose(27);
  assert.deepEqual(await found(), [fine, [
    `some 6912 objects of ${repo.path} lie loose: git becomes slow`,
    `git -C ${repo.path} gc`,
  ]]);
});
