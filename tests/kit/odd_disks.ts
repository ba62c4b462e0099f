/** What programs seldom meet on a disk: FIFOs, devices, names that are not UTF-8, small file systems. */
import { tempFolder } from "tests/kit/temp_repo.ts";

async function run(program: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await new Deno.Command(program, { args }).output();
  if (code !== 0) {
    throw new Error(`${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  }
}

export const makeFifo = (path: string): Promise<void> => run("mkfifo", path);

/** The null device under another name; needs root. */
export const makeDevice = (path: string): Promise<void> => run("mknod", path, "c", "1", "3");

/** A file whose name ends with the byte 0xFF. */
export const makeNonUtf8Name = (folder: string): Promise<void> =>
  run("sh", "-c", `touch "$0/$(printf 'bad\\377')"`, folder);

export interface Tmpfs extends AsyncDisposable {
  readonly path: string;
  makeReadOnly(): Promise<void>;
}

/** Until it works: a program that another test just starts holds copies of our descriptors for a moment. */
async function persist(work: () => Promise<void>): Promise<void> {
  for (let left = 100;; left--) {
    try {
      return await work();
    } catch (thrown) {
      if (left === 0) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** A file system of its own with `kib` KiB of space. */
export async function tmpfs(kib: number): Promise<Tmpfs> {
  const folder = await tempFolder();
  await run("mount", "-t", "tmpfs", "-o", `size=${kib}k,mode=0755`, "tmpfs", folder.path);
  return {
    path: folder.path,
    makeReadOnly: () => persist(() => run("mount", "-o", "remount,ro", folder.path)),
    async [Symbol.asyncDispose]() {
      // Lazily, for the reason that `persist` gives.
      await run("umount", "--lazy", folder.path);
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** As a container mounts a single file. */
export async function mountFile(from: string, at: string): Promise<AsyncDisposable> {
  await run("mount", "--bind", from, at);
  return { [Symbol.asyncDispose]: () => run("umount", "--lazy", at) };
}

/** As the layers of a container: what is at `path` lies below, and the changes go to a disk of their own. */
export async function overlay(path: string): Promise<AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  const upper = parts.use(await tmpfs(4096));
  for (const name of ["up", "work"]) await Deno.mkdir(`${upper.path}/${name}`);
  const layers = `lowerdir=${path},upperdir=${upper.path}/up,workdir=${upper.path}/work`;
  await run("mount", "-t", "overlay", "-o", layers, "overlay", path);
  parts.defer(() => run("umount", "--lazy", path));
  return parts.move();
}

async function mountRefusal(): Promise<string | undefined> {
  try {
    await using _mounted = await tmpfs(64);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/**
 * For the `ignore` of tests that need a file system of their own: true where mounting is not
 * permitted, and the reason is printed once.
 */
export async function cannotMount(): Promise<boolean> {
  const refusal = await mountRefusal();
  if (refusal !== undefined) console.warn(`tests with a small disk are ignored: ${refusal.trim()}`);
  return refusal !== undefined;
}
