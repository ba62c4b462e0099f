/** Prepares a repo on the main thread, before a Worker starts: root, harness, registration. */
import { READ_FOLDERS } from "svc/core/repo_path.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { refuseLeftOut } from "svc/platform/git/index_flags.ts";
import type { OwnerPorts, PreparationPorts } from "svc/runtime/ports.ts";
import { databaseGrant } from "./database_grant.ts";

/** Loaded while git looks at the repo: the first use of node:fs takes some 10 ms. */
const MEANWHILE = [
  "src/platform/files/folder",
  "src/store/placement",
  "src/features/repos/register",
  "src/features/repos/repo_store",
  "src/features/repos/follow_move",
] as const;

export async function rootOf(
  { git, load, signal }: PreparationPorts,
  path: string,
): Promise<string> {
  let loaded: Promise<unknown> | undefined;
  const repo = await git.open(path, {
    signal,
    onAsked() {
      loaded = Promise.all(MEANWHILE.map((module) => load(module)));
    },
  });
  await loaded;
  await refuseLeftOut(repo, READ_FOLDERS);
  return repo.root;
}

/** Loads zod and YAML only where there is a manifest. @throws Failure as `manifestIn` */
export async function manifestOf(
  ports: PreparationPorts,
  root: string,
): Promise<Manifest | undefined> {
  using folder = await ports.folder(root);
  if (await folder.stat(MANIFEST_PATH) === undefined) return undefined;
  const { manifestIn } = await ports.load("src/features/harness/manifest");
  return await manifestIn(folder);
}

export async function hasHarness(
  { folder }: PreparationPorts,
  root: string,
): Promise<boolean> {
  using opened = await folder(root);
  return await opened.stat(MANIFEST_PATH) !== undefined;
}

/** @returns how many files were written and committed; undefined if there was a harness already */
export async function scaffoldWhereMissing(
  ports: PreparationPorts,
  root: string,
): Promise<number | undefined> {
  if (await hasHarness(ports, root)) return undefined;
  const [{ scaffoldHarness }, { openHarnessTarget }] = await Promise.all([
    ports.load("src/runtime/start/scaffold"),
    ports.load("src/features/harness/operate"),
  ]);
  using target = await openHarnessTarget(ports, root);
  return (await scaffoldHarness(target)).files.length;
}

interface OwnDatabase {
  readonly db: string | undefined;
  /** Called when the repo was moved, and its registration came along. */
  followed(from: string): void;
}

/** Registers the repo in its own database, or in that of `--db`. @returns the database's path */
export async function registeredDatabase(
  ports: PreparationPorts & Pick<OwnerPorts, "identities">,
  root: string,
  { db, followed }: OwnDatabase,
): Promise<string> {
  const [{ mustBeOurs, register }, { repoAt }, { openFollowed }] = await Promise.all([
    ports.load("src/features/repos/register"),
    ports.load("src/features/repos/repo_store"),
    ports.load("src/features/repos/follow_move"),
  ]);
  await using store = await openFollowed(ports, { repo: root, db }, followed);
  const known = await repoAt(store.db, root);
  if (known !== undefined) {
    await mustBeOurs(store.db, root, (await databaseGrant(ports, store.path)).node);
    return store.path;
  }
  const repo = await ports.git.open(root, { signal: ports.signal });
  const { workedOnIn } = await ports.load("src/features/repos/registered_here");
  await workedOnIn(store.db, repo);
  // With a detached HEAD, such as in CI, the manifest names the base branch.
  const branch = repo.branch === undefined
    ? (await manifestOf(ports, root))?.project.default_branch ?? "main"
    : undefined;
  const { node } = await databaseGrant(ports, store.path);
  await register({ db: store.db, files: ports.files, node }, repo, { branch }, ports.clock.now());
  return store.path;
}
