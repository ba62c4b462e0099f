/**
 * Remembers which drivers a repo's settings name for as long as the files of its settings stay as they
 * are. A file that changed within the last seconds is read anew each time: its time of change is kept
 * in whole seconds, and a second change in the same second could not be told.
 */
import type { Place, Setting } from "./git_hardening.ts";
import type { Processes } from "./process.ts";

const QUIET_MS = 2_000;

interface Known {
  readonly stamp: string;
  readonly blanks: readonly Setting[];
}

/** By the port that runs git, then by git folder. */
const known = new WeakMap<Pick<Processes, "run">, Map<string, Known>>();

/** Undefined while a file of the settings is too new to be trusted, or is no plain file. */
async function stampOf({ gitDir, commonDir }: Place): Promise<string | undefined> {
  const parts: string[] = [];
  for (const path of [`${commonDir}/config`, `${gitDir}/config.worktree`]) {
    const info = await Deno.lstat(path).catch((thrown) => {
      if (thrown instanceof Deno.errors.NotFound) return undefined;
      throw thrown;
    });
    if (info === undefined) {
      parts.push("none");
      continue;
    }
    const changed = info.ctime?.getTime();
    if (!info.isFile || changed === undefined) return undefined;
    const age = Date.now() - changed;
    if (age < QUIET_MS) return undefined;
    parts.push([info.dev, info.ino, info.size, info.mtime?.getTime(), changed].join(" "));
  }
  return parts.join("/");
}

/** Settings that take in other files, whose changes this does not see. */
const INCLUDES = /^include(?:if\..*)?\.path$/is;

/**
 * @param read asks git for the names of all settings, and which of them are to be blanked
 */
export async function knownDrivers(
  processes: Pick<Processes, "run">,
  place: Place,
  read: () => Promise<{ readonly names: readonly string[]; readonly blanks: readonly Setting[] }>,
): Promise<readonly Setting[]> {
  const before = await stampOf(place);
  const places = known.get(processes) ?? new Map<string, Known>();
  known.set(processes, places);
  const found = places.get(place.gitDir);
  if (before !== undefined && found?.stamp === before) return found.blanks;
  const { names, blanks } = await read();
  const steady = before !== undefined && await stampOf(place) === before;
  if (steady && !names.some((name) => INCLUDES.test(name))) {
    places.set(place.gitDir, { stamp: before, blanks });
  } else places.delete(place.gitDir);
  return blanks;
}
