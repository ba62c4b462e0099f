/** Waits that end: a test whose program never says what is awaited fails, with what there was instead. */

/** Something is wrong by then, however busy the machine: less than `tools/watched.ts` calls a hang. */
const LONGEST_MS = 300_000;

/** @throws Error with what `seen` says when `promise` has not settled by then */
export async function within<T>(promise: Promise<T>, seen: () => string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(
      () => fail(new Error(`it did not come in ${LONGEST_MS / 1000} s; there is ${seen()}`)),
      LONGEST_MS,
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
