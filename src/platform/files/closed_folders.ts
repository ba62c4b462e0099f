/** Folders in which their owner may not write, as Go leaves its module cache: nothing can be removed from them. */
import { HeldFolder } from "./held_folder.ts";
import { attempt, osCode } from "./os_errors.ts";

/** rwx of the owner. */
const ALL = 0o700;

/** Each level holds a descriptor. */
const DEEPEST = 200;

/** Opens the folder and all below it to their owner; links are not followed. @returns how many were closed */
export async function openClosed(path: string): Promise<number> {
  using top = HeldFolder.folder(path);
  return await openHeld(top, DEEPEST);
}

async function openHeld(folder: HeldFolder, levels: number): Promise<number> {
  const mode = (Deno.statSync(folder.path).mode ?? 0) & 0o7777;
  let opened = 0;
  if ((mode & ALL) !== ALL) {
    Deno.chmodSync(folder.path, mode | ALL);
    opened++;
  }
  if (levels === 0) return opened;
  for await (const { name, isDirectory } of Deno.readDir(folder.path)) {
    if (isDirectory) opened += await openBelow(folder, name, levels - 1);
  }
  return opened;
}

async function openBelow(above: HeldFolder, name: string, levels: number): Promise<number> {
  try {
    using folder = above.walk([name]);
    return await openHeld(folder, levels);
  } catch (thrown) {
    // Another user's, gone, or of a name that is not UTF-8: whoever meets it says what it keeps them from.
    if (osCode(thrown) === undefined) throw thrown;
    return 0;
  }
}

/** `work`, and once more where folders below the path were closed. @param work may be done twice */
export async function overClosed<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (await openClosed(path).catch(() => 0) === 0) throw thrown;
    return await work();
  }
}

/** With all that is in it. @throws Failure that names the path */
export function removeFolder(path: string): Promise<void> {
  return attempt(
    "remove",
    path,
    () => overClosed(path, () => Deno.remove(path, { recursive: true })),
  );
}
