/** Finds what git would wait for without end: a FIFO or a device in place of one of its files. */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { after } from "svc/platform/timers.ts";
import type { GitLocation } from "./hardening.ts";

/** Git reads files of these names in any folder of a work tree, or at its root. */
const READ_BY_GIT: ReadonlySet<string> = new Set([
  ".gitattributes",
  ".gitignore",
  ".gitmodules",
  ".mailmap",
]);

/** Folders of git that hold few files, each of which a verb of svc may read. */
const FOLDERS = ["", "/info", "/sequencer", "/objects/info", "/refs", "/reftable", "/logs"];
/** Their folders are looked into as well. */
const DEEP = /\/(?:refs|logs)(?:\/|$)/;

/** Entries looked at when a repo is opened; a look takes some 10 us a folder. */
const ENTRIES = 2_000;
/** Entries looked at while git keeps svc waiting. */
const ENTRIES_WAITING = 200_000;
/** A usual call of git takes 5 to 500 ms. */
const WAIT_MS = 2_000;

/** Also of what a link leads to: `HEAD` may be one, and one to /dev/zero has no end. */
function isSpecial(path: string, entry: Deno.DirEntry): boolean {
  if (entry.isFile || entry.isDirectory) return false;
  if (!entry.isSymlink) return true;
  try {
    const { isFile, isDirectory } = Deno.statSync(path);
    return !isFile && !isDirectory;
  } catch {
    return false; // it leads nowhere, which git finds out at once
  }
}

function entriesOf(folder: string): readonly Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)];
  } catch {
    return []; // git says what is wrong with it, or does not need it
  }
}

function atRoot(root: string): readonly Deno.DirEntry[] {
  return [...READ_BY_GIT].flatMap((name) => {
    try {
      const { isFile, isDirectory, isSymlink } = Deno.lstatSync(`${root}/${name}`);
      return [{ name, isFile, isDirectory, isSymlink }];
    } catch {
      return [];
    }
  });
}

/** @param by file of settings that names it */
function found(place: GitLocation, path: string, by?: string): Failure {
  const shown = path.startsWith(`${place.root}/`) ? path.slice(place.root.length + 1) : path;
  return new Failure(
    "refused",
    `Cannot open the repo "${place.root}": ${quoted(shown)} is no file, and git would wait for it`,
    {
      remedy: by === undefined
        ? `Look at it, then: rm ${shellWord(path)}`
        : `Take it out of ${quoted(by)}, which names it`,
    },
  );
}

/** @throws Failure `refused`, before git is started */
export function refuseSpecial(place: GitLocation): void {
  const special = atRoot(place.root).find((entry) =>
    isSpecial(`${place.root}/${entry.name}`, entry)
  );
  if (special !== undefined) throw found(place, `${place.root}/${special.name}`);
  const folders = [...new Set([place.gitDir, place.commonDir])]
    .flatMap((dir) => FOLDERS.map((folder) => `${dir}${folder}`));
  let left = ENTRIES;
  for (let folder = folders.shift(); folder !== undefined && left > 0; folder = folders.shift()) {
    for (const entry of entriesOf(folder)) {
      const path = `${folder}/${entry.name}`;
      left--;
      if (isSpecial(path, entry)) throw found(place, path);
      if (entry.isDirectory && DEEP.test(`${folder}/`)) folders.push(path);
    }
  }
}

/** Files of settings that are looked into, those that they include among them. */
const CONFIGS = 50;
/** Longer ones are no settings that anybody wrote. */
const CONFIG_BYTES = 1024 * 1024;

/** Values of settings, of which some name files that git reads: `core.excludesFile`, `mailmap.file`, `include.path`. */
const VALUE = /=[ \t]*"?([^"\r\n#;]{1,4096})/g;

function settingsAt(path: string): string {
  try {
    const { isFile, size } = Deno.statSync(path);
    return isFile && size <= CONFIG_BYTES ? Deno.readTextFileSync(path) : "";
  } catch {
    return ""; // it is not there, or git cannot read it either
  }
}

function isSpecialAt(path: string): boolean {
  try {
    const { isFile, isDirectory } = Deno.statSync(path);
    return !isFile && !isDirectory;
  } catch {
    return false;
  }
}

/** What the repo's settings name, wherever it lies: relative to the file that names it, or to the root. */
function namedBySettings({ root, gitDir, commonDir }: GitLocation) {
  const configs = [`${commonDir}/config`, `${gitDir}/config.worktree`];
  // The walk meets what is added to it meanwhile.
  for (const config of configs) {
    const folder = config.slice(0, config.lastIndexOf("/"));
    for (const [, value] of settingsAt(config).matchAll(VALUE)) {
      const named = value!.trim();
      const places = named.startsWith("/") ? [named] : [`${folder}/${named}`, `${root}/${named}`];
      const path = places.find(isSpecialAt);
      if (path !== undefined) return { path, by: config };
      const more = places.filter((place) => !configs.includes(place) && settingsAt(place) !== "");
      configs.push(...more.slice(0, CONFIGS - configs.length));
    }
  }
  return undefined;
}

/** All of git's folder, and names that git reads below the root. */
async function searched(place: GitLocation, signal: AbortSignal): Promise<string | undefined> {
  const inGit = (path: string) =>
    [place.gitDir, place.commonDir].some((dir) => path === dir || path.startsWith(`${dir}/`));
  // The walk meets what is added to it meanwhile.
  const folders = new Set([place.gitDir, place.commonDir, place.root]);
  let left = ENTRIES_WAITING;
  for (const folder of folders) {
    if (signal.aborted || left <= 0) return undefined;
    const own = inGit(folder);
    const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
    left -= entries.length;
    for (const entry of entries) {
      const path = `${folder}/${entry.name}`;
      if ((own || READ_BY_GIT.has(entry.name)) && isSpecial(path, entry)) return path;
      if (entry.isDirectory) folders.add(path);
    }
  }
}

/** Ends a call that waits for such a file; what is opened in a verb cannot be looked at before. */
export function endStuck(place: GitLocation): Disposable & {
  readonly signal: AbortSignal;
  readonly reason: () => Failure | undefined;
} {
  const stuck = new AbortController();
  const over = new AbortController();
  let why: Failure | undefined;
  const timer = after(WAIT_MS, async () => {
    const named = namedBySettings(place);
    const path = named?.path ?? await searched(place, over.signal);
    if (path === undefined || over.signal.aborted) return;
    why = found(place, path, named?.by);
    stuck.abort();
  });
  return {
    signal: stuck.signal,
    reason: () => why,
    [Symbol.dispose]() {
      timer.clear();
      over.abort();
    },
  };
}
