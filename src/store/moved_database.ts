/** The database of a repo that was moved: found by what is known of the repo's git folder, and brought to its new place. */
import { Failure } from "svc/core/failure.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import { repoId } from "svc/core/ids.ts";
import { databaseFolder } from "svc/core/path_parts.ts";
import type { Files } from "svc/platform/files/files.ts";
import { osCode } from "svc/platform/files/os_errors.ts";
import { startLockPath, tryLockFile } from "svc/platform/git/repo_lock.ts";
import { gitDirKey, moveClaim } from "./meta_store.ts";
import { openStore, peekDatabase, walStateOf } from "./open.ts";
import { databaseFile } from "./database_file.ts";
import { type DatabaseChoice, FILE, findScoped, type PlacementPorts } from "./placement.ts";
import type { Db } from "./schema.ts";

export interface MovedDatabase {
  readonly path: string;
  /** Where its repo was; nothing lies there. */
  readonly from: string;
}

interface MovedRepo extends DatabaseChoice {
  /** As `gitDirMark` gives it. */
  readonly mark: string;
}

/** Undefined where the repo has a database at its place. Nothing is changed. */
export async function findMoved(
  ports: Pick<PlacementPorts, "files" | "home">,
  { repo, db, mark }: MovedRepo,
): Promise<MovedDatabase | undefined> {
  const { files, home } = ports;
  const fits = async (path: string): Promise<MovedDatabase | undefined> => {
    if (await files.stat(path) === undefined) return undefined;
    const at = await walStateOf(files, path);
    const from = peekDatabase(path, at)?.owner;
    // One that was adopted already, by a run that was killed before it was brought over.
    if (from === repo) return { path, from };
    if (from === undefined || await files.stat(from) !== undefined) return undefined;
    return peekDatabase(path, at, gitDirKey(from))?.asked === mark ? { path, from } : undefined;
  };
  if (db !== undefined && isServerAddress(db)) return undefined;
  if (db !== undefined) return await fits(await databaseFile(files, db));
  if (await files.stat(home.db) === undefined) return undefined;
  if (await findScoped(ports, { repo, db }) !== undefined) return undefined;
  for (const { name, kind } of (await files.list(home.db)).entries) {
    const found = kind === "folder" ? await fits(`${home.db}/${name}/${FILE}`) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/"));

/** In one transaction with what `work` does. @throws Failure `conflict` while a start of the old place runs */
export async function adoptDatabase(
  ports: PlacementPorts,
  { path, from }: MovedDatabase,
  { to, mark }: { readonly to: string; readonly mark: string },
  work: (db: Db) => Promise<void>,
): Promise<void> {
  const lockPath = startLockPath(folderOf(path), await repoId(from));
  const lock = await tryLockFile(lockPath, { doing: "follow a moved repo", clock: ports.clock });
  if (typeof lock === "string") {
    throw new Failure("conflict", `Cannot follow the repo from "${from}": ${lock} works on it`, {
      remedy: "Stop that svc first: it was started before the repo was moved",
    });
  }
  using _lock = lock;
  await using store = await openStore(ports, path);
  await store.db.transaction().execute(async (tx) => {
    await work(tx);
    await moveClaim(tx, from, { to, mark });
  });
}

/** To the folder that goes by the repo's name, unless it lies there already. */
export async function moveDatabase(
  { files, home }: PlacementPorts,
  { path }: MovedDatabase,
  repo: string,
): Promise<void> {
  const folder = folderOf(path);
  const name = databaseFolder(repo);
  const own = [`${home.db}/${name}`, `${home.db}/${name}-${await repoId(repo)}`];
  if (own.includes(folder)) return;
  const free = await files.stat(own[0]!) === undefined ? own[0]! : own[1]!;
  try {
    await files.rename(folder, free);
  } catch (thrown) {
    if (!(thrown instanceof Failure && osCode(thrown.cause) === "EXDEV")) throw thrown;
    await moveFiles(files, folder, free);
  }
}

/** A folder in the layer of a container's image cannot be renamed, its files can (Linux, overlayfs.rst, redirect_dir). */
async function moveFiles(files: Files, from: string, to: string): Promise<void> {
  const names = (await files.list(from)).entries.map(({ name }) => name);
  // The last to close the database removes it. One of the two without the other would lose what was written.
  if (names.includes(`${FILE}-wal`)) {
    throw new Failure("conflict", `Cannot move "${from}/${FILE}": another process has it open`, {
      remedy: "Stop every svc that works on the repo, then run the command again",
    });
  }
  await files.makeFolder(to);
  // The database last: after a kill in between the next command finds it where it was.
  for (const name of [...names.filter((name) => name !== FILE), FILE]) {
    await files.rename(`${from}/${name}`, `${to}/${name}`);
  }
  await files.remove(from);
}
