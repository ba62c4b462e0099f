/** Which database file a command uses, and whether it may. */
import { databaseFolder } from "svc/core/path_parts.ts";
import { Failure } from "svc/core/failure.ts";
import { repoId } from "svc/core/ids.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import type { Home } from "svc/platform/home.ts";
import { refuseInsideRepo } from "svc/platform/files/outside_repo.ts";
import { databaseFile } from "./database_file.ts";
import { claimFor } from "./meta_store.ts";
import {
  openStore,
  peekOwner,
  type Store,
  type StorePorts,
  type WalState,
  walStateOf,
} from "./open.ts";

export interface PlacementPorts extends StorePorts {
  readonly home: Pick<Home, "db" | "sharedDb">;
}

export interface DatabaseChoice {
  readonly repo: string;
  /** From `--db`; absolute. */
  readonly db?: string | undefined;
}

export const FILE = "svc.db";
/** A home may lie in another repo, such as one of dotfiles, but not in the target. */
function refuseInTarget(path: string, repo: string): void {
  if (!path.startsWith(`${repo.replace(/\/$/, "")}/`)) return;
  throw new Failure("usage", `Cannot use the database "${path}": it lies inside the target repo`, {
    remedy: "Set SVC_HOME to a folder outside the repo, or pass --db with a path outside it",
  });
}

function refuseOwned(path: string, repo: string | undefined, at?: WalState): void {
  const owner = peekOwner(path, at);
  if (repo === undefined || owner === undefined || owner === repo) return;
  throw new Failure("conflict", `Cannot use the database "${path}": it is the one of "${owner}"`, {
    remedy: "Name another with --db, or leave --db out",
  });
}

async function openNamed(ports: PlacementPorts, path: string, repo?: string): Promise<Store> {
  // The repos of a team share it.
  if (isServerAddress(path)) return await openStore(ports, path);
  const file = await databaseFile(ports.files, path);
  await refuseInsideRepo(path, "--db");
  refuseOwned(file, repo);
  return await openStore(ports, file);
}

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
  // Another repo of that name claimed it first.
  await store[Symbol.asyncDispose]();
}

/** `~/.svc/db/<name>/svc.db`, or `<name>-<repo id>` when another repo has that (spec section 2.1).
 * @throws Failure `usage` for an unsuitable path, `conflict` for another repo's database */
export async function openScoped(
  ports: PlacementPorts,
  { repo, db }: DatabaseChoice,
): Promise<Store> {
  if (db !== undefined) return await openNamed(ports, db, repo);
  const name = databaseFolder(repo);
  const withId = `${name}-${await repoId(repo)}`;
  const has = await ports.files.stat(`${ports.home.db}/${withId}/${FILE}`) !== undefined;
  const store = (has ? undefined : await openOwn(ports, name, repo)) ??
    await openOwn(ports, withId, repo);
  if (store !== undefined) return store;
  throw new Failure("conflict", `Cannot use "${withId}/${FILE}": it is another repo's`, {
    remedy: "Name another database with --db",
  });
}

/** What `openScoped` would open, if it exists. @throws Failure for a `--db` that it would refuse */
export async function findScoped(
  { files, home, servers }: Pick<PlacementPorts, "files" | "home" | "servers">,
  { repo, db }: DatabaseChoice,
): Promise<string | undefined> {
  // Whether svc's tables are there is seen when it is opened.
  if (db !== undefined && isServerAddress(db)) return (await servers?.login(db))?.shown ?? db;
  const there = async (path: string) => await files.stat(path) !== undefined;
  if (db !== undefined) {
    const file = await databaseFile(files, db);
    await refuseInsideRepo(db, "--db");
    if (!await there(file)) return undefined;
    refuseOwned(file, repo, await walStateOf(files, file));
    return file;
  }
  const name = databaseFolder(repo);
  const own = `${home.db}/${name}-${await repoId(repo)}/${FILE}`;
  if (await there(own)) return await databaseFile(files, own);
  const path = `${home.db}/${name}/${FILE}`;
  if (!await there(path)) return undefined;
  const file = await databaseFile(files, path);
  return (peekOwner(file, await walStateOf(files, file)) ?? repo) === repo ? file : undefined;
}

export async function hasScoped(
  ports: Pick<PlacementPorts, "files" | "home" | "servers">,
  choice: DatabaseChoice,
): Promise<boolean> {
  return await findScoped(ports, choice) !== undefined;
}

/** `~/.svc-harness/db/svc.db` (spec section 2.1). `repo` is the target, if any. */
export async function openShared(
  ports: PlacementPorts,
  { repo, db }: Partial<DatabaseChoice>,
): Promise<Store> {
  if (db !== undefined) return await openNamed(ports, db, repo);
  const path = await databaseFile(ports.files, `${ports.home.sharedDb}/${FILE}`);
  if (repo !== undefined) refuseInTarget(path, repo);
  return await openStore(ports, path);
}

/** `~/.svc/db/foundation-telemetry/intake.db` (spec section 2.1). */
const intakeOf = ({ home }: Pick<PlacementPorts, "home">) =>
  `${home.db}/foundation-telemetry/intake.db`;

export async function openIntake(ports: PlacementPorts, db: string | undefined): Promise<Store> {
  if (db !== undefined) return await openNamed(ports, db);
  return await openStore(ports, await databaseFile(ports.files, intakeOf(ports)));
}

/** What `openIntake` would open, if it exists. @throws Failure `usage` for a path inside a repo */
export async function findIntake(
  ports: Pick<PlacementPorts, "files" | "home">,
  db: string | undefined,
): Promise<string | undefined> {
  if (db !== undefined) await refuseInsideRepo(db, "--db");
  const path = db ?? intakeOf(ports);
  return await ports.files.stat(path) === undefined ? undefined : path;
}
