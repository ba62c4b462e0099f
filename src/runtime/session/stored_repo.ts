/** A repo with its manifest and its database. */
import { Failure } from "svc/core/failure.ts";
import { repoId } from "svc/core/ids.ts";
import { READ_FOLDERS } from "svc/core/repo_path.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { didYouMean } from "svc/core/nearest.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest, ManifestRole } from "svc/features/harness/manifest_shape.ts";
import { roleNamed } from "svc/features/harness/role_named.ts";
import { openFollowed } from "svc/features/repos/follow_move.ts";
import { peekRepo } from "svc/features/repos/peek_repo.ts";
import { registeredHere } from "svc/features/repos/registered_here.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { isToolApproved } from "svc/features/tools/custom/approval_store.ts";
import type { ListedCustomTool } from "svc/features/tools/custom/make.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import type { PreparationPorts } from "svc/runtime/ports.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { refuseLeftOut } from "svc/platform/git/index_flags.ts";
import { manifestOf } from "svc/runtime/start/prepare_repo.ts";
import type { Store } from "svc/store/open.ts";
import { walStateOf } from "svc/store/open.ts";
import { FILE, hasScoped, openShared } from "svc/store/placement.ts";

export interface StoredRepo extends AsyncDisposable {
  readonly root: string;
  /** Git's folder that its work trees share. */
  readonly commonDir: string;
  readonly id: string;
  readonly manifest: Manifest | undefined;
  /** Undefined where there is none yet. */
  readonly store: Store | undefined;
}

interface AskedPlace {
  /** Its real path; undefined where none was found. */
  readonly root: string | undefined;
  /** As it was given. */
  readonly db: string | undefined;
}

type ServePorts = Pick<PreparationPorts, "files" | "home">;

/**
 * The database of svc serve, where it has the repo too and no database was named: the repo's own one knows nothing of
 * its jobs (spec section 2.1).
 */
export async function serveDatabase(
  { files, home }: ServePorts,
  { root, db }: AskedPlace,
): Promise<string | null> {
  const path = `${home.sharedDb}/${FILE}`;
  if (db !== undefined || root === undefined || await files.stat(path) === undefined) return null;
  return peekRepo(path, await walStateOf(files, path), root) === undefined ? null : path;
}

export const ofServe = (database: string) =>
  `for jobs of svc serve, add --db ${shellWord(database)}`;

/** What to do where a database does not know something, and which other database may. */
export async function orElsewhere(
  ports: ServePorts,
  first: string,
  asked: AskedPlace,
): Promise<string> {
  if (asked.db !== undefined) return `${first}; for jobs of another database, name it with --db`;
  const database = await serveDatabase(ports, asked);
  return database === null ? first : `${first}; ${ofServe(database)}`;
}

/** If a database was named outside of a repo, the remedy is not to make a repo. @throws Failure as `Git.open` */
export async function openCheckout(
  { git, signal }: Pick<PreparationPorts, "git" | "signal">,
  { repo, db, all }: Pick<StoredRepoRequest, "all" | "db" | "repo">,
): Promise<GitRepo> {
  try {
    return await git.open(repo, { signal });
  } catch (thrown) {
    const { code, message, remedy = "" } = Failure.from(thrown);
    if (db === undefined || !remedy.startsWith("git init ")) throw thrown;
    throw new Failure(code, message, {
      cause: thrown,
      remedy: `${all ? "Add --all for all repos of the database, or name" : "Name"} ` +
        "one by a checkout of it: --repo <folder>",
    });
  }
}

interface StoredRepoRequest {
  /** A folder in the repo; absolute. */
  readonly repo: string;
  readonly db: string | undefined;
  readonly make?: boolean;
  readonly shared?: boolean;
  /** The command has a flag `--all`. */
  readonly all?: boolean;
}

/** @throws Failure for what is no repo, an invalid manifest, or a database that may not be used */
export async function openStoredRepo(
  ports: PreparationPorts,
  { repo, db, make = false, shared = false, all = false }: StoredRepoRequest,
): Promise<StoredRepo> {
  const git = await openCheckout(ports, { repo, db, all });
  await refuseLeftOut(git, READ_FOLDERS);
  const { root, commonDir } = git;
  const manifest = await manifestOf(ports, root);
  const named = { repo: root, db };
  const exists = make || shared || await hasScoped(ports, named);
  const store = exists ? await (shared ? openShared : openFollowed)(ports, named) : undefined;
  const registered = store && await registeredHere(store.db, git);
  return {
    root,
    commonDir,
    id: registered?.id ?? await repoId(root),
    manifest,
    store,
    [Symbol.asyncDispose]: async () => await store?.[Symbol.asyncDispose](),
  };
}

