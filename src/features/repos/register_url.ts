/** Registers a repo by the URL that every node clones it from. */
import { Failure } from "svc/core/failure.ts";
import { gitUrl, urlPath } from "svc/core/git_url.ts";
import { repoId } from "svc/core/ids.ts";
import { quoted } from "svc/core/repo_path.ts";
import { shellWord } from "svc/core/shell_word.ts";
import type { Remotes } from "svc/platform/git/remotes.ts";
import { serverOf } from "svc/store/server_adapter.ts";
import type { Db } from "svc/store/schema.ts";
import {
  differences,
  mustBeSoKnown,
  type Registration,
  type RegistrationRequest,
} from "./register.ts";
import { checkedHost, checkedRemote, GITHUB_HOST, placeIn, placeOfUrl } from "./remote_place.ts";
import { insertRepo, listRepos, repoWithId, storedPath, updateRepo } from "./repo_store.ts";

/** A file is on one machine, where a folder says more. */
export const inFile = (url: string) =>
  new Failure("usage", `Cannot register ${quoted(url)} in a database that is a file`, {
    remedy: "Name the team's database: svc register --url … --db postgres://team@host/svc; or " +
      "clone it yourself, and register the folder: svc register --repo <folder>",
  });

/** One path, written in two ways, is one repo: the way that was first stays. */
async function registeredUrl(db: Db, typed: string): Promise<string> {
  const path = urlPath(typed);
  if (path === undefined || await repoWithId(db, await repoId(typed)) !== undefined) return typed;
  const same = (await listRepos(db)).find(({ url }) => url !== null && urlPath(url) === path);
  return same?.url ?? typed;
}

/** Two ids of one remote would be two queues that push to the same branches. */
async function mustBeNew(db: Db, url: string): Promise<void> {
  const place = placeIn(url);
  const repos = await listRepos(db);
  if (repos.some((repo) => repo.url === url)) return;
  const same = repos.find((repo) => repo.url !== null && placeIn(repo.url) === place);
  if (same === undefined) return;
  throw new Failure(
    "conflict",
    `Cannot register ${quoted(url)}: that repo is registered as ${quoted(same.url!)}`,
    {
      remedy:
        "Leave it so: the form that came first stays, and every node clones by it; change the rest with " +
        `svc register --url ${shellWord(same.url!)} --db …`,
    },
  );
}

/** Asks the remote, so that a mistake shows now. @throws Failure `usage`; `environment` where it does not answer */
export async function registerUrl(
  { db, remotes }: { readonly db: Db; readonly remotes: Pick<Remotes, "branchOf"> },
  typed: string,
  wish: RegistrationRequest,
  now: number,
): Promise<Registration> {
  const asked = gitUrl(typed).url;
  if (serverOf(db) === undefined) throw inFile(asked);
  const url = await registeredUrl(db, asked);
  const id = await repoId(url);
  const known = await repoWithId(db, id);
  mustBeSoKnown(known, url);
  await mustBeNew(db, url);
  const branch = await remotes.branchOf(url, wish.branch ?? known?.branch);
  const place = placeOfUrl(url);
  const remote = wish.remote === undefined
    ? known?.remote ?? place?.remote ?? null
    : checkedRemote(wish.remote);
  const host = wish.host === undefined
    ? known?.host ?? place?.host ?? GITHUB_HOST
    : checkedHost(wish.host);
  const facts = {
    ...{ id, path: storedPath(url), url, node_id: null, branch, remote },
    host: remote === null ? null : host,
  };
  return await db.transaction().execute(async (tx) => {
    await mustBeNew(tx, url);
    const before = await repoWithId(tx, id);
    const changed = before === undefined
      ? []
      : differences(before, { ...facts, path: before.path });
    if (before === undefined) await insertRepo(tx, facts, now);
    else if (changed.length > 0) await updateRepo(tx, id, facts, now);
    const change = before === undefined
      ? "registered"
      : changed.length > 0
      ? "updated"
      : "unchanged";
    return { change, repo: (await repoWithId(tx, id))!, changed };
  });
}
