/** What the trust commands look at: a repo, its manifest, and the database that holds its trust. */
import type { App } from "svc/app.ts";
import { Failure } from "svc/core/failure.ts";
import { repoId } from "svc/core/ids.ts";
import { didYouMean } from "svc/core/nearest.ts";
import { MANIFEST_BYTES, MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { Store } from "svc/store/open.ts";
import { hasScoped, openScoped, openShared } from "svc/store/placement.ts";

export type TrustPorts = Pick<
  App,
  "clock" | "cwd" | "files" | "folder" | "git" | "home" | "load" | "signal"
>;

export interface TrustPlace extends AsyncDisposable {
  /** Real path. */
  readonly root: string;
  readonly id: string;
  /** Undefined where there is no harness. */
  readonly manifest: Manifest | undefined;
  /** Undefined where there is none yet, and none was to be made. */
  readonly store: Store | undefined;
}

interface Wanted {
  /** A folder in the repo; absolute. */
  readonly repo: string;
  readonly db: string | undefined;
  /** Make the database when there is none. */
  readonly make: boolean;
  /** Not the repo's own database but the one of all registered repos. */
  readonly shared?: boolean;
}

async function manifestOf(app: TrustPorts, root: string): Promise<Manifest | undefined> {
  using folder = await app.folder(root);
  if (await folder.stat(MANIFEST_PATH) === undefined) return undefined;
  const { bytes } = await folder.read(MANIFEST_PATH, { maxBytes: MANIFEST_BYTES });
  // Apart, since a manifest costs zod and YAML at start.
  const { readManifest } = await app.load("src/features/harness/manifest");
  return readManifest(new TextDecoder().decode(bytes));
}

/** @throws Failure for what is no repo, or a manifest that is not valid */
export async function repoPlace(
  app: TrustPorts,
  repo: string,
): Promise<Pick<TrustPlace, "manifest" | "root">> {
  const { root } = await app.git.open(repo, { signal: app.signal });
  return { root, manifest: await manifestOf(app, root) };
}

/** @throws Failure for what is no repo, a manifest that is not valid, or a database that may not be used */
export async function trustPlace(app: TrustPorts, wanted: Wanted): Promise<TrustPlace> {
  const { root, manifest } = await repoPlace(app, wanted.repo);
  const at = { repo: root, db: wanted.db };
  const open = wanted.shared ? openShared : openScoped;
  const there = wanted.make || wanted.shared === true || await hasScoped(app, at);
  const store = there ? await open(app, at) : undefined;
  return {
    root,
    id: await repoId(root),
    manifest,
    store,
    [Symbol.asyncDispose]: async () => await store?.[Symbol.asyncDispose](),
  };
}

const nameOf = ({ path }: RegisteredRepo) => path.slice(path.lastIndexOf("/") + 1);

function registered(
  typed: string,
  repos: readonly RegisteredRepo[],
  database: string,
): RegisteredRepo {
  const found = repos.filter((repo) => [repo.id, nameOf(repo), repo.remote].includes(typed));
  if (found.length === 1) return found[0]!;
  const shown = JSON.stringify(typed);
  if (found.length > 1) {
    const ids = found.map(({ id, path }) => `${id} (${path})`).join(", ");
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

/** A path, or the id, name or remote of a registered repo; those are looked for in the shared database. */
export async function repoNamed(
  app: TrustPorts,
  { repo, db }: { readonly repo: string; readonly db: string | undefined },
): Promise<Pick<Wanted, "repo" | "shared">> {
  const path = repo.startsWith("/") ? repo : `${app.cwd()}/${repo}`;
  if (await app.files.stat(path) !== undefined) return { repo: path };
  const shared = db ?? `${app.home.sharedDb}/svc.db`;
  if (await app.files.stat(shared) === undefined) {
    return { repo: registered(repo, [], shared).path };
  }
  await using store = await openShared(app, { db });
  return { repo: registered(repo, await listRepos(store.db), store.path).path, shared: true };
}

/** @throws Failure where the repo has no harness, or its manifest no such role */
export function roleIn(
  { manifest, root }: Pick<TrustPlace, "manifest" | "root">,
  role: string,
  action: string,
): Manifest["roles"][string] {
  if (manifest === undefined) {
    throw new Failure("environment", `${action}: "${root}" has no ${MANIFEST_PATH}`, {
      remedy: `svc init --repo "${root}"`,
    });
  }
  const { roles } = manifest;
  const found = Object.hasOwn(roles, role) ? roles[role] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(roles);
  throw new Failure(
    "not_found",
    `${action}: ${MANIFEST_PATH} of "${root}" names no role ${JSON.stringify(role)}`,
    { remedy: didYouMean(role, names) || `Its roles are ${names.join(", ")}` },
  );
}
