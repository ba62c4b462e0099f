/** A folder held by descriptor on Linux: its entries are reached without another look-up of its path. */
import { closeSync, constants, openSync } from "node:fs";
import { factsOf, type FileFacts, type FolderAccess, mustBeRegular } from "./disk.ts";
import { Blocked, osCode } from "./os_errors.ts";

// Linux asm-generic/fcntl.h; node:fs lacks it. Opening with it has no effect on a FIFO or device.
const O_PATH = 0o10000000;
const ANY = O_PATH | constants.O_NOFOLLOW;
const FOLDER = ANY | constants.O_DIRECTORY;

/** `/proc/self/fd/N` leads to the very inode opened (proc_pid_fd(5)), so `/proc/self/fd/N/name` is what
 * openat(2) would reach, and a rename elsewhere changes nothing. */
export class HeldFolder implements FolderAccess, Disposable {
  readonly path: string;
  readonly #fd: number;

  private constructor(path: string, flags: number) {
    this.#fd = openSync(path, flags);
    this.path = `/proc/self/fd/${this.#fd}`;
  }

  /** The last component must not be a link. */
  static folder(path: string): HeldFolder {
    return new HeldFolder(path, FOLDER);
  }

  /** Tries O_PATH and O_NOFOLLOW on this machine: opening a link must give the link itself. */
  static works(): boolean {
    try {
      using link = new HeldFolder("/proc/self/exe", ANY);
      return Deno.statSync(link.path).isSymlink;
    } catch {
      return false;
    }
  }

  at(name: string): string {
    return `${this.path}/${name}`;
  }

  walk(names: readonly string[], { make = false } = {}): HeldFolder {
    let here = HeldFolder.folder(this.at("."));
    for (const name of names) {
      using above = here;
      if (make) above.#makeMissing(name);
      here = above.#enter(name);
    }
    return here;
  }

  facts(name: string): FileFacts | undefined {
    return unlessAbsent(() => factsOf(Deno.lstatSync(this.at(name))));
  }

  async pinned<T>(
    name: string,
    use: (path: string, facts: FileFacts) => T | Promise<T>,
  ): Promise<T | undefined> {
    using file = unlessAbsent(() => new HeldFolder(this.at(name), ANY));
    if (file === undefined) return undefined;
    const facts = factsOf(Deno.statSync(file.path));
    mustBeRegular(facts);
    return await use(file.path, facts);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  #enter(name: string): HeldFolder {
    try {
      return HeldFolder.folder(this.at(name));
    } catch (thrown) {
      // The kernel answers ENOTDIR for a link too; this second look only chooses the message.
      if (osCode(thrown) !== "ENOTDIR" || this.facts(name)?.kind !== "symlink") throw thrown;
      throw new Blocked("symlink");
    }
  }

  #makeMissing(name: string): void {
    try {
      Deno.mkdirSync(this.at(name));
    } catch (thrown) {
      if (osCode(thrown) !== "EEXIST") throw thrown;
    }
  }
}

function unlessAbsent<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (thrown) {
    if (osCode(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}
