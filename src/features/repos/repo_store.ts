/** The only module that writes the `repos` table. */
import type { Db } from "svc/store/schema.ts";
import type { RegisteredRepo } from "./repo_table.ts";

export type RepoFacts = Pick<RegisteredRepo, "id" | "path" | "remote" | "branch" | "host">;

export function listRepos(db: Db): Promise<RegisteredRepo[]> {
  return db.selectFrom("repos").selectAll().orderBy("path").execute();
}

export function repoAt(db: Db, path: string): Promise<RegisteredRepo | undefined> {
  return db.selectFrom("repos").selectAll().where("path", "=", path).executeTakeFirst();
}

export function repoWithId(db: Db, id: string): Promise<RegisteredRepo | undefined> {
  return db.selectFrom("repos").selectAll().where("id", "=", id).executeTakeFirst();
}

export function reposOf(db: Db, remote: string): Promise<RegisteredRepo[]> {
  return db.selectFrom("repos").selectAll().where("remote", "=", remote).orderBy("path").execute();
}

export async function insertRepo(db: Db, facts: RepoFacts, now: number): Promise<void> {
  await db.insertInto("repos").values({ ...facts, created_at: now, updated_at: now }).execute();
}

/** A new id takes the records of the old one along. */
export async function updateRepo(db: Db, id: string, facts: RepoFacts, now: number): Promise<void> {
  await db.updateTable("repos").set({ ...facts, updated_at: now }).where("id", "=", id).execute();
}
