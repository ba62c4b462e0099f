/** Reads many files of a tree at the speed of the disk, for scans. */
import { folderOf } from "svc/core/path_parts.ts";
import { afterTheRest } from "svc/platform/timers.ts";

export type Unread = "symlink" | "submodule" | "missing" | "unreadable" | "too_large";

interface TreePlan {
  readonly root: string;
  readonly paths: readonly string[];
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly progress?: (done: number) => void;
  /** By path: a file that still has this stamp is not read, and `visit` is not called for it. */
  readonly stamps?: ReadonlyMap<string, string>;
}

export type ReadTree = (
  plan: TreePlan,
  /** `stamp` is "" for a file that may change again without another stamp. */
  visit: (path: string, content: Uint8Array | Unread, stamp: string) => void,
) => Promise<void>;

/** The second of two writes within this time may leave size and times as they are: FAT counts in 2 s. */
const STAMP_COARSE_MS = 2_000;

/** As git's index does, times too young to tell two writes apart are not trusted (gitformat-index, racy git). */
function stampOf({ ino, size, mtime, ctime }: Deno.FileInfo): string {
  const [changed, moved] = [mtime?.getTime() ?? Infinity, ctime?.getTime() ?? Infinity];
  const settled = Math.max(changed, moved) < Date.now() - STAMP_COARSE_MS;
  return settled ? `${ino} ${size} ${changed} ${moved}` : "";
}

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
  const { root, paths, maxBytes, signal, progress, stamps } = plan;
  const inFolder = folderCheck(root);
  const buffer = new Uint8Array(maxBytes + 1);
  let breath = performance.now();
  for (const [done, path] of paths.entries()) {
    const away = inFolder(folderOf(path));
    if (away === undefined) {
      one(`${root}/${path}`, buffer, stamps?.get(path), visit.bind(null, path));
    } else visit(path, away, "");
    if (performance.now() - breath < BREATH_MS) continue;
    progress?.(done + 1);
    await afterTheRest();
    if (signal.aborted) throw signal.reason;
    breath = performance.now();
  }
};

function one(
  path: string,
  buffer: Uint8Array,
  known: string | undefined,
  tell: (content: Uint8Array | Unread, stamp: string) => void,
): void {
  let stamp = "";
  let content: Uint8Array | Unread;
  try {
    const facts = Deno.lstatSync(path);
    stamp = stampOf(facts);
    if (stamp !== "" && stamp === known) return;
    content = contentOf(path, facts, buffer);
  } catch (thrown) {
    content = unread(thrown);
  }
  tell(content, stamp);
}

function contentOf(
  path: string,
  { isSymlink, isDirectory, isFile, size }: Deno.FileInfo,
  buffer: Uint8Array,
): Uint8Array | Unread {
  if (isSymlink) return "symlink";
  if (isDirectory) return "submodule";
  if (!isFile) return "unreadable";
  if (size >= buffer.length) return "too_large";
  using file = Deno.openSync(path);
  let length = 0;
  for (let read = file.readSync(buffer); read; read = file.readSync(buffer.subarray(length))) {
    length += read;
    if (length === size) break; // one call in five, and files of the kernel tell a size of 0
    if (length === buffer.length) return "too_large"; // it grew since the look
  }
  return buffer.subarray(0, length);
}
