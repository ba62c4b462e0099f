/** A file that is still on its way: it grows at its end, its digest grows with it, and it is named when right. */
import { nodeCrypto } from "svc/platform/node_crypto.ts";
import { factsOf, mustBeRegular, writeAll } from "./disk.ts";
import { attempt, Blocked, osCode } from "./os_errors.ts";

const sha256 = () => nodeCrypto().createHash("sha256");

/** Bytes read at a time, for digests. */
const READ_BYTES = 1024 * 1024;

export interface PartFile extends Disposable {
  /** Bytes that are there, all of them in the digest. */
  readonly size: number;
  append(chunk: Uint8Array): Promise<void>;
  /** Nothing of it is there any more. */
  empty(): Promise<void>;
  /** Hex. Nothing may be appended afterwards. */
  digest(): string;
  /** Makes it the file `path`, on disk before it has the name. */
  become(path: string): Promise<void>;
  remove(): Promise<void>;
}

export interface PartFiles {
  /**
   * Reads the part that an earlier download left. `undefined`: another process holds it.
   * @throws Failure for what is no plain file
   */
  open(path: string, read: (bytes: number) => void): Promise<PartFile | undefined>;
  /** Hex SHA-256 of a whole file. */
  digestOf(path: string, read: (bytes: number) => void, signal?: AbortSignal): Promise<string>;
}

async function opened(path: string): Promise<Deno.FsFile> {
  await Deno.open(path, { createNew: true, write: true, mode: 0o600 }).then(
    (made) => made.close(),
    (thrown) => {
      if (osCode(thrown) !== "EEXIST") throw thrown;
    },
  );
  mustBeRegular(factsOf(await Deno.lstat(path)));
  return await Deno.open(path, { read: true, write: true });
}

/** Undefined where another process holds it; flock(2) goes with the process. */
async function held(path: string): Promise<Deno.FsFile | undefined> {
  for (;;) {
    const file = await opened(path);
    if (!await file.tryLock(true)) {
      file.close();
      return undefined;
    }
    const [mine, named] = [await file.stat(), await Deno.lstat(path).catch(() => undefined)];
    // Its holder may have given it its name, or removed it, before it was locked here.
    if (named?.ino === mine.ino && named?.dev === mine.dev) return file;
    file.close();
  }
}

async function hashed(
  file: Deno.FsFile,
  into: ReturnType<typeof sha256>,
  read: (bytes: number) => void,
  signal?: AbortSignal,
): Promise<number> {
  const buffer = new Uint8Array(READ_BYTES);
  let size = 0;
  for (;;) {
    signal?.throwIfAborted();
    const count = await file.read(buffer);
    if (count === null) return size;
    into.update(buffer.subarray(0, count));
    size += count;
    read(size);
  }
}

async function openPart(
  path: string,
  read: (bytes: number) => void,
): Promise<PartFile | undefined> {
  const file = await held(path);
  if (file === undefined) return undefined;
  let digest = sha256();
  let size: number;
  try {
    size = await hashed(file, digest, read);
  } catch (thrown) {
    file.close();
    throw thrown;
  }
  return {
    get size() {
      return size;
    },
    append: (chunk) =>
      attempt("write", path, async () => {
        await writeAll(file, chunk);
        digest.update(chunk);
        size += chunk.length;
      }),
    empty: () =>
      attempt("write", path, async () => {
        await file.truncate(0);
        await file.seek(0, Deno.SeekMode.Start);
        digest = sha256();
        size = 0;
      }),
    digest: () => digest.digest("hex"),
    become: (name) =>
      attempt("write", name, async () => {
        await file.sync();
        const there = await Deno.lstat(name).catch(() => undefined);
        if (there?.isSymlink) throw new Blocked("symlink");
        await Deno.rename(path, name);
      }),
    remove: () => attempt("remove", path, () => Deno.remove(path)),
    [Symbol.dispose]: () => file.close(),
  };
}

export const partFiles: PartFiles = {
  open: (path, read) => attempt("write", path, () => openPart(path, read)),
  digestOf: (path, read, signal) =>
    attempt("read", path, async () => {
      using file = await Deno.open(path);
      const digest = sha256();
      await hashed(file, digest, read, signal);
      return digest.digest("hex");
    }),
};
