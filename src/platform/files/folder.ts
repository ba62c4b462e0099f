/** A target repo or worktree as a contained folder: no operation reaches outside, whatever races it. */
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { isComponent, protectionOf, quoted, repoPath } from "svc/core/repo_path.ts";
import { replace, sweepTemps } from "./atomic_replace.ts";
import {
  factsOf,
  type FileFacts,
  type Listing,
  listing,
  mustBeRegular,
  readBounded,
  syncFolder,
} from "./disk.ts";
import { Held } from "./held_folder.ts";
import { attempt, Blocked, osCode } from "./os_errors.ts";

/** What a file was when it was read; `mtimeMs` is epoch ms, `sha256` lower-case hex. */
export interface Stamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly sha256: string;
}

/** `size` is the file's own; `bytes` are its first `maxBytes`, and `sha256` is of those. */
export interface Content extends Stamp {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mode: number;
  readonly truncated: boolean;
}

/**
 * Every path is checked by `repoPath` here, so a caller may pass on text that it does not trust; "."
 * names the root in `stat` and `list`. Links are never followed, and git's own data (`protectionOf`)
 * is never changed; the other protected names are the caller's policy. Arguments and results can be
 * structured-cloned. Failures: `usage` (path), `not_found`, `refused` (a link, a hard link, not a
 * regular file, git's data), `conflict` (exists, changed, not empty), `environment`.
 */
export interface Folder {
  read(path: string, options: { maxBytes: number }): Promise<Content>;
  /**
   * Replaces or makes a file in an existing folder, atomically; at most FILE_WRITE_BYTES. Refuses a
   * file with a second hard link. An old file keeps its mode; a new one gets 0666 less the umask.
   * `expected` is what the file must still be right before it is replaced; null: it must not exist.
   */
  write(
    path: string,
    bytes: Uint8Array,
    options?: { mode?: number; expected?: Stamp | null },
  ): Promise<void>;
  /** About a link itself; undefined when the path, or a folder on it, is absent. */
  stat(path: string): Promise<FileFacts | undefined>;
  /** Names that are no path component (not UTF-8, control characters) are skipped and counted. */
  list(path: string): Promise<Listing>;
  /** With the missing folders above it; fine when it exists. */
  makeFolder(path: string): Promise<void>;
  /** A regular file or an empty folder. */
  remove(path: string): Promise<void>;
  /** Moves a regular file, never a folder: one may hold protected names. `to` must be free. */
  rename(from: string, to: string): Promise<void>;
}

/** Holds a descriptor until it is disposed. */
export interface OpenFolder extends Folder, Disposable {
  /** The real path at the time of opening. */
  readonly root: string;
}

/**
 * @param root path of an existing folder; links on it are resolved once, now
 * @throws Failure `environment` on other systems than Linux, where no path can be held still
 */
export function openFolder(
  root: string,
  os: typeof Deno.build.os = Deno.build.os,
): Promise<OpenFolder> {
  return attempt("open folder", root, async () => {
    if (os !== "linux" || !Held.works()) throw new Blocked("no_containment");
    const real = await Deno.realPath(root);
    return new LinuxFolder(real, Held.folder(real), await readUmask());
  });
}

/** From proc_pid_status(5), because `Deno.umask()` reads it by setting it for a moment. */
async function readUmask(): Promise<number> {
  const status = await Deno.readTextFile("/proc/self/status");
  return parseInt(status.match(/^Umask:\s*([0-7]+)/m)?.[1] ?? "022", 8);
}

class LinuxFolder implements OpenFolder {
  readonly root: string;
  readonly #newMode: number;
  #held: Held | undefined;

  constructor(root: string, held: Held, umask: number) {
    this.root = root;
    this.#held = held;
    this.#newMode = 0o666 & ~umask;
  }

  [Symbol.dispose](): void {
    this.#held?.[Symbol.dispose]();
    // The number of a closed descriptor may name another folder at once: never use it again.
    this.#held = undefined;
  }

  read(path: string, { maxBytes }: { maxBytes: number }): Promise<Content> {
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
    { mode, expected }: { mode?: number; expected?: Stamp | null } = {},
  ): Promise<void> {
    return attempt("write", path, async () => {
      if (bytes.length > FILE_WRITE_BYTES) {
        throw new Blocked("too_large", `the content has more than ${FILE_WRITE_BYTES} bytes`);
      }
      const { above, name } = splitForChange(path);
      using parent = this.#walk(above);
      // Before links are counted: a writer killed while placing leaves its temp as a second one.
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
    return attempt("look at", path, async () => {
      if (path === ".") {
        using root = this.#walk([]);
        return factsOf(await Deno.stat(root.path));
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

  list(path: string): Promise<Listing> {
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

  #walk(names: readonly string[], options?: { make: boolean }): Held {
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

async function readHeld(path: string, facts: FileFacts, maxBytes: number): Promise<Content> {
  using file = Deno.openSync(path);
  const { bytes, truncated } = await readBounded(file, { size: facts.size, maxBytes });
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  const { size, mode, mtimeMs } = facts;
  return { bytes, truncated, size, mode, mtimeMs, sha256: new Uint8Array(digest).toHex() };
}

async function mustStillBe(parent: Held, name: string, expected: Stamp): Promise<void> {
  const now = await parent.pinned(name, (path, facts) => readHeld(path, facts, expected.size));
  const same = now !== undefined && !now.truncated && now.size === expected.size &&
    now.mtimeMs === expected.mtimeMs && now.sha256 === expected.sha256;
  if (!same) throw new Blocked("changed");
}
