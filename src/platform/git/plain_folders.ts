/** Tells files of a work tree from those that git reached through a link in place of a folder. */
import { folderOf } from "svc/core/path_parts.ts";

/**
 * `git grep` reads through such a link (decision 0011): that a file elsewhere matches would tell what is in it.
 * Each folder is looked at once, so that an answer is used for one search.
 */
export function inPlainFolders(root: string): (path: string) => boolean {
  const known = new Map<string, boolean>([["", true]]);
  const isPlain = (folder: string): boolean => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const plain = isPlain(folderOf(folder)) && !isLink(`${root}/${folder}`);
    known.set(folder, plain);
    return plain;
  };
  return (path) => isPlain(folderOf(path));
}

/** Sync: folders of hits are few, and awaiting each takes longer than the call. */
function isLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return false; // it went meanwhile
    throw thrown;
  }
}
