/** A target repo or worktree as a contained folder: no operation reaches outside, whatever races it. */
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { sha256 } from "svc/core/digest.ts";
import { isComponent, protectionOf, quoted, repoPath } from "svc/core/repo_path.ts";
import { replace, sweepTemps } from "./atomic_replace.ts";
import {
  factsOf,
  type FileFacts,
  type FolderListing,
  listing,
  mustBeRegular,
  readBounded,
  syncFolder,
} from "./disk.ts";
import { HeldFolder } from "./held_folder.ts";
import { attempt, Blocked, osCode } from "./os_errors.ts";

/** `mtimeMs` is epoch ms, `sha256` lower-case hex. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly sha256: string;
}

/** `size` is the file's own; `bytes` are its first `maxBytes`, and `sha256` is of those. */
export interface FileContent extends FileStamp {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mode: number;
  readonly truncated: boolean;
}

/** Untrusted paths may come here; "." is the root in `stat` and `list`. Links are not followed, git's data is
 * not changed. Can be structured-cloned. Failures: `usage`, `not_found`, `refused`, `conflict`, `environment`. */
export interface Folder {
  read(path: string, options: { maxBytes: number }): Promise<FileContent>;
  /** Atomic, in an existing folder; refuses a second hard link. A new file gets 0666 less the umask.
   * Fails unless the file is still at `expected` right before it is replaced; null: absent. */
  write(
    path: string,
    bytes: Uint8Array,
    options?: { mode?: number; expected?: FileStamp | null },
  ): Promise<void>;
  /** Does not follow a link; undefined also when a folder on the path is absent. */
  stat(path: string): Promise<FileFacts | undefined>;
  /** Skips and counts names that are no path component (not UTF-8, control characters). */
  list(path: string): Promise<FolderListing>;
  makeFolder(path: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Moves a regular file, never a folder, which may hold protected names. `to` must be free. */
  rename(from: string, to: string): Promise<void>;
}

export interface OpenFolder extends Folder, Disposable {
  readonly root: string;
}

/** Resolves links on `root` once. @throws Failure `environment` outside Linux, which alone can hold a folder */
export function openFolder(
  root: string,
  os: typeof Deno.build.os = Deno.build.os,
): Promise<OpenFolder> {
  return attempt("open folder", root, () => {
    if (os !== "linux" || !HeldFolder.works()) throw new Blocked("no_containment");
    const real = Deno.realPathSync(root);
    return new LinuxFolder(real, HeldFolder.folder(real), readUmask());
  });
}

/** Reads proc_pid_status(5), because `Deno.umask()` sets the umask for a moment. */
function readUmask(): number {
  const status = Deno.readTextFileSync("/proc/self/status");
  return parseInt(status.match(/^Umask:\s*([0-7]+)/m)?.[1] ?? "022", 8);
}

class LinuxFolder implements OpenFolder {
  readonly root: string;
  readonly #newMode: number;
  #held: HeldFolder | undefined;

  constructor(root: string, held: HeldFolder, umask: number) {
    this.root = root;
    this.#held = held;
    this.#newMode = 0o666 & ~umask;
  }

  [Symbol.dispose](): void {
    this.#held?.[Symbol.dispose]();
    // The system may give the number of a closed descriptor to another folder at once.
    this.#held = undefined;
  }

  read(path: string, { maxBytes }: { maxBytes: number }): Promise<FileContent> {
    return attempt("read", path, async () => {
      const { above, name } = split(path);
      using parent = this.#walk(above);
      const content = await parent.pinned(name, (held, facts) => readHeld(held, facts, maxBytes));
      if (content === undefined) throw new Blocked("ENOENT");
      return content;
    });
  }

