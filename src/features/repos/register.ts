/** Registers a repo: once, however often it is asked, and again after it was moved. */
import { Failure } from "svc/core/failure.ts";
import { repoId } from "svc/core/ids.ts";
import { shellWord } from "svc/core/shell_word.ts";
import type { OwnNode } from "svc/features/nodes/own_node.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { gitDirMark } from "svc/platform/git/place.ts";
import { moveClaim, notedGitDir } from "svc/store/meta_store.ts";
import type { Db } from "svc/store/schema.ts";
import { hasBranch } from "./branch_fault.ts";
import {
  checkedHost,
  checkedRemote,
  GITHUB_HOST,
  placeOfUrl,
  type RemotePlace,
} from "./remote_place.ts";
import {
  insertRepo,
  isOurs,
  listRepos,
  repoAt,
  type RepoFacts,
  reposOf,
  repoWithId,
  updateRepo,
} from "./repo_store.ts";
import type { RegisteredRepo } from "./repo_table.ts";

export const CHANGES = ["registered", "updated", "moved", "unchanged"] as const;

export const FIELDS = ["path", "host", "remote", "branch"] as const;

export interface RegistrationRequest {
  readonly remote?: string | undefined;
  readonly host?: string | undefined;
  readonly branch?: string | undefined;
}

export interface Registration {
  readonly change: typeof CHANGES[number];
  readonly repo: RegisteredRepo;
  readonly changed: readonly {
    readonly field: typeof FIELDS[number];
    readonly from: string | null;
    readonly to: string | null;
  }[];
}

/** @throws Failure `environment` when the branch has no commit */
async function checkedBranch(repo: GitRepo, branch: string): Promise<string> {
  if (await hasBranch(repo, branch)) return branch;
  if (branch.includes("\ufffd")) {
    throw new Failure(
      "environment",
      `Cannot register "${repo.root}": the name of its branch is not UTF-8`,
      { remedy: `Rename it: git -C ${shellWord(repo.root)} branch --move main` },
    );
  }
  const shown = JSON.stringify(branch);
  throw new Failure(
    "environment",
    `Cannot register "${repo.root}": it has no branch ${shown} with a commit`,
    { remedy: await toBranch(repo) },
  );
}

async function toBranch(repo: GitRepo): Promise<string> {
  const git = `git -C ${shellWord(repo.root)}`;
  if ((await repo.log({ max: 1 })).length === 0) return `${git} commit --allow-empty -m "Begin"`;
  if (repo.branch !== undefined) return `${git} branch --list`;
  return `Check out the branch that takes the work: ${git} branch --list; ${git} switch <branch>`;
}

function branchFor(
  repo: GitRepo,
  wish: RegistrationRequest,
  known: RegisteredRepo | undefined,
): string {
  const branch = wish.branch ?? known?.branch ?? repo.branch;
  if (branch !== undefined) return branch;
  const { operation } = repo;
  if (operation !== undefined) {
    throw new Failure("conflict", `Cannot register "${repo.root}": a ${operation} is going on`, {
      remedy: `Finish it, or name the branch: svc register --repo ${
        shellWord(repo.root)
      } --branch main`,
    });
  }
  throw new Failure("usage", `Cannot register "${repo.root}": no branch is checked out`, {
    remedy: `git -C ${shellWord(repo.root)} switch main; or svc register --repo ${
      shellWord(repo.root)
    } --branch main`,
  });
}

async function isGone(files: Pick<Files, "stat">, { path }: RegisteredRepo): Promise<boolean> {
  return await files.stat(path) === undefined;
}

/** The registration of this very repo, when nothing lies at its place any more. */
async function sameRepo(
  db: Db,
  files: Pick<Files, "stat">,
  mark: string | undefined,
): Promise<RegisteredRepo | undefined> {
  if (mark === undefined) return undefined;
  for (const row of await listRepos(db)) {
    if (row.url !== null) continue;
    if (await notedGitDir(db, row.path) === mark && await isGone(files, row)) return row;
  }
  return undefined;
}

/** The only other clone of that remote, when its folder is gone. */
async function movedFrom(
  db: Db,
  files: Pick<Files, "stat">,
  { host, remote }: { readonly host: string | null; readonly remote: string | null },
): Promise<RegisteredRepo | undefined> {
  if (remote === null) return undefined;
  const others = (await reposOf(db, remote)).filter((row) =>
    row.url === null && (row.host === null || row.host === host)
  );
  const gone: RegisteredRepo[] = [];
  for (const other of others) if (await isGone(files, other)) gone.push(other);
  return gone.length === 1 ? gone[0] : undefined;
}

