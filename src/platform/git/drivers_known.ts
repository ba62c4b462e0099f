/** Remembers the names of settings while their files stay unchanged. One that changed a moment ago is read
 * anew: a second change within what the file system tells apart would go unnoticed. */
import type { GitLocation, Setting } from "./hardening.ts";
import type { Processes } from "svc/platform/process/process.ts";

/** For file systems that keep whole seconds, as HFS+ does, or every other one, as FAT does. */
const COARSE_MS = 2_000;
/** Ten times what others tell apart, which is a tick of the kernel: 10 ms at most (time(7)). */
const FINE_MS = 100;

/** Whether a second change would have got another time. `changed` is in ms since 1970, as `now` is. */
export const settled = (changed: number, now: number): boolean =>
  now - changed >= (changed % 1_000 === 0 ? COARSE_MS : FINE_MS);

interface NamedSettings {
  readonly names: readonly string[];
  readonly blanks: readonly Setting[];
}

interface RememberedSettings extends NamedSettings {
  readonly stamp: string;
}

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

/** Undefined for a file too new to be trusted, or no plain file. Sync: lstat(2) takes 5 us, awaiting it 100. */
function stampAt(path: string): string | undefined {
  const info = facts(path);
  if (info === undefined) return ABSENT;
  const changed = info.ctime?.getTime();
  if (!info.isFile || changed === undefined || !settled(changed, Date.now())) return undefined;
  return [info.dev, info.ino, info.size, info.mtime?.getTime(), changed].join(" ");
}

interface SettingsStamp {
  readonly file: string;
  readonly stamp: string;
}

/** Work trees without a `config.worktree` share the repo's settings (git-worktree(1), CONFIGURATION FILE). */
function stampOf({ gitDir, commonDir }: GitLocation): SettingsStamp | undefined {
  const [shared, own] = [`${commonDir}/config`, `${gitDir}/config.worktree`];
  const stamps = [shared, own].map(stampAt);
  if (stamps.includes(undefined)) return undefined;
  return { file: stamps[1] === ABSENT ? shared : own, stamp: stamps.join("/") };
}

/** Changes of included files go unnoticed. */
const INCLUDES = /^include(?:if\..*)?\.path$/is;

/** Undefined where git has to be asked: settings changed a moment ago, or include other files. */
export function knownNames(
  processes: Pick<Processes, "run">,
  place: GitLocation,
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

export async function knownDrivers(
  processes: Pick<Processes, "run">,
  place: GitLocation,
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