  write(
    path: string,
    bytes: Uint8Array,
    { mode, expected }: { mode?: number; expected?: FileStamp | null } = {},
  ): Promise<void> {
    return attempt("write", path, async () => {
      if (bytes.length > FILE_WRITE_BYTES) {
        throw new Blocked("too_large", `the content has more than ${FILE_WRITE_BYTES} bytes`);
      }
      const { above, name } = splitForChange(path);
      using parent = this.#walk(above);
      // Before links are counted: a writer killed while placing leaves its temporary file as a second link.
      await sweepTemps(parent);
      const old = await parent.pinned(name, (_, facts) => facts);
      if (old && expected === null) throw new Blocked("EEXIST");
      if (old && old.links > 1) throw new Blocked("hard_linked");
      await replace(parent, name, {
        bytes,
        mode: mode ?? old?.mode ?? this.#newMode,
        old,
        fresh: expected === null,
        beforePlacing: async () => {
          if (expected) await mustStillBe(parent, name, expected);
        },
      });
    });
  }

  stat(path: string): Promise<FileFacts | undefined> {
    return attempt("look at", path, () => {
      if (path === ".") {
        using root = this.#walk([]);
        return factsOf(Deno.statSync(root.path));
      }
      const { above, name } = split(path);
      try {
        using parent = this.#walk(above);
        return parent.facts(name);
      } catch (thrown) {
        if (osCode(thrown) === "ENOENT") return undefined;
        throw thrown;
      }
    });
  }

  list(path: string): Promise<FolderListing> {
    return attempt("list", path, async () => {
      using folder = this.#walk(path === "." ? [] : repoPath(path).split("/"));
      return await listing(folder.path, isComponent);
    });
  }

  makeFolder(path: string): Promise<void> {
    return attempt("make folder", path, () => {
      const { above, name } = splitForChange(path);
      this.#walk([...above, name], { make: true })[Symbol.dispose]();
    });
  }

  remove(path: string): Promise<void> {
    return attempt("remove", path, async () => {
      const { above, name } = splitForChange(path);
      using parent = this.#walk(above);
      const facts = parent.facts(name);
      if (facts?.kind !== "folder") mustBeRegular(facts);
      await Deno.remove(parent.at(name));
      await syncFolder(parent.path);
    });
  }

  rename(from: string, to: string): Promise<void> {
    return attempt("move", from, async () => {
      const old = splitForChange(from);
      const { above, name } = splitForChange(to);
      using source = this.#walk(old.above);
      mustBeRegular(source.facts(old.name));
      await attempt("move to", to, async () => {
        using target = this.#walk(above);
        if (target.facts(name) !== undefined) throw new Blocked("EEXIST");
        await Deno.rename(source.at(old.name), target.at(name));
        await syncFolder(target.path);
      });
      await syncFolder(source.path);
    });
  }

  #walk(names: readonly string[], options?: { make: boolean }): HeldFolder {
    if (this.#held === undefined) throw new Error(`Folder ${quoted(this.root)} is closed`);
    return this.#held.walk(names, options);
  }
}

function split(path: string): { above: string[]; name: string } {
  const above = repoPath(path).split("/");
  return { name: above.pop()!, above };
}

function splitForChange(path: string): { above: string[]; name: string } {
  if (protectionOf(repoPath(path)) === "git") throw new Blocked("git_data");
  return split(path);
}

async function readHeld(path: string, facts: FileFacts, maxBytes: number): Promise<FileContent> {
  using file = Deno.openSync(path);
  const { bytes, truncated } = await readBounded(file, { size: facts.size, maxBytes });
  const { size, mode, mtimeMs } = facts;
  return { bytes, truncated, size, mode, mtimeMs, sha256: await sha256(bytes) };
}

async function mustStillBe(parent: HeldFolder, name: string, expected: FileStamp): Promise<void> {
  const now = await parent.pinned(name, (path, facts) => readHeld(path, facts, expected.size));
  const same = now !== undefined && !now.truncated && now.size === expected.size &&
    now.mtimeMs === expected.mtimeMs && now.sha256 === expected.sha256;
  if (!same) throw new Blocked("changed");
}
