/** Plans which database `eject` removes: the repo's own; one that others use only when told so. */
import { Failure } from "svc/core/failure.ts";
import { databaseFolder } from "svc/core/path_parts.ts";
import { repoId } from "svc/core/ids.ts";
import { refuseInsideRepo } from "svc/platform/files/outside_repo.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Home } from "svc/platform/home.ts";
import { holderOf, startLockPath } from "svc/platform/git/repo_lock.ts";
import type { DropDraft } from "./draft.ts";

export interface DatabaseRequest {
  readonly repo: string;
  readonly files: Files;
  readonly home: Pick<Home, "db" | "sharedDb">;
  /** Undefined for a file that is no database of svc; `owner` is the real path of the only repo it serves. */
  readonly peek: (
    path: string,
    at: "in use" | "at rest",
  ) => { readonly owner: string | undefined } | undefined;
  /** Who is at work in a database, such as "svc start, process 7"; undefined for nobody. */
  readonly worker: (database: string) => Promise<string | undefined>;
  /** Absolute; from `--db`. */
  readonly db: string | undefined;
  readonly keepDb: boolean;
  readonly deleteSharedDb: boolean;
}

const FILE = "svc.db";
/** Files that SQLite keeps beside a database (sqlite.org/tempfiles.html). */
const SIDES = ["-wal", "-shm", "-journal"];

/** A dry run must not leave the files that SQLite makes beside a database it reads, nor remove the log of an empty one. */
async function peeked({ files, peek }: DatabaseRequest, path: string) {
  const empty = (await files.stat(path))?.size === 0;
  const inUse = !empty && await files.stat(`${path}-wal`) !== undefined;
  return peek(path, inUse ? "in use" : "at rest");
}

async function isOwn(asked: DatabaseRequest, path: string): Promise<boolean> {
  return (await peeked(asked, path))?.owner === asked.repo;
}

/** No other program's database, nor a file of a repo, whatever the flags say. */
async function mustBeDatabase(asked: DatabaseRequest, path: string): Promise<void> {
  await refuseInsideRepo(path, "--db");
  if (await asked.files.stat(path) === undefined) {
    throw new Failure("not_found", `Cannot remove the database "${path}": there is none`, {
      remedy: "Correct --db, or leave it out",
    });
  }
  if (await peeked(asked, path) !== undefined) return;
  throw new Failure("usage", `Cannot remove "${path}": it is no database of svc`, {
    remedy: "Correct --db, or leave it out",
  });
}

/** The lock of a start tells of one that is not yet at work. */
async function userOf({ repo, worker }: DatabaseRequest, path: string) {
  const atWork = await worker(path);
  if (atWork !== undefined) return atWork;
  const folder = path.slice(0, path.lastIndexOf("/"));
  const holder = await holderOf(startLockPath(folder, await repoId(repo)));
  return holder && `svc start, ${holder}`;
}

/** Keeps it while svc works with it: what jobs have done by then would be lost. */
async function keptInUse(
  draft: DropDraft,
  asked: DatabaseRequest,
  path: string,
  shown = path,
): Promise<boolean> {
  const user = await userOf(asked, path);
  if (user === undefined) return false;
  draft.keep(shown, `${user} uses it; end that, then eject again`);
  return true;
}

/** Side files go first: a new database must never meet the log of an old one. */
async function dropFile(draft: DropDraft, asked: DatabaseRequest, path: string): Promise<void> {
  if (await keptInUse(draft, asked, path)) return;
  for (const file of [...SIDES.map((side) => path + side), path]) {
    if (await asked.files.stat(file) === undefined) continue;
    draft.drops.push(file);
    draft.changes.push({ path: file, change: "remove" });
  }
}

async function planNamed(draft: DropDraft, asked: DatabaseRequest, path: string): Promise<void> {
  await mustBeDatabase(asked, path);
  if (asked.deleteSharedDb || await isOwn(asked, path)) {
    return await dropFile(draft, asked, path);
  }
  draft.keep(path, "other repos may use it too; --delete-shared-db removes it");
}

async function planOwn(draft: DropDraft, asked: DatabaseRequest): Promise<void> {
  const { repo, files, home } = asked;
  const name = databaseFolder(repo);
  const withId = `${home.db}/${name}-${await repoId(repo)}`;
  for (const folder of [`${home.db}/${name}`, withId]) {
    if ((await files.stat(folder))?.kind !== "folder") continue;
    if (folder === withId || await isOwn(asked, `${folder}/${FILE}`)) {
      if (await keptInUse(draft, asked, `${folder}/${FILE}`, `${folder}/`)) continue;
      draft.drops.push(folder);
      draft.changes.push({ path: `${folder}/`, change: "remove" });
    } else if (await files.stat(`${folder}/${FILE}`) !== undefined) {
      // --db takes no file that cannot be read as a database of svc.
      const why = await peeked(asked, `${folder}/${FILE}`) === undefined
        ? "its database is damaged, or not of svc; rm -r takes it away"
        : "it does not say that it is this repo's; --db names it";
      draft.keep(`${folder}/`, why);
    }
  }
}

/** @throws Failure for a `--db` that is no database of svc or lies inside a repo */
export async function planDatabase(draft: DropDraft, asked: DatabaseRequest): Promise<void> {
  const { keepDb, deleteSharedDb, db, home, files } = asked;
  if (keepDb && deleteSharedDb) {
    throw new Failure("usage", "Cannot both keep and delete a database", {
      remedy: "Leave out --keep-db or --delete-shared-db",
    });
  }
  if (keepDb) return;
  if (db !== undefined) await planNamed(draft, asked, db);
  else await planOwn(draft, asked);
  const shared = `${home.sharedDb}/${FILE}`;
  if (!deleteSharedDb || db !== undefined || await files.stat(shared) === undefined) return;
  await dropFile(draft, asked, shared);
}
