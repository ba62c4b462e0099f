/**
 * Refs as git's own files tell them (gitrepository-layout(5)): a file each, or a line of `packed-refs`. A file wins, and
 * is read first, since git packs a ref before it removes its file. Undefined throughout where git has to be asked: refs
 * in a reftable (git-refs(1)), one that names another, odd names, files that are large or no plain ones.
 */
import { isObjectId } from "svc/core/git_args.ts";
import type { GitLocation } from "./hardening.ts";
import { pointerIn } from "./place.ts";

/** A ref takes some 70. */
const PACKED_BYTES = 1024 * 1024;
/** Files and folders below one folder of refs; more are git's to list. */
const LOOSE_ENTRIES = 2000;

type Refs = Pick<GitLocation, "commonDir">;

/** What `HEAD` names where refs are in a reftable. */
export const NO_FILE = ".invalid";

export const hasRefFiles = ({ commonDir }: Refs) =>
  pointerIn(`${commonDir}/HEAD`) !== `ref: refs/heads/${NO_FILE}` &&
  kindOf(`${commonDir}/reftable`) === "none";

type Kind = "file" | "folder" | "none" | "other";

function kindOf(path: string): Kind {
  try {
    const { isFile, isDirectory, size } = Deno.lstatSync(path);
    if (isDirectory) return "folder";
    return isFile && size <= PACKED_BYTES ? "file" : "other";
  } catch (thrown) {
    const gone = thrown instanceof Deno.errors.NotFound ||
      thrown instanceof Deno.errors.NotADirectory;
    return gone ? "none" : "other";
  }
}

/** Git passes over a ref whose id is nothing but zeros. */
const isId = (text: string) => isObjectId(text) && !/^0+$/.test(text);

function idIn(path: string): string | undefined {
  const text = pointerIn(path);
  return text !== undefined && isId(text) ? text : undefined;
}

/** `id SP ref LF`, with lines of other forms in between. */
function packed({ commonDir }: Refs): Map<string, string> | undefined {
  const path = `${commonDir}/packed-refs`;
  const kind = kindOf(path);
  if (kind !== "file") return kind === "none" ? new Map() : undefined;
  const refs = new Map<string, string>();
  for (const line of Deno.readTextFileSync(path).split("\n")) {
    // A comment, and what the tag of the line before points to.
    if (line === "" || line.startsWith("#") || line.startsWith("^")) continue;
    const space = line.indexOf(" ");
    const id = line.slice(0, space);
    if (!isId(id)) return undefined;
    refs.set(line.slice(space + 1), id);
  }
  return refs;
}

// Git allows more characters; these mean nothing to a file system that folds some.
const PLAIN_REF = /^refs(?:\/[A-Za-z0-9_][\w.-]*)+$/;
const isPlain = (ref: string) =>
  PLAIN_REF.test(ref) && !ref.includes("..") && !/(?:\.lock|\.)(?:\/|$)/.test(ref);

export interface RefInFiles {
  /** Undefined where there is no such ref. */
  readonly id: string | undefined;
}

/** @param ref such as `refs/heads/main`. It is not looked whether the repo has the object. */
export function refInFiles(place: Refs, ref: string): RefInFiles | undefined {
  if (!isPlain(ref) || !hasRefFiles(place)) return undefined;
  const path = `${place.commonDir}/${ref}`;
  const kind = kindOf(path);
  if (kind === "file") {
    const id = idIn(path);
    return id === undefined ? undefined : { id };
  }
  if (kind === "other") return undefined;
  const refs = packed(place);
  return refs && { id: refs.get(ref) };
}

/** Those in files of their own. */
function loose({ commonDir }: Refs, under: string): Map<string, string> | undefined {
  const found = new Map<string, string>();
  const folders = [under];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const { name, isFile, isDirectory } of Deno.readDirSync(`${commonDir}/${folder}`)) {
      if (++entries > LOOSE_ENTRIES) return undefined;
      // As git passes over them: locks, and what a file manager left (refs/files-backend.c).
      if (name.startsWith(".") || name.endsWith(".lock")) continue;
      const ref = `${folder}/${name}`;
      if (!isPlain(ref)) return undefined;
      if (isDirectory) {
        folders.push(ref);
        continue;
      }
      // It may have been packed or deleted meanwhile.
      const id = isFile ? idIn(`${commonDir}/${ref}`) : undefined;
      if (id === undefined) return undefined;
      found.set(ref, id);
    }
  }
  return found;
}

function looseBelow(place: Refs, under: string): Map<string, string> | undefined {
  const kind = kindOf(`${place.commonDir}/${under}`);
  if (kind !== "folder") return kind === "none" ? new Map() : undefined;
  try {
    return loose(place, under);
  } catch (thrown) {
    // Git removes a folder that became empty.
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  }
}

/** @param under such as `refs/heads/svc`. @returns the refs below it, in git's order */
export function refsInFiles(place: Refs, under: string): ReadonlyMap<string, string> | undefined {
  if (!isPlain(under) || !hasRefFiles(place)) return undefined;
  const own = looseBelow(place, under);
  const refs = own && packed(place);
  if (own === undefined || refs === undefined) return undefined;
  const below = [...refs].filter(([ref]) => ref.startsWith(`${under}/`));
  if (below.some(([ref]) => !isPlain(ref))) return undefined;
  return new Map([...new Map([...below, ...own])].sort(([a], [b]) => a < b ? -1 : 1));
}
