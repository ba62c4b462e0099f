/** A folder held by descriptor on Linux: its entries are reached without another look-up of its path. */
import { cString, type Libc, libc } from "svc/platform/libc.ts";
import { factsOf, type FileFacts, type FolderAccess, mustBeRegular } from "./disk.ts";
import { Blocked, osCode } from "./os_errors.ts";

// Linux asm-generic/fcntl.h. Opening with O_PATH has no effect on a FIFO or device.
const O_PATH = 0o10000000;
const O_CLOEXEC = 0o2000000;
/** The same header of each machine. */
const MACHINE = {
  x86_64: { O_DIRECTORY: 0o200000, O_NOFOLLOW: 0o400000 },
  aarch64: { O_DIRECTORY: 0o40000, O_NOFOLLOW: 0o100000 },
}[Deno.build.arch];
const ANY = O_PATH | O_CLOEXEC | MACHINE.O_NOFOLLOW;
const FOLDER = ANY | MACHINE.O_DIRECTORY;

interface Descriptors {
  open(path: string, flags: number): number;
  close(fd: number): void;
}

/** Those of node:fs, whose errors are exact. */
function nodeDescriptors(): Descriptors {
  // deno-lint-ignore no-process-global -- importing node:fs takes 30 ms and 13 MiB of every start
  const { openSync, closeSync } = process.getBuiltinModule("node:fs");
  return { open: openSync, close: closeSync };
}

function libcDescriptors(symbols: Libc): Descriptors {
  return {
    open(path, flags) {
      const name = cString(path);
      const fd = name === undefined ? -1 : symbols.open(name, flags);
      if (fd >= 0) return fd;
      // Mostly the same error, but without its number, which other calls of this thread may have replaced.
      Deno.lstatSync(path);
      return nodeDescriptors().open(path, flags);
    },
    close: (fd) => void symbols.close(fd),
  };
}

let made: Descriptors | undefined;

function descriptors(): Descriptors {
  if (made !== undefined) return made;
  const symbols = libc();
  return made = symbols === undefined ? nodeDescriptors() : libcDescriptors(symbols);
}

/** `/proc/self/fd/N` leads to the very inode opened (proc_pid_fd(5)), so `/proc/self/fd/N/name` is what
 * openat(2) would reach, and a rename elsewhere changes nothing. */
export class HeldFolder implements FolderAccess, Disposable {
  readonly path: string;
  readonly #fd: number;

  private constructor(path: string, flags: number) {
    this.#fd = descriptors().open(path, flags);
    this.path = `/proc/self/fd/${this.#fd}`;
  }

  /** The last component must not be a link. */
  static folder(path: string): HeldFolder {
    return new HeldFolder(path, FOLDER);
  }

  /**
   * Tries O_PATH and O_NOFOLLOW on this machine: opening a link must give the link itself. Not that of
   * `/proc/self/exe`, for which an emulator of processes (qemu-user) opens the program.
   */
  static works(): boolean {
    try {
      using link = new HeldFolder("/proc/self", ANY);
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
    descriptors().close(this.#fd);
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
