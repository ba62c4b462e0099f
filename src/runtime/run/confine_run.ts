/** Computes what the Worker of `svc run` may touch, once the harness is written and the repo is registered. */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import type { Profile } from "svc/core/permission.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { OwnerPorts, PreparationPorts } from "svc/runtime/ports.ts";
import type { Confinement } from "svc/runtime/start/confinement.ts";
import { databaseGrant } from "svc/runtime/start/database_grant.ts";
import { mustFitMachine } from "svc/runtime/start/fit_machine.ts";
import {
  hasHarness,
  registeredDatabase,
  rootOf,
  scaffoldWhereMissing,
} from "svc/runtime/start/prepare_repo.ts";
import { hostsOfRepo } from "svc/runtime/start/reachable_hosts.ts";

interface ConfineRunRequest {
  readonly role: string;
  readonly ticket: string | undefined;
  readonly task: string | undefined;
  readonly resume: string | undefined;
  readonly repo: string;
  readonly db: string | undefined;
  readonly modelEndpoint: string | undefined;
  readonly noInit: boolean;
  readonly dryRun: boolean;
  readonly logFile: string | undefined;
  readonly profile: Exclude<Profile, "isolated">;
  scaffolded(files: number): void;
  /** Called when the repo was moved, and its registration came along. */
  followed(from: string): void;
  /** Told of each model before it is asked, which may take long. */
  asks(what: string): void;
}

export function noHarness(role: string, root: string): Failure {
  return new Failure("refused", `Cannot run "${role}": ${quoted(root)} has no harness`, {
    remedy: `svc init --repo ${shellWord(root)}; or add --no-init to use svc's own roles`,
  });
}

/** A dry run writes neither database nor harness. */
export async function confineRun(
  ports: PreparationPorts & Pick<OwnerPorts, "identities">,
  request: ConfineRunRequest,
): Promise<Confinement> {
  const { role, profile, logFile } = request;
  const root = await rootOf(ports, request.repo);
  const missing = !request.noInit && !request.dryRun && !await hasHarness(ports, root);
  if (missing && profile !== "host") throw noHarness(role, root);
  const hosts = await hostsOfRepo(ports, root, request);
  if (!request.dryRun) await mustFitMachine(ports, root, request);
  if (missing) {
    // The harness is written last, when nothing else can fail any more.
    const { lookBeforeRun } = await ports.load("src/runtime/start/before_harness");
    await lookBeforeRun(ports, { ...request, root });
    const written = await scaffoldWhereMissing(ports, root);
    if (written !== undefined) request.scaffolded(written);
  }
  const confinement = {
    profile,
    repos: [root],
    hosts,
    ...(logFile !== undefined && { logFile }),
  };
  if (request.dryRun) {
    const { findScoped } = await ports.load("src/store/placement");
    const database = await findScoped(ports, { repo: root, db: request.db });
    return { ...confinement, ...(database && await databaseGrant(ports, database)) };
  }
  const database = await registeredDatabase(ports, root, request);
  return { ...confinement, ...await databaseGrant(ports, database) };
}
