/** What `svc run` works out before its Worker starts: harness, database, registration, the model's host. */
import type { App } from "svc/app.ts";
import type { Confinement } from "svc/cli/command.ts";
import { Failure } from "svc/core/failure.ts";
import type { Profile } from "svc/core/permission.ts";
import { quoted } from "svc/core/repo_path.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { refuseInsideRepo } from "svc/platform/files/outside_repo.ts";
import type { HarnessText } from "svc/runtime/job/harness_source.ts";
import { hostsOfRepo } from "./service_hosts.ts";

export interface RunAsked {
  readonly role: string;
  readonly repo: string | undefined;
  readonly ticket: string | undefined;
  readonly task: string | undefined;
  readonly resume: string | undefined;
  readonly db: string | undefined;
  readonly modelEndpoint: string | undefined;
  readonly noInit: boolean;
  readonly dryRun: boolean;
  readonly logFile: string | undefined;
}

export interface HarnessAt {
  readonly manifest: Manifest;
  readonly harness: HarnessText;
  /** The repo has none: these are what svc would write. */
  readonly bundled: boolean;
}

/** Undefined where the repo has no harness. */
async function ownHarness(
  app: Pick<App, "folder" | "load">,
  root: string,
): Promise<HarnessAt | undefined> {
  const [{ readManifest }, { harnessIn }] = await Promise.all([
    app.load("src/features/harness/manifest"),
    app.load("src/runtime/job/harness_source"),
  ]);
  using folder = await app.folder(root);
  const text = await harnessIn(folder)(MANIFEST_PATH, 1024 * 1024);
  if (text === undefined) return undefined;
  const harness: HarnessText = async (path, maxBytes) => {
    using opened = await app.folder(root);
    return await harnessIn(opened)(path, maxBytes);
  };
  return { manifest: readManifest(text), harness, bundled: false };
}

function noHarness(role: string, root: string): Failure {
  return new Failure("refused", `Cannot run "${role}": ${quoted(root)} has no harness`, {
    remedy: `svc init --repo ${quoted(root)}; or add --no-init to use svc's own roles`,
  });
}

/** The repo's harness, or the bundled one where none is to be written. @throws Failure as said */
export async function harnessFor(
  app: Pick<App, "folder" | "load">,
  at: { readonly root: string; readonly branch: string | undefined },
  asked: Pick<RunAsked, "role" | "noInit" | "dryRun">,
): Promise<HarnessAt> {
  const own = await ownHarness(app, at.root);
  if (own !== undefined) return own;
  if (!asked.noInit && !asked.dryRun) throw noHarness(asked.role, at.root);
  const { bundledHarness } = await app.load("src/runtime/start/scaffold");
  return { ...bundledHarness({ root: at.root, branch: at.branch ?? "main" }), bundled: true };
}

async function hasHarness(app: App, root: string): Promise<boolean> {
  using folder = await app.folder(root);
  return await folder.stat(MANIFEST_PATH) !== undefined;
}

export async function scaffoldWhereMissing(app: App, root: string): Promise<void> {
  if (await hasHarness(app, root)) return;
  const { scaffoldHarness } = await app.load("src/runtime/start/scaffold");
  using folder = await app.folder(root);
  const { files, home, clock, signal, lockRepo: lock } = app;
  const repo = await app.git.open(root, { signal });
  const { files: written } = await scaffoldHarness(
    { repo, folder, files, home, clock, signal, lock },
    app.commits,
  );
  app.stderr.write(`wrote a harness of ${written.length} files and committed it\n`);
}

/** Loaded while git looks at the repo: the first of it takes node:fs, some 10 ms. */
const MEANWHILE = [
  "src/platform/files/folder",
  "src/store/placement",
  "src/features/repos/register",
  "src/features/repos/repo_store",
] as const;

/** The real root of the repo that is asked for, or of the one of this folder. */
export async function rootOf(app: App, repo: string | undefined): Promise<string> {
  let loaded: Promise<unknown> | undefined;
  const { root } = await app.git.open(repo ?? app.cwd(), {
    signal: app.signal,
    onAsked() {
      loaded = Promise.all(MEANWHILE.map((module) => app.load(module)));
    },
  });
  await loaded;
  return root;
}

/** @throws Failure `usage` */
export function refuseMixed(
  { role, resume, ticket, task, dryRun }: Pick<
    RunAsked,
    "role" | "resume" | "ticket" | "task" | "dryRun"
  >,
): void {
  if (resume === undefined) return;
  const other = ticket !== undefined
    ? "--ticket"
    : task !== undefined
    ? "--task"
    : dryRun
    ? "--dry-run"
    : undefined;
  if (other === undefined) return;
  const remedy = dryRun
    ? "What is sent is the conversation in its trace: svc run printed its path"
    : `svc run ${role} --resume ${resume}: it goes on with the work that it had`;
  throw new Failure("usage", `Cannot run --resume with ${other}`, { remedy });
}

/** On the main thread; a dry run makes neither a database nor a harness. */
export async function confineRun(
  app: App,
  asked: RunAsked,
  profile: Exclude<Profile, "isolated">,
): Promise<Confinement> {
  const { role, modelEndpoint, logFile } = asked;
  if (logFile !== undefined) await refuseInsideRepo(logFile, "--log-file");
  const root = await rootOf(app, asked.repo);
  if (!asked.noInit && !asked.dryRun) {
    if (profile === "host") await scaffoldWhereMissing(app, root);
    else if (!await hasHarness(app, root)) throw noHarness(role, root);
  }
  const confinement = {
    profile,
    repos: [root],
    hosts: await hostsOfRepo(app, root, { modelEndpoint, profile, role }),
    ...(logFile !== undefined && { logFile }),
  };
  if (asked.dryRun) {
    const { findScoped } = await app.load("src/store/placement");
    const database = await findScoped(app, { repo: root, db: asked.db });
    return { ...confinement, ...(database !== undefined && { database }) };
  }
  return { ...confinement, database: await registered(app, root, asked.db) };
}

async function defaultBranch(app: App, root: string): Promise<string> {
  return (await ownHarness(app, root))?.manifest.project.default_branch ?? "main";
}

/** The repo's own database, with the repo in it. @returns its path */
export async function registered(app: App, root: string, db: string | undefined): Promise<string> {
  const [{ openScoped }, { register }, { repoAt }] = await Promise.all([
    app.load("src/store/placement"),
    app.load("src/features/repos/register"),
    app.load("src/features/repos/repo_store"),
  ]);
  await using store = await openScoped(app, { repo: root, db });
  if (await repoAt(store.db, root) !== undefined) return store.path;
  const repo = await app.git.open(root, { signal: app.signal });
  // On no branch, such as where a build checked out a commit, the manifest says what takes the work.
  const branch = repo.branch === undefined ? await defaultBranch(app, root) : undefined;
  await register({ db: store.db, files: app.files }, repo, { branch }, app.clock.now());
  return store.path;
}
