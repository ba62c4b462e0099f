/** Remembers what git said of a repo's settings while their files have the same content: one process of git less for
 * each call. Times would not do: Deno gives that of a change (ctime) in whole seconds. */
import type { GitLocation, Setting } from "./hardening.ts";
import { configAnswer, type ListedSetting, nameOf } from "./settings.ts";
import type { Processes } from "svc/platform/process/process.ts";

/** A usual repo has 500 bytes; longer files are asked for anew each time. */
const CONFIG_BYTES = 64 * 1024;

interface ReadSettings {
  readonly settings: readonly ListedSetting[];
  readonly blanks: readonly Setting[];
}

interface RememberedSettings extends ReadSettings {
  readonly content: string;
}

const remembered = new WeakMap<Pick<Processes, "run">, Map<string, RememberedSettings>>();

// It gives each byte a character of its own (windows-1252 of the Encoding Standard).
const latin1 = new TextDecoder("latin1");

/** Empty where there is none; undefined for a long file, or no plain one. Sync: it takes 20 us, awaiting it 100. */
function contentAt(path: string): string | undefined {
  try {
    const info = Deno.lstatSync(path);
    if (!info.isFile || info.size > CONFIG_BYTES) return undefined;
    return latin1.decode(Deno.readFileSync(path));
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return "";
    throw thrown;
  }
}

interface SettingsContent {
  readonly file: string;
  readonly content: string;
}

/** Work trees without a `config.worktree` share the repo's settings (git-worktree(1), CONFIGURATION FILE). */
function contentOf({ gitDir, commonDir }: GitLocation): SettingsContent | undefined {
  const paths = [`${commonDir}/config`, `${gitDir}/config.worktree`] as const;
  const [shared, own] = [contentAt(paths[0]), contentAt(paths[1])];
  if (shared === undefined || own === undefined) return undefined;
  return { file: paths[own === "" ? 0 : 1], content: `${shared.length} ${shared}${own}` };
}

function rememberedAt(
  processes: Pick<Processes, "run">,
  now: SettingsContent | undefined,
): RememberedSettings | undefined {
  const found = now && remembered.get(processes)?.get(now.file);
  return found?.content === now?.content ? found : undefined;
}

/** Undefined where git has to be asked: settings changed, or include other files. */
export function knownSettings(
  processes: Pick<Processes, "run">,
  place: GitLocation,
): readonly ListedSetting[] | undefined {
  return rememberedAt(processes, contentOf(place))?.settings;
}

/** Changes of included files go unnoticed. */
const INCLUDES = /^include(?:if\..*)?\.path$/is;

export async function knownDrivers(
  processes: Pick<Processes, "run">,
  place: GitLocation,
  read: () => Promise<ReadSettings>,
): Promise<readonly Setting[]> {
  const before = contentOf(place);
  const found = rememberedAt(processes, before);
  if (found !== undefined) return found.blanks;
  const { settings, blanks } = await read();
  if (before === undefined) return blanks;
  const files = remembered.get(processes) ?? new Map<string, RememberedSettings>();
  remembered.set(processes, files);
  const { file, content } = before;
  const steady = contentOf(place)?.content === content;
  const whole = !settings.some((setting) => INCLUDES.test(nameOf(setting)));
  if (steady && whole) files.set(file, { content, settings, blanks });
  else files.delete(file);
  return blanks;
}

/** @param args of `git config`, which reads. @returns undefined where git has to be asked, else as `configAnswer` */
export function knownAnswer(
  processes: Pick<Processes, "run">,
  place: GitLocation,
  args: readonly string[],
): Uint8Array | undefined {
  const settings = knownSettings(processes, place);
  return settings && configAnswer(settings, args);
}
