/**
 * The status of one database without asking a service: from its rows, running processes, and the files of its
 * repos.
 */
import { rfc3339 } from "svc/core/time.ts";
import { countsByStatus, runningOwners } from "svc/features/jobs/job_views.ts";
import { ownersLife, parseOwner } from "svc/features/jobs/owner.ts";
import { claimState } from "svc/features/jobs/queue_store.ts";
import { livingServices } from "svc/features/jobs/service_store.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { keptNode } from "svc/features/nodes/own_node.ts";
import { isOurs, liesElsewhere, listRepos } from "svc/features/repos/repo_store.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { cardsNow } from "svc/runtime/inbox/inbox_list.ts";
import { absence } from "svc/runtime/eject/gone_ways.ts";
import type { OwnerPorts, PreparationPorts, ProgressPort } from "svc/runtime/ports.ts";
import { REGISTERED_LATER } from "svc/runtime/start/confinement.ts";
import { nodesNow } from "svc/runtime/views/node_item.ts";
import { basenameOf } from "svc/runtime/views/view_ports.ts";
import type { Store } from "svc/store/open.ts";
import { heldClaims } from "./held_claims.ts";
import { lookAt, NO_TICKETS } from "./status.ts";

type PlacePorts = PreparationPorts & ProgressPort & Pick<OwnerPorts, "identities">;

const NEVER_A_NODE = { id: "", name: "" };

type LivingService = Awaited<ReturnType<typeof livingServices>>[number];

function servicesOf(living: readonly LivingService[]) {
  return living.map(({ owner, life, shape, profile, started_at, dashboard_url, control_url }) => ({
    ...{ shape, profile, life, dashboard_url, control_url },
    pid: parseOwner(owner)?.pid ?? null,
    since: rfc3339(started_at),
  }));
}

/** Whether each service that works on what is registered began before this folder was. */
function isLate(living: readonly LivingService[], { url, created_at }: RegisteredRepo): boolean {
  const serving = living.filter(({ shape }) => shape === "serve");
  return url === null && serving.length > 0 &&
    serving.every(({ started_at }) => started_at < created_at);
}

async function jobsOn(ports: PlacePorts, { db }: Store) {
  const [{ running, pending }, owners] = await Promise.all([
    countsByStatus(db),
    runningOwners(db),
  ]);
  const lives = await Promise.all(owners.map(ownersLife(ports.identities)));
  const abandoned = lives.filter((life) => life === "dead").length;
  return { running: running - abandoned, waiting: pending, abandoned };
}

async function lookHere(
  ports: Pick<PlacePorts, "files">,
  looking: Parameters<typeof lookAt>[0],
  repo: RegisteredRepo,
) {
  const problem = repo.url === null ? await absence(ports, repo.path) : undefined;
  return problem === undefined
    ? await lookAt(looking, repo)
    : { problem, tickets: NO_TICKETS, next: [] };
}

export async function placeStatus(ports: PlacePorts, store: Store) {
  const { db } = store;
  const viewing = { ...ports, db, profile: "host" } as const;
  const opener = new RepoOpener(viewing);
  const looking = { ports: viewing, manifestAt: (root: string) => opener.manifestAt(root) };
  const repos = await listRepos(db);
  const node = await keptNode(ports) ?? NEVER_A_NODE;
  const [living, claims, jobs, { cards }, holds] = await Promise.all([
    livingServices(db, ownersLife(ports.identities)),
    claimState(db),
    jobsOn(ports, store),
    cardsNow(viewing, repos, { named: true }),
    heldClaims(viewing),
  ]);
  const inZone = (wanted: string) => cards.filter(({ zone }) => zone === wanted).length;
  return {
    database: store.path,
    services: servicesOf(living),
    paused: claims.paused,
    pause_reason: claims.paused ? claims.reason : null,
    held: holds.map(({ says, raise }) => `${says}. ${raise}`),
    jobs,
    needs_you: inZone("needs_you"),
    failing: inZone("failing"),
    nodes: await nodesNow({ db, clock: ports.clock }),
    repos: await Promise.all(repos.map(async (repo) => {
      const { problem, tickets, next } = isOurs(repo, node)
        ? await lookHere(ports, looking, repo)
        : { problem: await liesElsewhere(db, repo), tickets: NO_TICKETS, next: [] };
      const late = isLate(living, repo) ? REGISTERED_LATER : undefined;
      const why = [late, problem].filter((one) => one !== undefined).join("; ");
      const [first] = next.flatMap(({ role, at, why }) =>
        at === undefined ? [] : [{ role, at: rfc3339(at), why }]
      );
      return {
        ...{ id: repo.id, name: basenameOf(repo.path), path: repo.path, branch: repo.branch },
        ...{ problem: why === "" ? null : why, tickets, next: first ?? null },
      };
    })),
  };
}
