/** What `svc start` and `svc serve` work out before their Worker starts: places, repos, hosts, who else is there. */
import type { App } from "svc/app.ts";
import type { Confinement } from "svc/cli/command.ts";
import { Failure } from "svc/core/failure.ts";
import { repoId } from "svc/core/ids.ts";
import { loopbackAddress } from "svc/core/loopback.ts";
import type { Profile } from "svc/core/permission.ts";
import { quoted } from "svc/core/repo_path.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import { refuseInsideRepo } from "svc/platform/files/outside_repo.ts";
import { registered, rootOf, scaffoldWhereMissing } from "./run_parts.ts";
import { hostsOfRepo, hostsOfUser } from "./service_hosts.ts";

/** What both commands are asked. */
export interface ServiceAsked {
  readonly concurrency: number;
  readonly db: string | undefined;
  readonly debug: boolean;
  readonly logFile: string | undefined;
  readonly modelEndpoint: string | undefined;
  readonly codeIntel: boolean;
  readonly addr: string | undefined;
  readonly dashboardAddr: string | undefined;
  readonly dashboardTrustedOrigin: string | undefined;
  readonly json: boolean;
  readonly plain: boolean;
}

export interface StartAsked extends ServiceAsked {
  readonly repo: string | undefined;
  readonly force: boolean;
  readonly newLifecycle: boolean;
}

type Allowed = Exclude<Profile, "isolated">;

/** As typed. The one origin beyond this machine whose pages may use the dashboard: of a reverse proxy. */
export function originAsked(
  { env }: Pick<App, "env">,
  { dashboardTrustedOrigin }: Pick<ServiceAsked, "dashboardTrustedOrigin">,
): string | undefined {
  return dashboardTrustedOrigin ?? (env.get("SVC_DASHBOARD_TRUSTED_ORIGIN") || undefined);
}

/** All that can be refused before a socket, a database or a repo is touched. */
async function checkPlaces(app: App, asked: ServiceAsked): Promise<void> {
  const addresses = [asked.addr, asked.dashboardAddr].map((typed) =>
    typed === undefined ? undefined : loopbackAddress(typed)
  );
  const [control, dashboard] = addresses;
  if (control && control.port !== 0 && control.port === dashboard?.port) {
    throw new Failure("usage", `Cannot listen twice on port ${control.port}`, {
      remedy: "Give --addr and --dashboard-addr different ports",
    });
  }
  const origin = originAsked(app, asked);
  if (origin !== undefined) {
    const { trustedOrigin } = await app.load("src/http/own_hosts");
    trustedOrigin(origin);
  }
  if (asked.logFile !== undefined) await refuseInsideRepo(asked.logFile, "--log-file");
  if (asked.db !== undefined) await refuseInsideRepo(asked.db, "--db");
}

/** An observer writes nothing into the repo, so it cannot give it one either. */
async function mustHaveHarness(app: App, root: string): Promise<void> {
  using folder = await app.folder(root);
  if (await folder.stat(MANIFEST_PATH) !== undefined) return;
  throw new Failure("refused", `Cannot start svc in ${quoted(root)}: it has no ${MANIFEST_PATH}`, {
    remedy: `svc init --repo ${quoted(root)}; or let svc write and commit it: svc start --repo ` +
      `${quoted(root)} --execution-profile host --acknowledge-host-execution`,
  });
}

/** Held for as long as the process lives; its holder's name where another has it. */
async function startLock(app: App, database: string, root: string): Promise<Disposable | string> {
  const { tryLockFile } = await app.load("src/platform/git/repo_lock");
  const folder = database.slice(0, database.lastIndexOf("/"));
  const path = `${folder}/start-${await repoId(root)}.lock`;
  return await tryLockFile(path, { doing: "start", clock: app.clock });
}

export async function confineStart(
  app: App,
  asked: StartAsked,
  profile: Allowed,
): Promise<Confinement> {
  await checkPlaces(app, asked);
  const root = await rootOf(app, asked.repo);
  if (profile === "host") await scaffoldWhereMissing(app, root);
  else await mustHaveHarness(app, root);
  const hosts = await hostsOfRepo(app, root, { ...asked, profile });
  const database = await registered(app, root, asked.db);
  const lock = await startLock(app, database, root);
  const { logFile } = asked;
  return {
    profile,
    repos: [root],
    hosts,
    database,
    ...(typeof lock === "string" ? { otherStart: lock } : { held: lock }),
    ...(logFile !== undefined && { logFile }),
  };
}

/** Why nothing can be done in a registered folder; what else is wrong, its work will tell. */
async function absence({ files }: App, path: string): Promise<string | undefined> {
  const facts = await files.stat(path).catch(() => undefined);
  if (facts === undefined) return "the folder is gone";
  if (facts.kind !== "folder") return "it is no folder any more";
  const git = await files.stat(`${path}/.git`).catch(() => undefined);
  return git === undefined ? "it is no git repo any more" : undefined;
}

export async function confineServe(
  app: App,
  asked: ServiceAsked,
  profile: Allowed,
): Promise<Confinement> {
  await checkPlaces(app, asked);
  const [{ openShared }, { listRepos }] = await Promise.all([
    app.load("src/store/placement"),
    app.load("src/features/repos/repo_store"),
  ]);
  await using store = await openShared(app, { db: asked.db });
  const known = await listRepos(store.db);
  const looked = await Promise.all(
    known.map(async ({ path }) => ({ path, why: await absence(app, path) })),
  );
  const there = looked.flatMap(({ path, why }) => why === undefined ? [path] : []);
  const { logFile } = asked;
  return {
    profile,
    // One that is back later, such as on a disk that is mounted again, is worked on then.
    repos: known.map(({ path }) => path),
    hosts: await hostsOfUser(app, there, { ...asked, profile }),
    database: store.path,
    skipped: looked.flatMap(({ path, why }) => why === undefined ? [] : [{ path, why }]),
    ...(logFile !== undefined && { logFile }),
  };
}
