/** What `svc run` works out before its Worker starts: harness, database, registration, the model's host. */
import type { App } from "svc/app.ts";
import type { Confinement } from "svc/cli/command.ts";
import { Failure } from "svc/core/failure.ts";
import type { Profile } from "svc/core/permission.ts";
import { quoted } from "svc/core/repo_path.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { refuseInsideRepo } from "svc/platform/outside_repo.ts";
import type { HarnessText } from "svc/runtime/harness_source.ts";
import { hostsOf } from "./service_hosts.ts";

export interface RunAsked {
  readonly role: string;
  readonly repo: string | undefined;
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
    app.load<typeof import("svc/features/harness/manifest.ts")>("src/features/harness/manifest"),
    app.load<typeof import("svc/runtime/harness_source.ts")>("src/runtime/harness_source"),
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

/** The repo's harness, or the bundled one where none is to be written. @throws Failure as said */
export async function harnessFor(
  app: Pick<App, "folder" | "load">,
  at: { readonly root: string; readonly branch: string | undefined },
  asked: Pick<RunAsked, "role" | "noInit" | "dryRun">,
): Promise<HarnessAt> {
  const own = await ownHarness(app, at.root);
  if (own !== undefined) return own;
  if (!asked.noInit && !asked.dryRun) {
    throw new Failure("refused", `Cannot run "${asked.role}": ${quoted(at.root)} has no harness`, {
      remedy: `svc init --repo ${quoted(at.root)}; or add --no-init to use svc's own roles`,
    });
  }
  const { bundledHarness } = await app.load<typeof import("svc/runtime/scaffold.ts")>(
    "src/runtime/scaffold",
  );
  return { ...bundledHarness({ root: at.root, branch: at.branch ?? "main" }), bundled: true };
}

export async function scaffoldWhereMissing(app: App, root: string): Promise<void> {
  using folder = await app.folder(root);
  if (await folder.stat(MANIFEST_PATH) !== undefined) return;
  const { scaffoldHarness } = await app.load<typeof import("svc/runtime/scaffold.ts")>(
    "src/runtime/scaffold",
  );
  const { files, home, clock, signal, lockRepo: lock } = app;
  const repo = await app.git.open(root, { signal });
  const { files: written } = await scaffoldHarness(
    { repo, folder, files, home, clock, signal, lock },
    app.commits,
  );
  app.stderr.write(`wrote a harness of ${written.length} files and committed it\n`);
}

/** `host:port` of the role's model where it is beyond loopback. @throws Failure as `chooseModel` */
async function modelHosts(
  app: App,
  root: string,
  { manifest }: HarnessAt,
  { role, modelEndpoint }: RunAsked,
): Promise<string[]> {
  const [{ chooseModel, endpointRules }, { roleIn }] = await Promise.all([
    app.load<typeof import("svc/features/models/choose_model.ts")>(
      "src/features/models/choose_model",
    ),
    app.load<typeof import("svc/features/models/harness_roles.ts")>(
      "src/features/models/harness_roles",
    ),
  ]);
  const { tier } = roleIn(manifest.roles, role);
  using folder = await app.folder(root);
  const rules = endpointRules(await app.settings(), app.home.config);
  const { route } = await chooseModel(folder, { role, tier, modelEndpoint }, rules);
  return hostsOf([route.endpoint]);
}

/** Of the code host, where approved work becomes a pull request. */
async function mergeHosts(app: App, root: string, { manifest }: HarnessAt): Promise<string[]> {
  if (manifest.dispatch.merge !== "pull_request") return [];
  const [{ codeHostToken, hostsForMerge }, { remoteOfUrl }] = await Promise.all([
    app.load<typeof import("svc/runtime/pull_request.ts")>("src/runtime/pull_request"),
    app.load<typeof import("svc/features/repos/remote.ts")>("src/features/repos/remote"),
  ]);
  const repo = await app.git.open(root, { signal: app.signal });
  const remote = remoteOfUrl(await repo.configGet("remote.origin.url") ?? "") ?? null;
  return [...hostsForMerge(manifest, remote, await codeHostToken(app) !== undefined)];
}

/** On the main thread; a dry run makes neither a database nor a harness. */
export async function confineRun(
  app: App,
  asked: RunAsked,
  profile: Exclude<Profile, "isolated">,
): Promise<Confinement> {
  if (asked.logFile !== undefined) await refuseInsideRepo(asked.logFile, "--log-file");
  const { root, branch } = await app.git.open(asked.repo ?? app.cwd(), { signal: app.signal });
  if (profile === "host" && !asked.noInit && !asked.dryRun) await scaffoldWhereMissing(app, root);
  const harness = await harnessFor(app, { root, branch }, asked);
  const hosts = [
    ...await modelHosts(app, root, harness, asked),
    ...(profile === "host" ? await mergeHosts(app, root, harness) : []),
  ];
  const { logFile } = asked;
  const confinement = {
    ...{ profile, repos: [root], hosts },
    ...(logFile !== undefined && { logFile }),
  };
  if (asked.dryRun) return confinement;
  return { ...confinement, database: await registered(app, root, asked.db) };
}

/** The repo's own database, with the repo in it. @returns its path */
export async function registered(app: App, root: string, db: string | undefined): Promise<string> {
  const [{ openScoped }, { register }, { repoAt }] = await Promise.all([
    app.load<typeof import("svc/store/placement.ts")>("src/store/placement"),
    app.load<typeof import("svc/features/repos/register.ts")>("src/features/repos/register"),
    app.load<typeof import("svc/features/repos/repo_store.ts")>("src/features/repos/repo_store"),
  ]);
  await using store = await openScoped(app, { repo: root, db });
  if (await repoAt(store.db, root) !== undefined) return store.path;
  const repo = await app.git.open(root, { signal: app.signal });
  await register({ db: store.db, files: app.files }, repo, {}, app.clock.now());
  return store.path;
}
