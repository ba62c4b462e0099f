/**
 * Remembers what a repo's settings name for as long as the files of its settings stay as they are. A
 * file that changed within the last seconds is read anew each time: its time of change is kept in
 * whole seconds, and a second change in the same second could not be told.
 */
import type { Place, Setting } from "./hardening.ts";
import type { Processes } from "svc/platform/process/process.ts";

const QUIET_MS = 2_000;

interface Named {
  /** Of all settings, as git spells them: section and key in small letters. */
  readonly names: readonly string[];
  /** What takes the command from each driver among them. */
  readonly blanks: readonly Setting[];
}

interface Known extends Named {
  /** Of the files that they were read from. */
  readonly stamp: string;
}

/** By the port that runs git, then by the file that says it. */
const known = new WeakMap<Pick<Processes, "run">, Map<string, Known>>();

const ABSENT = "none";

function facts(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  }
}

/**
 * Undefined while the file is too new to be trusted, or is no plain file. Sync: a look takes some 5 us,
 * to wait for one 100 us, and each call of git looks.
 */
function stampAt(path: string): string | undefined {
  const info = facts(path);
  if (info === undefined) return ABSENT;
  const changed = info.ctime?.getTime();
  if (!info.isFile || changed === undefined || Date.now() - changed < QUIET_MS) return undefined;
  return [info.dev, info.ino, info.size, info.mtime?.getTime(), changed].join(" ");
}

interface Stamp {
  /** What the settings are known by. */
  readonly file: string;
  readonly stamp: string;
}

/**
 * A work tree without a `config.worktree` has no settings but the repo's (git-worktree(1),
 * "CONFIGURATION FILE"), so all such work trees share what is remembered.
 */
function stampOf({ gitDir, commonDir }: Place): Stamp | undefined {
  const [shared, own] = [`${commonDir}/config`, `${gitDir}/config.worktree`];
  const stamps = [shared, own].map(stampAt);
  if (stamps.includes(undefined)) return undefined;
  return { file: stamps[1] === ABSENT ? shared : own, stamp: stamps.join("/") };
}

/** Settings that take in other files, whose changes this does not see. */
const INCLUDES = /^include(?:if\..*)?\.path$/is;

/** Undefined where they have to be asked for: they changed a moment ago, or take in other files. */
export function knownNames(
  processes: Pick<Processes, "run">,
  place: Place,
): readonly string[] | undefined {
  return knownAt(processes, stampOf(place))?.names;
}

function knownAt(processes: Pick<Processes, "run">, now: Stamp | undefined): Known | undefined {
  const found = now && known.get(processes)?.get(now.file);
  return found !== undefined && found.stamp === now?.stamp ? found : undefined;
}

/**
 * @param read asks git for the names of all settings, and which of them are to be blanked
 */
export async function knownDrivers(
  processes: Pick<Processes, "run">,
  place: Place,
  read: () => Promise<Named>,
): Promise<readonly Setting[]> {
  const before = stampOf(place);
  const found = knownAt(processes, before);
  if (found !== undefined) return found.blanks;
  const { names, blanks } = await read();
  if (before === undefined) return blanks;
  const files = known.get(processes) ?? new Map<string, Known>();
  known.set(processes, files);
  const { file, stamp } = before;
  const steady = stampOf(place)?.stamp === stamp;
  const whole = !names.some((name) => INCLUDES.test(name));
  if (steady && whole) files.set(file, { stamp, names, blanks });
  else files.delete(file);
  return blanks;
}
