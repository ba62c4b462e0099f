/** Reads many files of a tree at the speed of the disk, for scans. */
import { folderOf } from "svc/core/path_parts.ts";

export type Unread = "symlink" | "submodule" | "missing" | "unreadable" | "too_large";

interface TreePlan {
  readonly root: string;
  readonly paths: readonly string[];
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly progress?: (done: number) => void;
}

export type ReadTree = (
  plan: TreePlan,
  visit: (path: string, content: Uint8Array | Unread) => void,
) => Promise<void>;

/** How often the loop lets timers and signals run; it is synchronous, which is four times as fast. */
const BREATH_MS = 50;

/** Files below a link do not belong to this tree. */
function folderCheck(root: string): (path: string) => Unread | undefined {
  const known = new Map<string, Unread | undefined>([["", undefined]]);
  return function check(folder: string): Unread | undefined {
    if (known.has(folder)) return known.get(folder);
    const above = check(folderOf(folder));
    const verdict = above ?? folderKind(`${root}/${folder}`);
    known.set(folder, verdict);
    return verdict;
  };
}

function folderKind(path: string): Unread | undefined {
  try {
    const { isSymlink, isDirectory } = Deno.lstatSync(path);
    return isSymlink ? "symlink" : isDirectory ? undefined : "missing";
  } catch (thrown) {
    return unread(thrown);
  }
}

function unread(thrown: unknown): Unread {
  return thrown instanceof Deno.errors.NotFound ? "missing" : "unreadable";
}

/** The next file overwrites the bytes. Links are not followed, but no descriptors are held: whoever swaps a
 * folder for a link meanwhile can make it read a file outside; a scan shows no contents. */
export const readTree: ReadTree = async (plan, visit) => {
  const { root, paths, maxBytes, signal, progress } = plan;
  const inFolder = folderCheck(root);
  const buffer = new Uint8Array(maxBytes + 1);
  let breath = performance.now();
  for (const [done, path] of paths.entries()) {
    visit(
      path,
      inFolder(folderOf(path)) ?? one(root, path, buffer),
    );
    if (performance.now() - breath < BREATH_MS) continue;
    progress?.(done + 1);
    await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) throw signal.reason;
    breath = performance.now();
  }
};

function one(root: string, path: string, buffer: Uint8Array): Uint8Array | Unread {
  const full = `${root}/${path}`;
  try {
    const { isSymlink, isDirectory, isFile, size } = Deno.lstatSync(full);
    if (isSymlink) return "symlink";
    if (isDirectory) return "submodule";
    if (!isFile) return "unreadable";
    if (size >= buffer.length) return "too_large";
    using file = Deno.openSync(full);
    let length = 0;
    for (let read = file.readSync(buffer); read; read = file.readSync(buffer.subarray(length))) {
      length += read;
      if (length === buffer.length) return "too_large"; // it grew since the look
    }
    return buffer.subarray(0, length);
  } catch (thrown) {
    return unread(thrown);
  }
}
