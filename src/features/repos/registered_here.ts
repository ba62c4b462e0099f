/** Which registered repo a folder is: by its path, and in a team's database by where it was cloned from. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { shellWord } from "svc/core/shell_word.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { serverOf } from "svc/store/server_adapter.ts";
import type { Db } from "svc/store/schema.ts";
import { placeIn } from "./remote_place.ts";
import { listRepos, repoAt } from "./repo_store.ts";
import type { RegisteredRepo } from "./repo_table.ts";

/** The registered repo that is worked on in this very folder.
 * @throws Failure `conflict` for a checkout of a shared repo: it would be a second repo, beside the team's */
export async function workedOnIn(
  db: Db,
  git: Pick<GitRepo, "configGet" | "root">,
): Promise<RegisteredRepo | undefined> {
  const known = await registeredHere(db, git);
  if (known === undefined || known.id === (await repoAt(db, git.root))?.id) return known;
  const folder = quoted(git.root);
  throw new Failure(
    "conflict",
    `Cannot work in ${folder}: it is a checkout of the shared repo ${quoted(known.url!)}`,
    {
      remedy:
        `Work in svc's own clone, which svc serve --db … makes: --repo ${
          shellWord(known.path)
        } --db …; ` +
        `or register the folder as a repo of its own: svc register --repo ${
          shellWord(git.root)
        } --db …`,
    },
  );
}

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