/** A database that is asked about all its repos, and the caller's repo if it is in one. */
export type StoredPlace =
  & Pick<StoredRepo, "store">
  & { readonly [key in "root" | "id"]: string | undefined }
  & AsyncDisposable;

async function isInRepo({ git, signal }: PreparationPorts, folder: string): Promise<boolean> {
  try {
    await git.open(folder, { signal });
    return true;
  } catch (thrown) {
    if (Failure.from(thrown).code === "environment") return false;
    throw thrown;
  }
}

/**
 * With `all` and a named database the caller need not be in a repo: a team can be looked at from any folder.
 * @throws Failure as `openStoredRepo`
 */
export async function openStoredPlace(
  ports: PreparationPorts,
  { repo, db, all, cwd }: {
    readonly repo: string | undefined;
    readonly db: string | undefined;
    readonly all: boolean;
    readonly cwd: string;
  },
): Promise<StoredPlace> {
  if (!all || db === undefined || repo !== undefined || await isInRepo(ports, cwd)) {
    return await openStoredRepo(ports, { repo: repo ?? cwd, db, all: true });
  }
  const exists = isServerAddress(db) || await ports.files.stat(db) !== undefined;
  const store = exists ? await openShared(ports, { db }) : undefined;
  return {
    ...{ root: undefined, id: undefined, store },
    [Symbol.asyncDispose]: async () => await store?.[Symbol.asyncDispose](),
  };
}

const nameOf = ({ path }: RegisteredRepo) => path.slice(path.lastIndexOf("/") + 1);

/** @param typed id, name or remote @throws Failure `not_found`; `conflict` where several fit */
function registeredAs(
  typed: string,
  repos: readonly RegisteredRepo[],
  database: string,
): RegisteredRepo {
  const fitting = repos.filter((repo) => [repo.id, nameOf(repo), repo.remote].includes(typed));
  if (fitting.length === 1) return fitting[0]!;
  const shown = JSON.stringify(typed);
  if (fitting.length > 1) {
    const ids = fitting.map(({ id, path }) => `${id} (${path})`).join(", ");
    throw new Failure("conflict", `Cannot tell which repo ${shown} is: ${ids}`, {
      remedy: "Name it by its id or path",
    });
  }
  const near = didYouMean(typed, repos.flatMap((repo) => [nameOf(repo), repo.id]));
  throw new Failure(
    "not_found",
    `Cannot find the repo ${shown}: it is no folder, nor registered in "${database}"`,
    { remedy: near === "" ? "Give its path, or register it: svc register --repo <path>" : near },
  );
}

/**
 * Finds the repo that a person typed: a path, or an id, name or remote in the shared database.
 * @param cwd absolute; relative paths start there
 */
export async function repoTyped(
  ports: PreparationPorts,
  { repo, db, cwd }: {
    readonly repo: string;
    readonly db: string | undefined;
    readonly cwd: string;
  },
): Promise<Pick<StoredRepoRequest, "repo" | "shared">> {
  const path = repo.startsWith("/") ? repo : `${cwd}/${repo}`;
  if (await ports.files.stat(path) !== undefined) return { repo: path };
  const shared = db ?? `${ports.home.sharedDb}/svc.db`;
  if (!isServerAddress(shared) && await ports.files.stat(shared) === undefined) {
    return { repo: registeredAs(repo, [], shared).path };
  }
  await using store = await openShared(ports, { db });
  const row = registeredAs(repo, await listRepos(store.db), store.path);
  if (row.url !== null && await ports.files.stat(row.path) === undefined) {
    throw new Failure("environment", `Cannot open the repo "${repo}": this machine has no clone`, {
      remedy: `Give a checkout of it in its place: git clone ${shellWord(row.url)}`,
    });
  }
  return { repo: row.path, shared: true };
}

/** @throws Failure `environment` where the repo has no harness; `not_found` as `roleNamed` */
export function roleOf(
  { manifest, root }: Pick<StoredRepo, "manifest" | "root">,
  name: string,
): ManifestRole {
  if (manifest !== undefined) return roleNamed(manifest, name);
  throw new Failure(
    "environment",
    `Cannot find role "${name}": "${root}" has no ${MANIFEST_PATH}`,
    {
      remedy: `svc init --repo ${shellWord(root)}`,
    },
  );
}

export interface CustomTools {
  readonly tools: readonly AnyTool[];
  readonly listed: readonly ListedCustomTool[];
}

/** The repo's own tools; approvals are read anew. */
export async function customToolsOf(
  ports: PreparationPorts,
  { root, id, store }: Pick<StoredRepo, "id" | "root" | "store">,
): Promise<CustomTools> {
  const { customTools } = await ports.load("src/features/tools/custom/make");
  using folder = await ports.folder(root);
  return await customTools(
    folder,
    async (name, sha256) =>
      store !== undefined && await isToolApproved(store.db, { repo_id: id, name, sha256 }),
  );
}
