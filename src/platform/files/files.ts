/** Files of the user by path: the svc home, logs, dotfiles. Files of a target repo go through folder.ts. */
import { replace, sweepTemps } from "./atomic_replace.ts";
import {
  factsOf,
  type FileFacts,
  type FolderAccess,
  type FolderListing,
  listing,
  mustBeRegular,
  readBounded,
  writeAll,
} from "./disk.ts";
import { attempt, Blocked, osCode } from "./os_errors.ts";

interface AppendFile extends Disposable {
  /** One write(2), so that lines of several processes do not mix. */
  write(text: string): Promise<void>;
  sync(): Promise<void>;
}

/** Open for reading in pieces while others may append to it. */
export interface ReadingFile extends Disposable {
  facts(): Promise<FileFacts>;
  /** Fewer bytes only where the file ends. */
  read(from: number, bytes: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Every method throws a Failure that names the path; none blocks on a FIFO or a device. */
export interface Files {
  /** Follows links; fails when the file has more than `maxBytes`. */
  read(path: string, options: { maxBytes: number }): Promise<Uint8Array<ArrayBuffer>>;
  /** Drops a BOM. Unless `lossy`, bytes that are not UTF-8 are a failure. */
  readText(path: string, options: { maxBytes: number; lossy?: boolean }): Promise<string>;
  /** Old content or new, never a part, also after a crash; the folder must exist. The mode stays, else 0600.
   * A link is refused; with `followLink` it stays and the file that it leads to is replaced. With `fresh` it fails
   * with `conflict` where another process made the file meanwhile. */
  writeAtomic(
    path: string,
    content: Uint8Array | string,
    options?: { mode?: number; followLink?: boolean; fresh?: boolean },
  ): Promise<void>;
  /** Follows links; refuses what is no regular file. */
  openRead(path: string): Promise<ReadingFile>;
  /** Owner-only: created with mode 0600, and set to it when looser. Refuses links. */
  openAppend(path: string): Promise<AppendFile>;
  appendLine(path: string, line: string): Promise<void>;
  /** Missing ones get mode 0700; one that exists stays as it is. */
  makeFolder(path: string): Promise<void>;
  /** Does not follow a link. */
  stat(path: string): Promise<FileFacts | undefined>;
  /** @param most entries, for a folder of svc's own */
  list(path: string, most?: number): Promise<FolderListing>;
  /** Within one file system; an existing `to` is replaced. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  realPath(path: string): Promise<string>;
  /** Makes and removes a file there: mode bits do not tell of read-only mounts or ACLs. */
  isWritableFolder(path: string): Promise<boolean>;
}

export function denoFiles(): Files {
  return {
    read: (path, { maxBytes }) => attempt("read", path, () => readWhole(path, maxBytes)),

    readText: (path, { maxBytes, lossy = false }) =>
      attempt("read", path, async () => decode(await readWhole(path, maxBytes), lossy)),

    writeAtomic: (path, content, options = {}) =>
      attempt("write", path, () => write(path, content, options)),

    openRead: (path) => attempt("read", path, () => openRead(path)),
    openAppend: (path) => attempt("append to", path, () => openAppend(path)),

    appendLine: (path, line) =>
      attempt("append to", path, async () => {
        using file = await openAppend(path);
        await file.write(`${line}\n`);
      }),

    makeFolder: (path) =>
      attempt("make folder", path, () => Deno.mkdir(path, { recursive: true, mode: 0o700 })),

    stat: (path) => attempt("look at", path, () => factsAt(path)),
    list: (path, most) => attempt("list", path, () => listing(path, () => true, most)),
    rename: (from, to) => attempt("move", from, () => Deno.rename(from, to)),
    remove: (path) => attempt("remove", path, () => Deno.remove(path)),
    realPath: (path) => attempt("resolve", path, () => Deno.realPathSync(path)),
    isWritableFolder,
  };
}

/** Sync: lstat(2) takes 5 us, awaiting it 100. */
function factsAt(path: string): FileFacts | undefined {
  try {
    return factsOf(Deno.lstatSync(path));
  } catch (thrown) {
    if (osCode(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

async function readWhole(path: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  // Checked before the open, which would block for ever on a FIFO.
  const { size } = regularOrThrow(path);
  using file = Deno.openSync(path);
  const { bytes, truncated } = await readBounded(file, { size, maxBytes });
  if (truncated) throw new Blocked("too_large", `it is larger than ${maxBytes} bytes`);
  return bytes;
}

function regularOrThrow(path: string): FileFacts {
  const facts = factsOf(Deno.statSync(path));
  mustBeRegular(facts);
  return facts;
}

function decode(bytes: Uint8Array<ArrayBuffer>, lossy: boolean): string {
  try {
    return new TextDecoder("utf-8", { fatal: !lossy }).decode(bytes);
  } catch {
    throw new Blocked("not_utf8");
  }
}

async function write(
  path: string,
  content: Uint8Array | string,
  { mode, followLink = false, fresh = false }: {
    mode?: number;
    followLink?: boolean;
    fresh?: boolean;
  },
): Promise<void> {
  const isLink = followLink && factsAt(path)?.kind === "symlink";
  const { folder, name } = split(isLink ? await Deno.realPath(path) : path);
  const access = accessTo(folder);
  await sweepTemps(access);
  const old = await access.pinned(name, (_, facts) => facts);
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  await replace(access, name, { bytes, mode: mode ?? old?.mode ?? 0o600, old, fresh });
}

function split(path: string): { folder: string; name: string } {
  const cut = path.lastIndexOf("/");
  const folder = cut === -1 ? "." : path.slice(0, cut) || "/";
  return { folder, name: path.slice(cut + 1) };
}

function accessTo(folder: string): FolderAccess {
  const at = (name: string) => `${folder}/${name}`;
  return {
    at,
    async pinned(name, use) {
      const facts = factsAt(at(name));
      if (facts === undefined) return undefined;
      mustBeRegular(facts);
      return await use(at(name), facts);
    },
  };
}

async function openRead(path: string): Promise<ReadingFile> {
  // Checked before the open, which would block for ever on a FIFO.
  regularOrThrow(path);
  const file = await Deno.open(path);
  return {
    facts: () => attempt("look at", path, async () => factsOf(await file.stat())),
    read: (from, bytes) => attempt("read", path, () => readAt(file, from, bytes)),
    [Symbol.dispose]: () => file.close(),
  };
}

/** Two at once would move each other's place: callers wait for one before the next. */
async function readAt(
  file: Deno.FsFile,
  from: number,
  bytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  await file.seek(from, Deno.SeekMode.Start);
  const buffer = new Uint8Array(bytes);
  let filled = 0;
  while (filled < bytes) {
    const got = await file.read(buffer.subarray(filled));
    if (got === null) break;
    filled += got;
  }
  return buffer.subarray(0, filled);
}

async function openAppend(path: string): Promise<AppendFile> {
  const old = factsAt(path);
  if (old) mustBeRegular(old);
  const file = await Deno.open(path, { append: true, create: true, mode: 0o600 });
  if (old && (old.mode & 0o077) !== 0) await Deno.chmod(path, 0o600);
  return {
    write: (text) =>
      attempt("append to", path, () => writeAll(file, new TextEncoder().encode(text))),
    sync: () => attempt("append to", path, () => file.sync()),
    [Symbol.dispose]: () => file.close(),
  };
}

async function isWritableFolder(path: string): Promise<boolean> {
  try {
    await Deno.remove(await Deno.makeTempFile({ dir: path, prefix: ".svc-probe-" }));
    return true;
  } catch (thrown) {
    if (osCode(thrown) === undefined) throw thrown;
    return false;
  }
}
