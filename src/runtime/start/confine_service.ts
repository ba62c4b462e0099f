/** Computes what the Worker of `svc start` or `svc serve` may touch, and who else keeps the repo going. */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import { repoId } from "svc/core/ids.ts";
import { otherLoopbackHosts } from "svc/core/loopback.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import type { Profile } from "svc/core/permission.ts";
import { quoted } from "svc/core/repo_path.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { absence } from "svc/runtime/eject/gone_ways.ts";
import type { OwnerPorts, PreparationPorts } from "svc/runtime/ports.ts";
import type { Confinement } from "./confinement.ts";
import type { StartFlags } from "./facts.ts";
import { databaseGrant } from "./database_grant.ts";
import { mustFitMachine } from "./fit_machine.ts";
import { hasHarness, registeredDatabase, rootOf, scaffoldWhereMissing } from "./prepare_repo.ts";
import { collectorHosts, hostsOfRepo, hostsOfUser } from "./reachable_hosts.ts";

type OwnedPorts = PreparationPorts & Pick<OwnerPorts, "identities">;

interface ServiceRequest {
  readonly db: string | undefined;
  readonly logFile: string | undefined;
  readonly modelEndpoint: string | undefined;
  readonly profile: Exclude<Profile, "isolated">;
  /** Address of the control listener, as typed. */
  readonly addr: string | undefined;
  readonly dashboardAddr: string | undefined;
  /** What this machine is called in its team, as typed. */
  readonly node: string | undefined;
}

/** Hosts that the Worker may reach and no repo names: those of telemetry, and the addresses at which it listens. */
const serviceHosts = async (ports: PreparationPorts, request: ServiceRequest) => [
  ...await collectorHosts(ports),
  ...otherLoopbackHosts(request.addr, request.dashboardAddr),
];

async function mustHaveHarness(ports: PreparationPorts, root: string): Promise<void> {
  if (await hasHarness(ports, root)) return;
  throw new Failure("refused", `Cannot start svc in ${quoted(root)}: it has no ${MANIFEST_PATH}`, {
    remedy:
      `svc init --repo ${shellWord(root)}; or let svc write and commit it: svc start --repo ` +
      `${shellWord(root)} --execution-profile host --acknowledge-host-execution`,
  });
}

/** Takes a lock for the life of this process, or returns the name of its holder. */
async function startLock(
  { clock, files, home, load }: PreparationPorts,
  database: string,
  root: string,
): Promise<Disposable | string> {
  const { startLockPath, tryLockFile } = await load("src/platform/git/repo_lock");
  // On a server's database other machines work on their own clones of the repo.
  const folder = isServerAddress(database) ? home.db : database.slice(0, database.lastIndexOf("/"));
  await files.makeFolder(folder);
  return await tryLockFile(startLockPath(folder, await repoId(root)), { doing: "start", clock });
}

interface StartRequest extends ServiceRequest, StartFlags {
  /** A folder in the repo. */
  readonly repo: string;
  /** Called when a harness was written. */
  scaffolded(files: number): void;
  /** Called when the repo was moved, and its registration came along. */
  followed(from: string): void;
  /** Told of each model before it is asked, which may take long. */
  asks(what: string): void;
  /** @throws Failure `conflict` when an address that was asked for is taken */
  mustBeFree(): Promise<void>;
}

/** A harness is written when nothing else can fail any more. */
async function harnessForStart(
  ports: OwnedPorts,
  root: string,
  request: StartRequest,
): Promise<void> {
  const { db, modelEndpoint, newLifecycle, force } = request;
  const { lookBeforeStart } = await ports.load("src/runtime/start/before_harness");
  const { findScoped } = await ports.load("src/store/placement");
  const database = await findScoped(ports, { repo: root, db });
  // Released at once, since the repo is not registered yet; the start takes the lock again for as long as it
  // runs.
  const lock = database === undefined ? undefined : await startLock(ports, database, root);
  const otherStart = typeof lock === "string" ? lock : undefined;
  if (typeof lock === "object") lock[Symbol.dispose]();
  if (otherStart === undefined) await request.mustBeFree();
  const flags = { newLifecycle, force };
  const { asks } = request;
  await lookBeforeStart(ports, { root, db, modelEndpoint, flags, otherStart, asks });
  const written = await scaffoldWhereMissing(ports, root);
  if (written !== undefined) request.scaffolded(written);
}

export async function confineStart(
  ports: OwnedPorts,
  request: StartRequest,
): Promise<Confinement> {
  const { profile, logFile } = request;
  const root = await rootOf(ports, request.repo);
  if (profile !== "host") await mustHaveHarness(ports, root);
  const hosts = [...await hostsOfRepo(ports, root, request), ...await serviceHosts(ports, request)];
  await mustFitMachine(ports, root, request);
  if (!await hasHarness(ports, root)) await harnessForStart(ports, root, request);
  const database = await registeredDatabase(ports, root, request);
  const lock = await startLock(ports, database, root);
  return {
    profile,
    repos: [root],
    hosts,
    // A second start of the same repo must fail before it registers as a node.
    ...await databaseGrant(
      ports,
      database,
      typeof lock === "string" ? undefined : { name: request.node },
    ),
    ...(typeof lock === "string" ? { otherStart: lock } : { held: lock }),
    ...(logFile !== undefined && { logFile }),
  };
}

interface ServeRequest extends ServiceRequest {
  /** Told how many repos are cloned, which may take long. */
  clones(what: string): void;
}

/** Code that opens repos is loaded only if there are clones. @returns faults, by path */
async function faultsOfClones(
  ports: OwnedPorts & Pick<OwnerPorts, "db">,
  rows: readonly RegisteredRepo[],
  { clones }: ServeRequest,
): Promise<ReadonlyMap<string, string>> {
  if (rows.length === 0) return new Map();
  const { refreshClones } = await ports.load("src/runtime/start/refresh_clones");
  return await refreshClones(ports, rows, clones);
}

export async function confineServe(
  ports: OwnedPorts,
  request: ServeRequest,
): Promise<Confinement> {
  const [{ openShared }, { isOurs, liesElsewhere, listRepos }] = await Promise.all([
    ports.load("src/store/placement"),
    ports.load("src/features/repos/repo_store"),
  ]);
  await mustFitMachine(ports, undefined, request);
  await using store = await openShared(ports, { db: request.db });
  const grant = await databaseGrant(ports, store.path, { name: request.node });
  const registered = await listRepos(store.db);
  const ours = registered.filter((row) => isOurs(row, grant.node));
  const shared = ours.filter(({ url }) => url !== null);
  const faults = await faultsOfClones({ ...ports, db: store.db }, shared, request);
  const looked = await Promise.all(ours.map(async ({ path, url }) => {
    const why = url === null ? await absence(ports, path) : faults.get(path);
    return { path, why };
  }));
  const elsewhere = await Promise.all(
    registered.filter((row) => !ours.includes(row)).map(async (row) => ({
      path: row.path,
      why: await liesElsewhere(store.db, row),
    })),
  );
  const present = looked.flatMap(({ path, why }) => why === undefined ? [path] : []);
  const { profile, logFile } = request;
  const asked = { ...request, team: grant.node !== undefined };
  return {
    profile,
    // Includes absent repos: one may come back, such as on a disk that is mounted again.
    repos: ours.map(({ path }) => path),
    hosts: [...await hostsOfUser(ports, present, asked), ...await serviceHosts(ports, request)],
    ...grant,
    skipped: [
      ...looked.flatMap(({ path, why }) => why === undefined ? [] : [{ path, why }]),
      ...elsewhere,
    ],
    ...(logFile !== undefined && { logFile }),
  };
}
