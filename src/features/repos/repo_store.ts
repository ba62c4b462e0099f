/** The only module that writes the `repos` table. */
import type { Db } from "svc/store/schema.ts";
import { forgetBaseChecksOf } from "svc/features/checks/base_check_store.ts";
import { moveJobLimit } from "svc/features/jobs/job_limit_store.ts";
import { resumeRolesOf } from "svc/features/jobs/lane_store.ts";
import { nodeNames } from "svc/features/nodes/node_store.ts";
import type { OwnNode } from "svc/features/nodes/own_node.ts";
import { cloneRoot } from "svc/platform/git/clone_root.ts";
import { clonesOf } from "svc/store/server_adapter.ts";
import type { RegisteredRepo } from "./repo_table.ts";

export type RepoFacts =
  & Pick<RegisteredRepo, "id" | "path" | "remote" | "branch" | "host">
  & Partial<Pick<RegisteredRepo, "url" | "node_id">>;

/** What is stored as the path of a repo that is registered by a URL: its folder differs from node to node. */
export const storedPath = (url: string) => `/${url}`;

/** The one place where a row of a URL gets the path that its clone has, or will have, on this machine. */
function here<Row extends RegisteredRepo | undefined>(db: Db, row: Row): Row {
  const clones = clonesOf(db);
  if (row === undefined || row.url === null || clones === undefined) return row;
  return { ...row, path: cloneRoot(clones, { id: row.id, url: row.url }) };
}

export async function listRepos(db: Db): Promise<RegisteredRepo[]> {
  const rows = await db.selectFrom("repos").selectAll().orderBy("path").execute();
  return rows.map((row) => here(db, row));
}

/** A clone's place in the folder of all: as `cloneRoot` says. */
const OF_CLONE = /\/([0-9a-f]{12})\/\w[\w.-]*$/;

/** @param path real, while the folder of clones may be named by way of a link */
export async function repoAt(db: Db, path: string): Promise<RegisteredRepo | undefined> {
  const [place, id] = OF_CLONE.exec(path) ?? [];
  if (id !== undefined && clonesOf(db) !== undefined) {
    const found = await repoWithId(db, id);
    if (found?.url && found.path.endsWith(place!)) return found;
  }
  const row = await db.selectFrom("repos").selectAll().where("path", "=", path).executeTakeFirst();
  return here(db, row);
}

export async function repoWithId(db: Db, id: string): Promise<RegisteredRepo | undefined> {
  const row = await db.selectFrom("repos").selectAll().where("id", "=", id).executeTakeFirst();
  return here(db, row);
}

export async function reposOf(db: Db, remote: string): Promise<RegisteredRepo[]> {
  const rows = await db.selectFrom("repos").selectAll().where("remote", "=", remote)
    .orderBy("path").execute();
  return rows.map((row) => here(db, row));
}

/** Whether this node works on it: everybody on what has a URL, else who registered the folder. */
export const isOurs = ({ url, node_id }: RegisteredRepo, node: OwnNode | undefined) =>
  url !== null || node_id === null || node === undefined || node_id === node.id;

/** What is said of a folder that another node registered. */
export async function liesElsewhere(
  db: Db,
  { node_id }: Pick<RegisteredRepo, "node_id">,
): Promise<string> {
  const name = (await nodeNames(db)).get(node_id ?? "");
  const where = name === undefined ? "another node" : `node ${name}`;
  return `its folder lies on ${where} (svc register --url shares a repo)`;
}

export async function insertRepo(db: Db, facts: RepoFacts, now: number): Promise<void> {
  await db.insertInto("repos").values({ ...facts, created_at: now, updated_at: now }).execute();
}

/** Its records stay, and are its own again once it is registered anew. */
export async function removeRepo(db: Db, id: string): Promise<void> {
  await db.deleteFrom("repos").where("id", "=", id).execute();
}

/** What the triggers of the database do not do: records of a repo that was let go of may lie at the new place. */
async function followed(db: Db, from: string, to: string): Promise<void> {
  await forgetBaseChecksOf(db, to);
  await resumeRolesOf(db, to);
  await moveJobLimit(db, from, to);
}

/** A new id takes the records of the old one along. */
export async function updateRepo(db: Db, id: string, facts: RepoFacts, now: number): Promise<void> {
  if (facts.id !== id) await followed(db, id, facts.id);
  await db.updateTable("repos").set({ ...facts, updated_at: now }).where("id", "=", id).execute();
}
