/** The trees of a commit with some paths changed: only those above them are read and made, and no index is. */
import { joinBytes } from "svc/core/bytes.ts";
import { Failure } from "svc/core/failure.ts";
import { gitObjectId, gitPath } from "svc/core/git_args.ts";
import type { CallGit } from "./call.ts";
import type { ObjectPack } from "./object_pack.ts";
import { BatchBlobs } from "./output.ts";

/** A tree of 100,000 files takes 4 MB; longer ones are refused. */
const TREE_BYTES = 64 * 1024 * 1024;

const FOLDER = "40000";

export interface ReadTrees {
  /** Undefined before the first commit. */
  readonly root: string | undefined;
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

const encoder = new TextEncoder();

function foldersOf(paths: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      folders.add(path.slice(0, at));
    }
  }
  return folders;
}

/** The tree of a commit, and those that lie above the paths, by one process. */
export async function readTrees(
  git: CallGit,
  doing: string,
  commit: string | undefined,
  paths: readonly string[],
): Promise<ReadTrees> {
  const contents = new Map<string, Uint8Array>();
  if (commit === undefined) return { root: undefined, contents };
  const folders = [...foldersOf(paths.map(gitPath))];
  const names = [`${gitObjectId(commit)}^{tree}`, ...folders.map((one) => `${commit}:${one}`)];
  const batch = new BatchBlobs(TREE_BYTES, { trees: true });
  let root: string | undefined;
  await git({
    doing,
    // Each on a line of its own: `gitPath` refuses a line feed.
    args: ["cat-file", "--batch", "--buffer"],
    stdin: encoder.encode(names.map((name) => `${name}\n`).join("")),
    maxOutputBytes: 4096,
    onOutput(chunk, stream) {
      if (stream === "stderr") return;
      for (const tree of batch.push(chunk)) {
        if (tree.state === "read") contents.set(tree.oid, tree.bytes);
        root ??= tree.oid;
      }
    },
  });
  return { root, contents };
}

/** What a folder holds under one name; `folder` where it was looked into. */
interface TreeEntry {
  readonly mode: string;
  readonly id: string;
  readonly folder?: TreeFolder;
}

interface TreeFolder {
  /** By their names, a character for each byte: they need not be UTF-8. */
  readonly entries: Map<string, TreeEntry>;
  changed: boolean;
}

const isFolder = ({ mode }: TreeEntry) => Number.parseInt(mode, 8) === 0o40000;

function byteText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

const textBytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** `mode SP name NUL id`, one after the other (gitformat-pack(5), the id in bytes). */
function entriesIn(bytes: Uint8Array, idBytes: number): Map<string, TreeEntry> | undefined {
  const entries = new Map<string, TreeEntry>();
  for (let from = 0; from < bytes.length;) {
    const [space, end] = [bytes.indexOf(0x20, from), bytes.indexOf(0, from)];
    const next = end + 1 + idBytes;
    if (space < 0 || end < space || next > bytes.length) return undefined;
    entries.set(byteText(bytes.subarray(space + 1, end)), {
      mode: byteText(bytes.subarray(from, space)),
      id: bytes.subarray(end + 1, next).toHex(),
    });
    from = next;
  }
  return entries;
}

/** Git sorts a folder as if its name ended with "/". */
function contentOf({ entries }: TreeFolder): Uint8Array {
  const sorted = [...entries].map(([name, entry]) => ({
    name,
    entry,
    key: isFolder(entry) ? `${name}/` : name,
  })).sort((a, b) => a.key < b.key ? -1 : 1);
  return joinBytes(sorted.flatMap(({ name, entry: { mode, id } }) => [
    textBytes(`${mode} ${name}\0`),
    Uint8Array.fromHex(id),
  ]));
}

/** `mode SP id`, or "" for a path that goes. */
export interface TreeChange {
  readonly path: string;
  readonly entry: string;
}

class ChangedTrees {
  readonly #doing: string;
  readonly #contents: ReadTrees["contents"];

  constructor(doing: string, { contents }: ReadTrees) {
    this.#doing = doing;
    this.#contents = contents;
  }

  folderAt(id: string | undefined): TreeFolder {
    if (id === undefined) return { entries: new Map(), changed: true };
    const content = this.#contents.get(id);
    const entries = content && entriesIn(content, id.length / 2);
    if (entries !== undefined) return { entries, changed: false };
    throw new Failure("environment", `Cannot ${this.#doing}: the repo lacks the tree ${id}`, {
      remedy: "git fsck, and fetch what it names, or clone the repo anew",
    });
  }

  /** As `git update-index` does: a file takes the place of a folder, and the other way round. @returns whether it changes anything */
  change(folder: TreeFolder, [name = "", ...below]: readonly string[], entry: string): boolean {
    const there = folder.entries.get(name);
    const inner = there && isFolder(there) ? there : undefined;
    if (below.length > 0) {
      if (inner === undefined && entry === "") return false;
      const into = inner?.folder ?? this.folderAt(inner?.id);
      folder.entries.set(name, { mode: FOLDER, id: "", ...inner, folder: into });
      if (!this.change(into, below, entry)) return false;
    } else if (entry === "") {
      if (there === undefined || inner !== undefined) return false;
      folder.entries.delete(name);
    } else {
      const [mode = "", id = ""] = entry.split(" ");
      if (there?.mode === mode && there.id === id) return false;
      folder.entries.set(name, { mode, id });
    }
    return folder.changed = true;
  }

  /** @returns the folder's id; undefined for one that became empty, which goes */
  async store(folder: TreeFolder, pack: ObjectPack): Promise<string | undefined> {
    for (const [name, { mode, folder: inner }] of [...folder.entries]) {
      if (inner?.changed !== true) continue;
      const id = await this.store(inner, pack);
      if (id === undefined) folder.entries.delete(name);
      else folder.entries.set(name, { mode, id });
    }
    return folder.entries.size === 0 ? undefined : await pack.add("tree", contentOf(folder));
  }
}

/** Adds the trees that are new to the pack. @returns the id of the changed tree
 * @throws Failure `environment` where the repo lacks a tree */
export async function changedTree(
  pack: ObjectPack,
  doing: string,
  read: ReadTrees,
  changes: readonly TreeChange[],
): Promise<string> {
  const trees = new ChangedTrees(doing, read);
  const root = trees.folderAt(read.root);
  for (const { path, entry } of changes) {
    trees.change(root, byteText(encoder.encode(path)).split("/"), entry);
  }
  if (!root.changed) return read.root!;
  return await trees.store(root, pack) ?? await pack.add("tree", new Uint8Array(0));
}
