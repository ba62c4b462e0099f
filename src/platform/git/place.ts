/** Finds the repo that a path is in, without trusting what the repo says about where it lies. */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import type { GitLocation } from "./hardening.ts";
import { refuseSpecial } from "./special_files.ts";

/** `core.worktree` in the settings of `gitDir`; a submodule points back with it. */
type WorktreeOf = (place: GitLocation) => Promise<string | undefined>;

const POINTER_BYTES = 8192;

/** Sync: one lstat(2) takes some 5 us, awaiting it 100 us, and each call of git does it. */
function kindOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound || thrown instanceof Deno.errors.NotADirectory) {
      return undefined;
    }
    throw new Failure("environment", `Cannot look at "${path}"`, { cause: thrown });
  }
}

export const exists = (path: string) => kindOf(path) !== undefined;

const parent = (path: string) => path.slice(0, path.lastIndexOf("/")) || "/";

/** Sync, as `kindOf`. */
function follow(folder: string, pointer: string): string | undefined {
  try {
    return Deno.realPathSync(pointer.startsWith("/") ? pointer : `${folder}/${pointer}`);
  } catch {
    return undefined;
  }
}

/** Undefined for anything but a small regular file of one line. */
export function pointerIn(path: string): string | undefined {
  const info = kindOf(path);
  if (info?.isFile !== true || info.size > POINTER_BYTES) return undefined;
  const line = Deno.readTextFileSync(path).replace(/\r?\n$/, "");
  return line === "" || line.includes("\n") ? undefined : line;
}

function refuse(root: string, why: string): never {
  throw new Failure("refused", `Cannot open the repo "${root}": ${why}`, {
    remedy: "Clone it anew, or open the repo that its .git really belongs to",
  });
}

/** A `.git` file leads elsewhere (gitrepository-layout(5)), trusted only when that folder leads back, by its
 * `gitdir` or a submodule's `core.worktree`: else a repo could have svc work on another one's history. */
async function linkedPlace(root: string, worktreeOf: WorktreeOf): Promise<GitLocation> {
  const pointer = (pointerIn(`${root}/.git`))?.match(/^gitdir: (.+)$/)?.[1];
  if (pointer === undefined) refuse(root, "its .git file does not name a git folder");
  const shown = JSON.stringify(pointer);
  const gitDir = follow(root, pointer);
  if (gitDir === undefined) refuse(root, `its .git file names ${shown}, which does not exist`);

  const shared = pointerIn(`${gitDir}/commondir`);
  if (shared === undefined) {
    if (exists(`${gitDir}/commondir`)) refuse(root, "its commondir is no pointer");
    const place = { root, gitDir, commonDir: gitDir };
    refuseSpecial(place);
    const back = await worktreeOf(place);
    if (back !== undefined && follow(gitDir, back) === root) return place;
    refuse(root, `its .git file names ${shown}, which is not the git folder of this work tree`);
  }
  const commonDir = follow(gitDir, shared);
  const back = pointerIn(`${gitDir}/gitdir`);
  const known = commonDir !== undefined && gitDir.startsWith(`${commonDir}/worktrees/`) &&
    parent(gitDir) === `${commonDir}/worktrees` && !exists(`${commonDir}/commondir`);
  if (known && back !== undefined && follow(gitDir, back) === `${root}/.git`) {
    refuseSpecial({ root, gitDir, commonDir });
    return { root, gitDir, commonDir };
  }
  refuse(root, `its .git file names ${shown}, which has no worktree here`);
}

async function placeAt(root: string, worktreeOf: WorktreeOf): Promise<GitLocation | undefined> {
  const path = `${root === "/" ? "" : root}/.git`;
  const info = kindOf(path);
  if (info === undefined) return undefined;
  if (info.isSymlink) refuse(root, "its .git is a symbolic link");
  if (info.isFile) return await linkedPlace(root, worktreeOf);
  if (exists(`${path}/commondir`)) {
    refuse(root, "its .git folder claims another common folder");
  }
  const place = { root, gitDir: path, commonDir: path };
  if (info.isDirectory) refuseSpecial(place);
  return place;
}

/**
 * Tells the git folder of a repo from every other, its copies too: a folder keeps inode and time of birth when it or
 * what is above it is renamed (statx(2)). Undefined where the file system keeps no such time, and in no repo.
 */
export function gitDirMark(root: string): string | undefined {
  const at = `${root}/.git`;
  const pointer = kindOf(at)?.isFile ? pointerIn(at)?.match(/^gitdir: (.+)$/)?.[1] : at;
  if (pointer === undefined) return undefined;
  const info = kindOf(pointer.startsWith("/") ? pointer : `${root}/${pointer}`);
  const born = info?.birthtime?.getTime();
  if (info?.isDirectory !== true || info.ino === null || born === undefined) return undefined;
  return `${info.ino} ${born}`;
}

function isBare(folder: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => exists(`${folder}/${name}`));
}

/** A repo above the named folder that is another user's was not meant. */
function refuseStranger({ root, gitDir }: GitLocation, start: string): void {
  if (root === start) return;
  const { uid } = Deno.statSync(start);
  for (const path of [root, gitDir]) {
    if (Deno.statSync(path).uid === uid) continue;
    throw new Failure("refused", `Cannot open the repo "${root}": "${path}" is another user's`, {
      remedy: `Name the repo itself if you trust it: --repo ${shellWord(root)}`,
    });
  }
}

function startAt(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch (cause) {
    throw new Failure("environment", `Cannot open the repo "${path}": no such folder`, {
      cause,
      remedy: "Pass --repo with the path of a git work tree",
    });
  }
}

/** @throws Failure `environment` when there is no repo or a bare one, `refused` when its pointers lead
 * elsewhere, or it lies above the path and is another user's */
export async function findPlace(path: string, worktreeOf: WorktreeOf): Promise<GitLocation> {
  const start = startAt(path);
  for (let folder = start;; folder = parent(folder)) {
    const place = await placeAt(folder, worktreeOf);
    if (place !== undefined) {
      refuseStranger(place, start);
      return place;
    }
    if (isBare(folder)) {
      const inside = folder.endsWith("/.git");
      const what = inside ? "the inside of a repo" : "a bare repo";
      throw new Failure("environment", `Cannot open "${folder}": it is ${what}`, {
        remedy: inside ? `Give "${parent(folder)}"` : "Clone it, and give the folder of the clone",
      });
    }
    if (folder === "/") break;
  }
  throw new Failure("environment", `Cannot open "${path}": it is not in a git repo`, {
    remedy: `git init ${shellWord(path)}`,
  });
}

/** Git reads `commondir` at each start. */
export function refuseMoved({ root, gitDir, commonDir }: GitLocation): void {
  const shared = pointerIn(`${gitDir}/commondir`);
  const now = shared === undefined ? gitDir : follow(gitDir, shared);
  if (now !== commonDir) refuse(root, "its commondir has changed");
}
