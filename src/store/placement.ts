/** Which database file a command works on, and whether it may. */
import { Failure } from "svc/core/failure.ts";
import { repoId } from "svc/core/ids.ts";
import type { Home } from "svc/platform/home.ts";
import { refuseInsideRepo } from "svc/platform/files/outside_repo.ts";
import { databaseFile } from "./database_file.ts";
import { claimFor } from "./meta_store.ts";
import { openStore, type Peek, peekOwner, restOf, type Store, type StorePorts } from "./open.ts";

export interface PlacementPorts extends StorePorts {
  readonly home: Pick<Home, "db" | "sharedDb">;
}

export interface Asked {
  /** Real path of the target repo. */
  readonly repo: string;
  /** From `--db`; absolute. */
  readonly db?: string | undefined;
}

const FILE = "svc.db";
/** Leaves room for the id in a folder's name of at most 255 bytes. */
const NAME_BYTES = 200;

function folderName(repo: string): string {
  const name = repo.slice(repo.lastIndexOf("/") + 1) || "root";
  const bytes = new TextEncoder().encode(name);
  // A character that the cut has split is dropped.
  return new TextDecoder().decode(bytes.subarray(0, NAME_BYTES)).replace(/\uFFFD+$/, "");
}

/** Where a home lies in a repo, such as one of dotfiles, only that repo itself is a problem. */
function refuseInTarget(path: string, repo: string): void {
  if (!path.startsWith(`${repo.replace(/\/$/, "")}/`)) return;
  throw new Failure("usage", `Cannot use the database "${path}": it lies inside the target repo`, {
    remedy: "Set SVC_HOME to a folder outside the repo, or pass --db with a path outside it",
  });
}

/** @throws Failure `conflict` when it serves another repo alone */
function refuseOwned(path: string, repo: string | undefined, at?: Peek): void {
  const owner = peekOwner(path, at);
  if (repo === undefined || owner === undefined || owner === repo) return;
  throw new Failure("conflict", `Cannot use the database "${path}": it is the one of "${owner}"`, {
    remedy: "Name another with --db, or leave --db out",
  });
}

async function openNamed(ports: PlacementPorts, path: string, repo?: string): Promise<Store> {
  const file = await databaseFile(ports.files, path);
  await refuseInsideRepo(path, "--db");
  refuseOwned(file, repo);
  return await openStore(ports, file);
}

/** Undefined when the file serves another repo, and is then left as it is. */
async function openOwn(
  ports: PlacementPorts,
  folder: string,
  repo: string,
): Promise<Store | undefined> {
  const path = await databaseFile(ports.files, `${ports.home.db}/${folder}/${FILE}`);
  refuseInTarget(path, repo);
  if ((peekOwner(path) ?? repo) !== repo) return undefined;
  const store = await openStore(ports, path);
  if (await claimFor(store.db, repo) === repo) return store;
  // Another repo of that name was faster.
  await store[Symbol.asyncDispose]();
}

/**
 * The repo's own database: `~/.svc/db/<name>/svc.db`, or `<name>-<repo id>` when another repo of that
 * name has it (spec section 2.1).
 * @throws Failure `usage` for a path that may not be one, `conflict` for another repo's database
 */
export async function openScoped(ports: PlacementPorts, { repo, db }: Asked): Promise<Store> {
  if (db !== undefined) return await openNamed(ports, db, repo);
  const name = folderName(repo);
  const withId = `${name}-${await repoId(repo)}`;
  const has = await ports.files.stat(`${ports.home.db}/${withId}/${FILE}`) !== undefined;
  const store = (has ? undefined : await openOwn(ports, name, repo)) ??
    await openOwn(ports, withId, repo);
  if (store !== undefined) return store;
  throw new Failure("conflict", `Cannot use "${withId}/${FILE}": it is another repo's`, {
    remedy: "Name another database with --db",
  });
}

/**
 * The file that `openScoped` would open, when it is there; for those that must not make one.
 * @throws Failure for a `--db` that it would refuse
 */
export async function findScoped(
  { files, home }: Pick<PlacementPorts, "files" | "home">,
  { repo, db }: Asked,
): Promise<string | undefined> {
  const there = async (path: string) => await files.stat(path) !== undefined;
  if (db !== undefined) {
    const file = await databaseFile(files, db);
    await refuseInsideRepo(db, "--db");
    if (!await there(file)) return undefined;
    refuseOwned(file, repo, await restOf(files, file));
    return file;
  }
  const name = folderName(repo);
  const own = `${home.db}/${name}-${await repoId(repo)}/${FILE}`;
  if (await there(own)) return await databaseFile(files, own);
  const path = `${home.db}/${name}/${FILE}`;
  if (!await there(path)) return undefined;
  if ((peekOwner(path, await restOf(files, path)) ?? repo) !== repo) return undefined;
  return await databaseFile(files, path);
}

/** Whether `openScoped` would open a file that is there; for those that must not make one. */
export async function hasScoped(
  ports: Pick<PlacementPorts, "files" | "home">,
  asked: Asked,
): Promise<boolean> {
  return await findScoped(ports, asked) !== undefined;
}

/**
 * The database that all registered repos share: `~/.svc-harness/db/svc.db` (spec section 2.1).
 * @param repo the target, when there is one: a database that serves another repo alone is refused
 */
export async function openShared(
  ports: PlacementPorts,
  { repo, db }: Partial<Asked>,
): Promise<Store> {
  if (db !== undefined) return await openNamed(ports, db, repo);
  const path = await databaseFile(ports.files, `${ports.home.sharedDb}/${FILE}`);
  if (repo !== undefined) refuseInTarget(path, repo);
  return await openStore(ports, path);
}
