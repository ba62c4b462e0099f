/** What the set-ups of finished work trees made, kept for the next tree of their repo: moved, never copied. */
import { isComponent } from "svc/core/repo_path.ts";
import { overClosed } from "svc/platform/files/closed_folders.ts";
import type { Files } from "svc/platform/files/files.ts";
import { osCode } from "svc/platform/files/os_errors.ts";
import { afterTheRest } from "svc/platform/timers.ts";
import { isSetUpMark, type SetUpMark } from "./worktree_mark.ts";
import { exists } from "./worktree_state.ts";

/** Below the home of work trees, whose other folders belong to one repo each. */
export const POOL = "pool";

/** As many as jobs of one repo often run at a time. */
const KEPT_A_REPO = 2;

/** For all repos together: some six projects with 300 MB of node_modules each. */
const KEPT_BYTES = 2 * 1024 ** 3;

/** A folder that is being moved or removed for longer was left by a kill. */
const MOVING_MS = 60 * 60 * 1000;

const RECORD = "kept.json";
const RECORD_BYTES = 1024 * 1024;

/** Entries between two turns of the event loop, which other jobs share: some 5 ms. */
const ENTRIES_A_TURN = 1000;

interface KeptRecord extends SetUpMark {
  readonly commonDir: string;
  readonly bytes: number;
  /** Epoch ms. */
  readonly keptAt: number;
}

export interface KeptSetUp extends KeptRecord {
  readonly folder: string;
}

type PoolFiles = Pick<Files, "makeFolder" | "writeAtomic">;

/** False for what the system refuses, such as two file systems (EXDEV) or a folder that is not empty. */
async function allowed(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (thrown) {
    if (osCode(thrown) === undefined) throw thrown;
    return false;
  }
}

const remove = (path: string) =>
  allowed(() => overClosed(path, () => Deno.remove(path, { recursive: true })));

/** Another process that wants the same folder at the same time gets false. */
const claimed = (from: string, to: string) => allowed(() => Deno.rename(from, to));

const unslashed = (path: string) => path.replace(/\/$/, "");

/** False where a link or a file stands among the folders above the path. @param make those that are missing */
async function hasFolders(root: string, path: string, make = false): Promise<boolean> {
  let at = root;
  for (const name of path.split("/").slice(0, -1)) {
    at = `${at}/${name}`;
    if (make && !exists(at)) await allowed(() => Deno.mkdir(at, { mode: 0o700 }));
    const info = await Deno.lstat(at).catch(() => undefined);
    if (info?.isDirectory !== true) return false;
  }
  return true;
}

/** Moves each path to the same place below another folder; stops at the first that cannot be moved. */
async function moveAll(from: string, to: string, paths: readonly string[]): Promise<string[]> {
  const moved: string[] = [];
  for (const path of paths.map(unslashed)) {
    const [old, fresh] = [`${from}/${path}`, `${to}/${path}`];
    const fits = path.split("/").every(isComponent) && await hasFolders(from, path) &&
      await hasFolders(to, path, true) && !exists(fresh);
    if (!fits || !await allowed(() => Deno.rename(old, fresh))) break;
    moved.push(path);
  }
  return moved;
}

async function bytesBelow(root: string, paths: readonly string[]): Promise<number> {
  let bytes = 0;
  let seen = 0;
  const look = async (path: string) => {
    if (++seen % ENTRIES_A_TURN === 0) await afterTheRest();
    const { isDirectory, size } = Deno.lstatSync(path);
    bytes += size;
    if (!isDirectory) return;
    for (const { name } of [...Deno.readDirSync(path)]) await look(`${path}/${name}`);
  };
  for (const path of paths) await look(`${root}/${unslashed(path)}`);
  return bytes;
}

/** Its last two names, of the repo and of the tree; undefined for a tree that lies elsewhere. */
function placeInPool(home: string, tree: string): string | undefined {
  const names = tree.startsWith(`${home}/`) ? tree.slice(home.length + 1).split("/") : [];
  return names.length === 2 && names[0] !== POOL ? `${home}/${POOL}/${names.join("/")}` : undefined;
}

/**
 * Moves what the set-up made out of a tree that is about to go, and drops what is too much then. Nothing
 * is kept where that cannot be done.
 */
export async function keepSetUp(
  files: PoolFiles,
  home: string,
  tree: { readonly commonDir: string; readonly setup: SetUpMark },
  now: number,
): Promise<void> {
  const { at, made } = tree.setup;
  const place = placeInPool(home, at);
  if (place === undefined || made.length === 0) return;
  const bytes = await bytesBelow(at, made);
  if (bytes > KEPT_BYTES) return;
  const moving = privateName(place);
  await files.makeFolder(`${moving}/made`);
  if ((await moveAll(at, `${moving}/made`, made)).length === made.length) {
    const record: KeptRecord = { ...tree.setup, commonDir: tree.commonDir, bytes, keptAt: now };
    await files.writeAtomic(`${moving}/${RECORD}`, JSON.stringify(record));
    await claimed(moving, place);
  }
  await remove(moving);
  await trimPool(home, { now, keepMs: Infinity });
}

