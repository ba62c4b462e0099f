/** Lets go of a repo where none lies any more: what svc keeps of it outside, and no file of anybody else. */
import { Failure } from "svc/core/failure.ts";
import { repoId } from "svc/core/ids.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { HarnessChange, KeptFile } from "svc/features/harness/draft.ts";
import { type DatabaseRequest, planDatabase } from "svc/features/harness/plan_database.ts";
import { dropPool } from "svc/features/harness/plan_eject.ts";
import type { Files } from "svc/platform/files/files.ts";
import { removeTree } from "svc/platform/files/journal_target.ts";
import type { Home } from "svc/platform/home.ts";
import { peekOwner, walStateOf } from "svc/store/open.ts";
import { findScoped, type PlacementPorts } from "svc/store/placement.ts";
import { registersOf } from "./unregister.ts";

export interface GonePlan {
  readonly changes: readonly HarnessChange[];
  readonly kept: readonly KeptFile[];
  readonly drops: readonly string[];
  readonly registers: readonly string[];
}

/**
 * The place of a repo where something else lies by now, such as its files without `.git`. A folder that svc knows
 * nothing of may be one below a repo.
 */
export async function isRepoGone(ports: PlacementPorts, root: string): Promise<boolean> {
  const git = await ports.files.stat(`${root}/.git`).catch(() => undefined);
  if (git !== undefined) return false;
  if ((await registersOf(ports, { root, db: undefined, drops: [] })).length > 0) return true;
  const own = await findScoped(ports, { repo: root });
  return own !== undefined && peekOwner(own, await walStateOf(ports.files, own)) === root;
}

/** @throws Failure `environment` if svc knows of no such repo, as every command does of a folder that is not there */
export async function planGone(
  { files, home }: { readonly files: Files; readonly home: Home },
  asked: DatabaseRequest,
): Promise<GonePlan> {
  const changes: HarnessChange[] = [];
  const kept: KeptFile[] = [];
  const drops: string[] = [];
  const draft = {
    ...{ changes, drops },
    keep: (path: string, why: string) => void kept.push({ path, why }),
  };
  const { repo: root, db } = asked;
  await planDatabase(draft, asked);
  if (await files.stat(root) !== undefined) {
    draft.keep(root, "it is no git repo any more; what lies there stays as it is");
  }
  const below = await files.realPath(home.worktrees).catch(() => undefined);
  await dropPool(draft, { repo: root, files, below });
  const trees = `${below}/${root.slice(root.lastIndexOf("/") + 1)}-${await repoId(root)}`;
  if (below !== undefined && (await files.stat(trees))?.kind === "folder") {
    draft.keep(`${trees}/`, "work trees of roles, whose repo is gone; rm -r takes them away");
  }
  const registers = await registersOf({ files, home }, { root, db, drops });
  if (changes.length + kept.length + registers.length === 0) {
    throw new Failure("environment", `Cannot eject ${quoted(root)}: there is no such folder`, {
      remedy:
        "Correct --repo: it takes the folder of a repo, or the place that a registered one had",
    });
  }
  return { changes, kept, drops, registers };
}

export async function dropGone(files: Files, { drops }: GonePlan): Promise<void> {
  for (const path of drops) await removeTree(files, path);
}
