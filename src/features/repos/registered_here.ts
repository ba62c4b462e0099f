/** Which registered repo a folder is: by its path, and in a team's database by where it was cloned from. */
import type { GitRepo } from "svc/platform/git/git.ts";
import { serverOf } from "svc/store/server_adapter.ts";
import type { Db } from "svc/store/schema.ts";
import { placeIn } from "./remote_place.ts";
import { listRepos, repoAt } from "./repo_store.ts";
import type { RegisteredRepo } from "./repo_table.ts";

/** A checkout that somebody made of a shared repo is that repo, as svc's own clone is. */
export async function registeredHere(
  db: Db,
  { root, configGet }: Pick<GitRepo, "configGet" | "root">,
): Promise<RegisteredRepo | undefined> {
  const here = await repoAt(db, root);
  if (here !== undefined || serverOf(db) === undefined) return here;
  const origin = await configGet("remote.origin.url");
  if (origin === undefined) return undefined;
  const place = placeIn(origin);
  const fitting = (await listRepos(db)).filter(({ url }) => url !== null && placeIn(url) === place);
  return fitting.length === 1 ? fitting[0] : undefined;
}
