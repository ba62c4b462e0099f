/**
 * Remembers the names of a repo's settings while the files of its settings stay unchanged. A file that
 * changed within the last seconds is read anew each time: file systems may keep times in whole
 * seconds, so that a second change within one second would go unnoticed.
 */
import type { Place, Setting } from "./hardening.ts";
import type { Processes } from "svc/platform/process/process.ts";

const QUIET_MS = 2_000;

interface NamedSettings {
  /** The names of all settings, as git spells them: section and key in small letters. */
  readonly names: readonly string[];
  readonly blanks: readonly Setting[];
}

interface RememberedSettings extends NamedSettings {
  readonly stamp: string;
}

/** Keyed by the port that runs git, then by the file that holds the settings. */
const remembered = new WeakMap<Pick<Processes, "run">, Map<string, RememberedSettings>>();

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
 * Undefined while the file is too new to be trusted, or is no plain file. Sync: lstat(2) takes some 5 us,
 * awaiting it 100 us, and each call of git does it.
 */
function stampAt(path: string): string | undefined {
  const info = facts(path);
  if (info === undefined) return ABSENT;
  const changed = info.ctime?.getTime();
  if (!info.isFile || changed === undefined || Date.now() - changed < QUIET_MS) return undefined;
  return [info.dev, info.ino, info.size, info.mtime?.getTime(), changed].join(" ");
}

interface SettingsStamp {
  readonly file: string;
  readonly stamp: string;
}

/**
 * A work tree without a `config.worktree` has no settings but the repo's (git-worktree(1),
 * "CONFIGURATION FILE"), so all such work trees share what is remembered.
 */
function stampOf({ gitDir, commonDir }: Place): SettingsStamp | undefined {
  const [shared, own] = [`${commonDir}/config`, `${gitDir}/config.worktree`];
  const stamps = [shared, own].map(stampAt);
  if (stamps.includes(undefined)) return undefined;
  return { file: stamps[1] === ABSENT ? shared : own, stamp: stamps.join("/") };
}

/** Settings that include other files, whose changes this module does not notice. */
const INCLUDES = /^include(?:if\..*)?\.path$/is;

/** Undefined where git has to be asked: the settings changed a moment ago, or include other files. */
export function knownNames(
  processes: Pick<Processes, "run">,
  place: Place,
): readonly string[] | undefined {
  return rememberedAt(processes, stampOf(place))?.names;
}

function rememberedAt(
  processes: Pick<Processes, "run">,
  now: SettingsStamp | undefined,
): RememberedSettings | undefined {
  const found = now && remembered.get(processes)?.get(now.file);
  return found !== undefined && found.stamp === now?.stamp ? found : undefined;
}

/** @param read asks git for the names of all settings, and which of them are to be blanked */
export async function knownDrivers(
  processes: Pick<Processes, "run">,
  place: Place,
  read: () => Promise<NamedSettings>,
): Promise<readonly Setting[]> {
  const before = stampOf(place);
  const found = rememberedAt(processes, before);
  if (found !== undefined) return found.blanks;
  const { names, blanks } = await read();
  if (before === undefined) return blanks;
  const files = remembered.get(processes) ?? new Map<string, RememberedSettings>();
  remembered.set(processes, files);
  const { file, stamp } = before;
  const steady = stampOf(place)?.stamp === stamp;
  const whole = !names.some((name) => INCLUDES.test(name));
  if (steady && whole) files.set(file, { stamp, names, blanks });
  else files.delete(file);
  return blanks;
}
