/** Shares the test files out among processes, so that all cores have work to the end. */

/** Test files that one process runs. */
export interface Share {
  readonly files: readonly string[];
  /** What they are expected to take, beside others. */
  readonly seconds: number;
  /** Whether one module graph serves them all (`together.ts`). */
  readonly together: boolean;
}

/** For a file that is not measured, since it takes less than 3. */
const BRIEF_SECONDS = 0.5;
/** What the last process to end may keep the others waiting; a file that takes longer begins early. */
const SHARE_SECONDS = 30;

/** They choose another engine for all stores of their process; what others change they restore. */
export const ALONE = /\/(?:on_postgres|node_team|any_node)_test\.ts$/;

/**
 * The longest first.
 * @param measured seconds of files, from an earlier run
 * @param alone no file shares its modules
 * @param most seconds of a share of several files
 */
export function shares(
  files: readonly string[],
  measured: Readonly<Record<string, number>>,
  { alone = false, most = SHARE_SECONDS } = {},
): Share[] {
  const timed = files.map((file) => {
    return {
      file,
      seconds: measured[file] ?? BRIEF_SECONDS,
      together: !alone && !ALONE.test(file),
    };
  }).sort((a, b) => b.seconds - a.seconds || (a.file < b.file ? -1 : 1));
  const made = [true, false].flatMap((together) => {
    const own = timed.filter((one) => one.together === together);
    const total = own.reduce((sum, { seconds }) => sum + seconds, 0);
    const bins = Array.from(
      // A share without files would be all files to `deno test`.
      { length: Math.min(Math.ceil(total / most), own.length) },
      () => ({ files: [] as string[], seconds: 0, together }),
    );
    for (const { file, seconds } of own) {
      const least = bins.reduce((a, b) => b.seconds < a.seconds ? b : a);
      least.files.push(file);
      least.seconds += seconds;
    }
    return bins;
  });
  return made.sort((a, b) => b.seconds - a.seconds);
}

/** Seconds of each file that took 3 and more, by what `deno test` printed; for `tests/seconds.json`. */
export function measuredIn(output: string): Record<string, number> {
  const seconds = new Map<string, number>();
  let file = "";
  for (const line of output.split("\n")) {
    file = /^running \d+ tests? from \.\/(.+)$/.exec(line)?.[1] ?? file;
    // After a minute a line of its own says so, and the end stands below it.
    const took = /(?: \.\.\.|^) ok \(((?:\d+(?:m|s|ms|µs))+)\)$/.exec(line)?.[1];
    if (took === undefined) continue;
    const own = [...took.matchAll(/(\d+)(ms|µs|m|s)/g)]
      .reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0);
    seconds.set(file, (seconds.get(file) ?? 0) + own);
  }
  return Object.fromEntries(
    [...seconds].map(([name, took]) => [name, Math.round(took)] as const)
      // The output does not tell which file of a shared graph took it.
      .filter(([name, took]) => took >= 3 && name.startsWith("tests/")).sort(([a], [b]) =>
        a < b ? -1 : 1
      ),
  );
}

const UNITS: Readonly<Record<string, number>> = { m: 60, s: 1, ms: 1e-3, µs: 1e-6 };
