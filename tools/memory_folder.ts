/**
 * Where memory serves as a disk: the thousands of repos of the tests are made there in half the system's
 * time. Mounted below the usual folder, since a sandbox hides `/dev/shm`.
 */

const NEEDED_BYTES = 12 * 2 ** 30;

export interface MemoryFolder extends AsyncDisposable {
  readonly path: string;
}

async function ran(program: string, ...args: string[]): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args, stderr: "null" }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Undefined where memory is short or mounting is not allowed: the usual folder serves then. */
export async function memoryFolder(): Promise<MemoryFolder | undefined> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return undefined;
  if (Deno.systemMemoryInfo().available < NEEDED_BYTES) return undefined;
  const path = await Deno.makeTempDir({ prefix: "svc-tests-" });
  if (!await ran("mount", "-t", "tmpfs", "-o", "size=8g,mode=1777", "tmpfs", path)) {
    await Deno.remove(path);
    return undefined;
  }
  const close = async () => {
    // Lazily: a browser that is just ending may still hold a file there.
    await ran("umount", "-l", path);
    await Deno.remove(path);
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  const interrupted = () => void close().finally(() => Deno.exit(130));
  for (const signal of signals) Deno.addSignalListener(signal, interrupted);
  return {
    path,
    async [Symbol.asyncDispose]() {
      for (const signal of signals) Deno.removeSignalListener(signal, interrupted);
      await close();
    },
  };
}
