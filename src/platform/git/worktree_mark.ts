/** What svc notes in git's folder of a work tree: whose it is, and what its set-up put there. */
import { Failure } from "svc/core/failure.ts";
import type { Files } from "svc/platform/files/files.ts";
import { osCode, osFailure } from "svc/platform/files/os_errors.ts";
import { afterTheRest } from "svc/platform/timers.ts";
import { eachItem } from "./answers.ts";
import type { CallGit } from "./call.ts";

/** Only a finished checkout has this; without it the tree is made again. Empty until another job takes the tree. */
export const WHOLE = "svc-worktree";

const MARK_BYTES = 1024 * 1024;

/** Ignored files and folders, whole folders counted once, that one set-up may leave; more are not kept. */
const SETUP_PATHS = 500;

/** Files below kept folders whose size and time are compared; those after it are taken as they are. */
const PRINTED_FILES = 300_000;

/** Entries between two turns of the event loop, which other jobs share: some 5 ms. */
const ENTRIES_A_TURN = 1000;

export interface SetUpMark {
  /** The tree's own path then: some tools write it into their files, such as a venv. */
  readonly at: string;
  readonly key: string;
  /** Ignored paths that were there afterwards; a folder ends with "/". */
  readonly made: readonly string[];
  readonly print: string;
}

export interface TreeMark {
  readonly holder: string;
  readonly setup?: SetUpMark;
}

const isText = (value: unknown) => typeof value === "string";

export const isSetUpMark = (value: Partial<SetUpMark> | undefined): value is SetUpMark =>
  [value?.at, value?.key, value?.print].every(isText) &&
  Array.isArray(value?.made) && value.made.every(isText);

/** Whatever cannot be read counts as no mark: the set-up then runs again. */
function markFrom(text: string): TreeMark | undefined {
  let value: Partial<TreeMark> | null;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // empty: no other job took it, and it was not set up
  }
  if (typeof value !== "object" || value === null || !isText(value.holder)) return undefined;
  const { holder, setup } = value as TreeMark;
  return isSetUpMark(setup) ? { holder, setup } : { holder };
}

/** A tree is named after the job that made it; what follows a dot says for what. */
export const makerOf = (path: string) => path.slice(path.lastIndexOf("/") + 1).split(".", 1)[0]!;

export function readMark(admin: string | undefined, path: string): TreeMark {
  const file = `${admin}/${WHOLE}`;
  const info = admin === undefined ? undefined : lstat(file);
  const fits = info?.isFile === true && info.size <= MARK_BYTES;
  return (fits ? markFrom(Deno.readTextFileSync(file)) : undefined) ?? { holder: makerOf(path) };
}

export async function writeMark(
  files: Pick<Files, "writeAtomic">,
  admin: string,
  mark: TreeMark,
): Promise<void> {
  await files.writeAtomic(`${admin}/${WHOLE}`, JSON.stringify(mark));
}

/** Undefined for more than are kept. */
export async function ignoredPaths(git: CallGit, doing: string): Promise<string[] | undefined> {
  const found: string[] = [];
  const decoder = new TextDecoder();
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  await eachItem(git, { doing, args }, (item) => found.push(decoder.decode(item)));
  return found.length > SETUP_PATHS ? undefined : found;
}

/** Files that are no longer ignored would show up as new, and be committed with the work. */
export async function allIgnored(
  git: CallGit,
  doing: string,
  paths: readonly string[],
): Promise<boolean> {
  const ignored = await ignoredPaths(git, doing);
  return paths.every((path) => ignored?.includes(path));
}

/** A path as a pattern of gitignore(5) that fits it alone. */
export const patternOf = (path: string) => `/${path.replace(/[\\*?[\]!# ]/g, "\\$&")}`;

/** Removes all that git does not track, ignored or not, but `spared`. */
export async function cleanTree(
  git: CallGit,
  doing: string,
  spared: readonly string[],
): Promise<void> {
  const kept = spared.flatMap((path) => ["-e", patternOf(path)]);
  await git({ doing, args: ["clean", "-ffdxq", ...kept] });
}

/** Tools that a check starts write there, and no import reads it (find-cache-dir, vite, PEP 3147). */
function isCache(folder: string, name: string): boolean {
  if (name === "__pycache__") return true;
  const known = [
    ".bin",
    ".deno",
    ".pnpm",
    ".package-lock.json",
    ".modules.yaml",
    ".yarn-state.yml",
  ];
  return folder.endsWith("/node_modules") && name.startsWith(".") && !known.includes(name);
}

/** Undefined for a tree that was not set up, was moved since, or in which somebody changed what was made. */
export async function intactSetUp(
  path: string,
  { setup }: TreeMark,
): Promise<SetUpMark | undefined> {
  const intact = setup?.at === path && await printOf(path, setup.made) === setup.print;
  return intact ? setup : undefined;
}

/**
 * Tells whether anything was added, removed or written below the paths since: names, sizes, times, links.
 * @returns undefined where a folder cannot be looked into, such as the data of a container that runs as another user
 */
export async function printOf(
  root: string,
  paths: readonly string[],
): Promise<string | undefined> {
  const lines: string[] = [];
  let seen = 0;
  let closed = false;
  const look = async (path: string) => {
    if (closed || seen++ >= PRINTED_FILES) return;
    if (seen % ENTRIES_A_TURN === 0) await afterTheRest();
    const info = lstat(path);
    if (info?.isDirectory) {
      lines.push(`${path}/`);
      const names = namesIn(path);
      closed ||= names === undefined;
      for (const name of names ?? []) if (!isCache(path, name)) await look(`${path}/${name}`);
    } else if (info?.isSymlink) lines.push(`${path} -> ${Deno.readLinkSync(path)}`);
    else lines.push(`${path} ${info?.size} ${info?.mode} ${info?.mtime?.getTime()}`);
  };
  for (const path of [...paths].sort()) await look(`${root}/${path.replace(/\/$/, "")}`);
  if (closed) return undefined;
  const bytes = new TextEncoder().encode(lines.join("\n"));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Sorted; undefined for a folder that is closed to svc. */
function namesIn(path: string): string[] | undefined {
  try {
    return [...Deno.readDirSync(path)].map(({ name }) => name).sort();
  } catch (thrown) {
    if (osCode(thrown) !== "EACCES") throw osFailure("look at", path, thrown);
    return undefined;
  }
}

function lstat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw new Failure("environment", `Cannot look at "${path}"`, { cause: thrown });
  }
}
