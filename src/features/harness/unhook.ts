/** Turns the removal of git hooks into steps of a plan, by having it write to a list. */
import { Failure } from "svc/core/failure.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { isStrange, type Present } from "svc/platform/files/journal_target.ts";
import { type Draft, versionOf } from "./draft.ts";

type HookFiles = Pick<
  Files,
  "read" | "stat" | "realPath" | "makeFolder" | "writeAtomic" | "rename" | "remove"
>;

export type RemoveHooks = (files: HookFiles) => Promise<readonly string[]>;

async function present(draft: Draft, path: string): Promise<Present> {
  const now = await draft.now(path);
  if (now !== undefined && !isStrange(now)) return now;
  const why = now?.strange ?? "it is gone";
  throw new Failure("conflict", `Cannot edit the hook "${path}": ${why}`);
}

/** Reads go through; each change becomes a step. */
function recorder(draft: Draft, files: HookFiles): HookFiles {
  const replace = async (path: string, bytes: Uint8Array<ArrayBuffer>, from?: Present) => {
    const over = await present(draft, path);
    const after = await versionOf(bytes, (from ?? over).mode);
    const before = { ...await versionOf(over.bytes, over.mode) };
    draft.steps.push({ kind: "file", path, before, after });
    draft.changes.push({ path, change: "edit" });
  };
  return {
    read: (path, options) => files.read(path, options),
    stat: (path) => files.stat(path),
    realPath: (path) => files.realPath(path),
    makeFolder: () => Promise.resolve(),
    async writeAtomic(path, content) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await replace(path, new Uint8Array(bytes));
    },
    async rename(from, to) {
      const moved = await present(draft, from);
      await replace(to, moved.bytes, moved);
      draft.remove(from, moved);
    },
    async remove(path) {
      draft.remove(path, await present(draft, path));
    },
  };
}

export async function unhook(draft: Draft, repo: GitRepo, remove: RemoveHooks): Promise<void> {
  try {
    await remove(recorder(draft, draft.ground.files));
  } catch (thrown) {
    if (!(thrown instanceof Failure && thrown.code === "conflict")) throw thrown;
    // A hooks folder that serves other repos too is one that install-hooks refuses as well.
    if (thrown.message.startsWith("Cannot edit")) {
      draft.keep(`${repo.commonDir}/hooks`, thrown.message);
    }
  }
}