export function differences(known: RegisteredRepo, facts: RepoFacts): Registration["changed"] {
  return FIELDS
    .filter((field) => known[field] !== facts[field])
    .map((field) => ({ field, from: known[field], to: facts[field] }));
}

/** A remote that a person names is at the host of `origin`, and without one at GitHub, as it always was. */
function placeFor(
  asked: { readonly host: string | undefined; readonly remote: string | undefined },
  known: RegisteredRepo | undefined,
  origin: RemotePlace | undefined,
): { readonly host: string | null; readonly remote: string | null } {
  const remote = asked.remote ?? known?.remote ?? origin?.remote ?? null;
  if (remote === null) return { host: null, remote };
  if (asked.host !== undefined) return { host: asked.host, remote };
  if (known?.host) return { host: known.host, remote };
  const told = asked.remote !== undefined || origin?.remote === remote;
  return { host: told ? origin?.host ?? GITHUB_HOST : null, remote };
}

/** Two machines may have the same path, and a repo has one registration. */
export async function mustBeOurs(db: Db, path: string, node: OwnNode | undefined): Promise<void> {
  const known = await repoAt(db, path);
  if (known === undefined || isOurs(known, node)) return;
  throw new Failure("conflict", `Cannot register "${path}": another node has a repo at that path`, {
    remedy: "Share one repo by its remote: svc register --url https://host/owner/repo --db …",
  });
}

/** A path that is a folder's is a URL too, and both have one id. @param url how it is asked for now */
export function mustBeSoKnown(known: RegisteredRepo | undefined, url: string | null): void {
  if (known === undefined || (known.url === null) === (url === null)) return;
  const place = known.url ?? known.path;
  throw known.url === null
    ? new Failure("conflict", `Cannot register the URL "${place}": it is registered as a folder`, {
      remedy: `Give it as a URL that is no path: svc register --url ${
        shellWord(`file://${place}`)
      }`,
    })
    : new Failure("conflict", `Cannot register "${place}": it is registered by its URL`, {
      remedy: "Leave it so: each node clones it from there; or register another clone of it",
    });
}

/** What is not given stays as registered, or is read from the repo. @throws Failure `usage`, `environment` */
export async function register(
  { db, files, node }: {
    readonly db: Db;
    readonly files: Pick<Files, "stat">;
    /** This machine, in the database of a server. */
    readonly node?: OwnNode | undefined;
  },
  repo: GitRepo,
  wish: RegistrationRequest,
  now: number,
): Promise<Registration> {
  const path = repo.root;
  await mustBeOurs(db, path, node);
  const origin = placeOfUrl(await repo.configGet("remote.origin.url") ?? "");
  const asked = {
    remote: wish.remote === undefined ? undefined : checkedRemote(wish.remote),
    host: wish.host === undefined ? undefined : checkedHost(wish.host),
  };
  const id = await repoId(path);
  mustBeSoKnown(await repoWithId(db, id), null);
  const mark = gitDirMark(path);
  const read = async (db: Db) =>
    await repoAt(db, path) ?? await sameRepo(db, files, mark) ??
      await movedFrom(db, files, placeFor(asked, undefined, origin));
  // Git runs before the transaction, to hold the database's lock briefly.
  const branch = await checkedBranch(repo, branchFor(repo, wish, await read(db)));
  return await db.transaction().execute(async (transaction) => {
    const known = await read(transaction);
    const facts = {
      ...{ id, path, branch, ...placeFor(asked, known, origin) },
      ...(node && { node_id: node.id }),
    };
    const changed = known === undefined ? [] : differences(known, facts);
    if (known === undefined) await insertRepo(transaction, facts, now);
    else if (changed.length > 0) await updateRepo(transaction, known.id, facts, now);
    if (mark !== undefined) await moveClaim(transaction, known?.path ?? path, { to: path, mark });
    const moved = changed.some(({ field }) => field === "path");
    const change = known === undefined
      ? "registered"
      : moved
      ? "moved"
      : changed.length > 0
      ? "updated"
      : "unchanged";
    return { change, repo: (await repoAt(transaction, path))!, changed };
  });
}
