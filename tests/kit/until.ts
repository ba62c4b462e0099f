/** Waits for what only the disk tells: a watcher of files drops events where many come at once. */

const LOOK_MS = 20;
/** Something is wrong by then, however busy the machine: less than `tools/watched.ts` calls a hang. */
const LONGEST_MS = 300_000;

/** @throws Error with what `seen` says when `there` does not come true */
export async function until(
  there: () => boolean | Promise<boolean>,
  seen: () => string,
  lookMs = LOOK_MS,
  longestMs = LONGEST_MS,
): Promise<void> {
  const late = performance.now() + longestMs;
  while (!await there()) {
    if (performance.now() > late) throw new Error(`it did not come; there is ${seen()}`);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

export function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return false;
    throw thrown;
  }
}
