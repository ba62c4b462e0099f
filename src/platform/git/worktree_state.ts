/** Whether a work tree is whole and free, and how one is taken away. */
import type { Clock } from "svc/platform/clock.ts";
import { removeFolder } from "svc/platform/files/closed_folders.ts";
import { pointerIn } from "./place.ts";
import { holderText, tryLock } from "./repo_lock.ts";
import { adminFolder } from "./worktree_list.ts";
import { WHOLE } from "./worktree_mark.ts";
import type { HeldTree, TreeHolding } from "./worktrees.ts";

const LOCK = "svc-worktree.lock";

const WORKS_AS = "work in it as ";

export function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** `half`: a killed run left it, nobody worked in it. `broken`: its `.git` no longer leads to git. */
export function stateOf(
  commonDir: string,
  path: string,
): "half" | "gone" | "broken" | "whole" {
  const admin = adminFolder(commonDir, path);
  if (admin === undefined || !exists(`${admin}/${WHOLE}`)) return "half";
  if (!exists(path)) return "gone";
  return pointerIn(`${path}/.git`) === `gitdir: ${admin}` ? "whole" : "broken";
}

/** The folder goes first: git lists the work tree until nothing of it is left. */
export async function discard(commonDir: string, path: string): Promise<void> {
  if (exists(path)) await removeFolder(path);
  const admin = adminFolder(commonDir, path);
  if (admin !== undefined) await Deno.remove(admin, { recursive: true });
}

/** Other databases know nothing of a job here, so a lock tells; any death frees it. @param admin git's folder of the tree; without one there is nothing to hold */
export async function holdTree(
  clock: Clock,
  admin: string | undefined,
  { job, from }: Pick<TreeHolding, "job" | "from">,
): Promise<HeldTree> {
  if (admin === undefined) return { lock: { [Symbol.dispose]() {} } };
  const path = `${admin}/${LOCK}`;
  const plan = { doing: `${WORKS_AS}${job}`, clock };
  const tried = await tryLock(path, plan);
  if ("lock" in tried) return tried;
  const { holder } = tried;
  const theirs = holder?.doing.startsWith(WORKS_AS)
    ? holder.doing.slice(WORKS_AS.length)
    : undefined;
  if (from === undefined || theirs !== from) return { job: theirs, who: holderText(holder) };
  // Theirs stays locked, and leads nowhere any more.
  await Deno.remove(path);
  return await holdTree(clock, admin, { job });
}
