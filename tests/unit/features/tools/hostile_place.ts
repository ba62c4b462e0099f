/** A repo full of ways out, and the check that a tool takes none of them whatever it is asked. */
import assert from "node:assert/strict";
import { definitionOf } from "svc/features/tools/definitions.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import { badArgs, treeHash } from "tests/kit/bad_args.ts";
import { makeDevice, makeFifo } from "tests/kit/odd_disks.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { toolPlace } from "tests/kit/tool_place.ts";

export const isRoot = Deno.uid() === 0;
const signal = new AbortController().signal;

/** A repo in which every kind of way out is laid, and the folder they lead to. */
export async function hostilePlace() {
  const outside = await tempFolder("svc-outside-");
  await outside.write("secret", "needle-outside\n");
  await outside.write("twin", "needle-shared\n");
  const at = await toolPlace({
    files: { "a.txt": "needle one\ntwo\n", "dir/b.txt": "needle\n", "away/secret": "needle\n" },
  });
  const inRepo = (name: string) => `${at.repo.path}/${name}`;
  await Deno.symlink(outside.path, inRepo("link"));
  await Deno.symlink(".", inRepo("self"));
  await Deno.symlink("/proc/self/root", inRepo("slash"));
  await Deno.symlink(`${outside.path}/secret`, inRepo("straight"));
  await Deno.link(`${outside.path}/twin`, inRepo("twin"));
  await makeFifo(inRepo("fifo"));
  if (isRoot) await makeDevice(inRepo("device"));
  // The index names away/secret; git itself would follow the link that stands there now.
  await Deno.remove(inRepo("away"), { recursive: true });
  await Deno.symlink(outside.path, inRepo("away"));
  return {
    ...at,
    outside,
    async [Symbol.asyncDispose]() {
      await at[Symbol.asyncDispose]();
      await outside[Symbol.asyncDispose]();
    },
  };
}

/** As many calls at a time as an agent makes of tools that only look. */
const AT_ONCE = 4;

/** Gives the tool 500 bad arguments: as an observer, and what writes as a contributor too. */
export async function takesBadArgs(tool: AnyTool): Promise<void> {
  await using at = await hostilePlace();
  const plan = { definition: definitionOf(tool), count: 500, outside: at.outside.path };
  const observer = at.box([tool], {
    policy: {
      profile: "observer",
      now: () =>
        Promise.resolve({
          roleTrust: "observer",
          sourceTrust: "observer",
          roleTools: undefined,
          guardrails: { denyPaths: [], denyCommands: [] },
        }),
    },
  });
  const hashes = async (...folders: string[]) => await Promise.all(folders.map(treeHash));
  const [root, gitData] = [at.repo.path, `${at.repo.path}/.git`];
  const [inside, ...rest] = await hashes(root, at.outside.path, gitData);
  const statuses = new Set<string>();
  for (const box of tool.capability === "read" ? [observer] : [observer, at.box([tool])]) {
    const queue = badArgs({ ...plan, seed: 7 });
    // One queue, which several workers take from.
    const work = Array.from({ length: AT_ONCE }, async () => {
      for (const args of queue) {
        const { status, text } = await box.call(tool.name, args, { signal });
        statuses.add(status);
        assert.doesNotMatch(text, /needle-outside|failed unexpectedly/, JSON.stringify(args));
      }
    });
    await Promise.all(work);
    if (box === observer) assert.deepEqual(await hashes(root), [inside]);
  }
  assert.deepEqual(await hashes(at.outside.path, gitData), rest);
  assert.deepEqual(at.logged, []);
  // Not all may end at the gate: some calls have to reach the tool.
  assert.ok(statuses.has("failed") || statuses.has("ok"), [...statuses].join());
}