/** A folder of this name belongs to whoever made it. */
function privateName(place: string): string {
  return `${place.slice(0, place.lastIndexOf("/") + 1)}.${crypto.randomUUID()}`;
}

/** Empty where there is no such folder: another svc may have emptied it, and a file manager leaves files anywhere. */
async function entriesIn(folder: string): Promise<Deno.DirEntry[]> {
  try {
    return await Array.fromAsync(Deno.readDir(folder));
  } catch (thrown) {
    const { NotFound, NotADirectory } = Deno.errors;
    if (!(thrown instanceof NotFound || thrown instanceof NotADirectory)) throw thrown;
    return [];
  }
}

/** The pool's folder of each repo. */
async function reposIn(home: string): Promise<string[]> {
  return (await entriesIn(`${home}/${POOL}`)).filter(({ isDirectory }) => isDirectory)
    .map(({ name }) => `${home}/${POOL}/${name}`);
}

async function recordIn(folder: string): Promise<KeptSetUp | undefined> {
  const path = `${folder}/${RECORD}`;
  let value: Partial<KeptRecord>;
  try {
    if ((await Deno.lstat(path)).size > RECORD_BYTES) return undefined;
    value = JSON.parse(await Deno.readTextFile(path));
  } catch (thrown) {
    // Somebody else took it, or wrote into it.
    if (osCode(thrown) === undefined && !(thrown instanceof SyntaxError)) throw thrown;
    return undefined;
  }
  const { commonDir, bytes, keptAt } = value ?? {};
  const known = typeof commonDir === "string" && Number.isFinite(bytes) && Number.isFinite(keptAt);
  return known && isSetUpMark(value) ? { ...value as KeptRecord, folder } : undefined;
}

/** Newest first; without what another process is moving. */
export async function keptSetUps(home: string): Promise<KeptSetUp[]> {
  const found: KeptSetUp[] = [];
  for (const repo of await reposIn(home)) {
    for (const { name } of await entriesIn(repo)) {
      const kept = await recordIn(`${repo}/${name}`);
      if (kept !== undefined && !name.startsWith(".")) found.push(kept);
    }
  }
  return found.sort((a, b) => b.keptAt - a.keptAt);
}

/** A set-up that nobody else gets any more. */
export async function takeSetUp(
  home: string,
  { commonDir, beside }: { readonly commonDir: string; readonly beside: string },
): Promise<KeptSetUp | undefined> {
  const folder = beside.slice(0, beside.lastIndexOf("/"));
  for (const kept of await keptSetUps(home)) {
    const fits = kept.commonDir === commonDir && kept.folder === placeInPool(home, kept.at) &&
      kept.at.startsWith(`${folder}/`) && !exists(kept.at);
    if (!fits) continue;
    const moving = privateName(kept.folder);
    if (await claimed(kept.folder, moving)) return { ...kept, folder: moving };
  }
  return undefined;
}

/** False where something of it does not fit into the tree: then nothing of it is there. */
export async function fillFrom({ folder, made, at }: KeptSetUp): Promise<boolean> {
  const moved = await moveAll(`${folder}/made`, at, made);
  await remove(folder);
  if (moved.length === made.length) return true;
  for (const path of moved) await remove(`${at}/${path}`);
  return false;
}

/** For a tree that was not made after all. */
export async function returnSetUp(home: string, { folder, at }: KeptSetUp): Promise<void> {
  await claimed(folder, placeInPool(home, at)!);
}

/** Removes what is too old, too much, of a repo that is gone, or left by a kill. */
export async function trimPool(
  home: string,
  { now, keepMs }: { readonly now: number; readonly keepMs: number },
): Promise<void> {
  const repos = new Map<string, number>();
  let bytes = 0;
  for (const kept of await keptSetUps(home)) {
    const repo = kept.folder.slice(0, kept.folder.lastIndexOf("/"));
    const count = (repos.get(repo) ?? 0) + 1;
    const fits = count <= KEPT_A_REPO && bytes + kept.bytes <= KEPT_BYTES;
    if (fits && now - kept.keptAt < keepMs && exists(kept.commonDir)) {
      repos.set(repo, count);
      bytes += kept.bytes;
      continue;
    }
    const moving = privateName(kept.folder);
    if (await claimed(kept.folder, moving)) await remove(moving);
  }
  for (const repo of await reposIn(home)) await sweep(repo, now);
}

async function sweep(repo: string, now: number): Promise<void> {
  for (const { name } of await entriesIn(repo)) {
    const path = `${repo}/${name}`;
    const info = await Deno.lstat(path).catch(() => undefined);
    // A rename changes the ctime alone.
    const old = now - (info?.ctime?.getTime() ?? now) > MOVING_MS;
    if (old && (name.startsWith(".") || await recordIn(path) === undefined)) await remove(path);
  }
  // Fails while something is in it.
  await allowed(() => Deno.remove(repo));
}
