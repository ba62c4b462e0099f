/** One board per repo: branch, modes, tickets by state, roles, routes, and what waits. */
import { statesOf } from "svc/core/machine.ts";
import type { RouteCount } from "svc/features/routing/decision_store.ts";
import { ticketMachine } from "svc/features/tickets/ticket_machine.ts";
import type { LimitFlags } from "svc/runtime/job/limits.ts";
import type { Service, ServiceStatus } from "svc/runtime/service/plan.ts";
import {
  type RepoBoardFacts,
  repoFacts,
  type RoleFacts,
  roleFacts,
  type ServiceFacts,
  serviceFacts,
} from "./board_facts.ts";
import type { TallyCache } from "./tallies.ts";
import { short } from "./card.ts";
import type { RepoFilesCache } from "./repo_files.ts";
import { roleNodes, roleNodeShape, routeEdges, routeEdgeShape } from "./role_graph.ts";
import { count, type ShapeOf, type Z } from "./shape.ts";
import type { Scope, ViewPorts } from "./view_ports.ts";

export const repoBoardShape = (z: Z) =>
  z.strictObject({
    id: z.string(),
    basename: z.string(),
    branch: z.string(),
    mode: z.string().nullable(),
    merge: z.string().nullable(),
    problem: z.string().nullable(),
    tickets: z.record(z.string(), count(z)),
    roles: z.array(roleNodeShape(z)),
    routes: z.array(routeEdgeShape(z)),
    waits: z.array(z.string()),
  });
export type RepoBoard = ShapeOf<typeof repoBoardShape>;

function waitsOf({ settlements }: RepoBoardFacts): string[] {
  return settlements.map(({ ticket_id, merge_from, waits_for }) => {
    const what = ticket_id ?? merge_from ?? "a move";
    return short(`${what} waits for ${waits_for ?? "its merge or move to be made"}`);
  });
}

export function repoBoard(
  service: ServiceFacts,
  repo: RepoBoardFacts,
  roles: RoleFacts,
  problem: string | undefined,
): RepoBoard {
  const { manifest, branch, problem: fault, tickets, unread } = repo.files;
  const counts = statesOf(ticketMachine).map((state) => [
    state,
    tickets.filter((ticket) => ticket.state === state).length,
  ]);
  return {
    id: repo.id,
    basename: repo.name,
    branch,
    mode: manifest?.dispatch.mode ?? null,
    merge: manifest?.dispatch.merge ?? null,
    problem: fault ?? unread ?? problem ?? null,
    tickets: Object.fromEntries(counts),
    roles: manifest === undefined ? [] : roleNodes(manifest, service, repo, roles),
    routes: manifest === undefined ? [] : routeEdges(manifest, roles),
    waits: waitsOf(repo),
  };
}

export interface BoardSources {
  readonly service: Pick<Service, "status">;
  readonly files: RepoFilesCache;
  readonly tallies: TallyCache;
  readonly flags: LimitFlags;
}

interface Boards {
  readonly status: ServiceStatus;
  readonly service: ServiceFacts;
  readonly repos: readonly RepoBoardFacts[];
  readonly routes: readonly RouteCount[];
  readonly boards: RepoBoard[];
  /** Time of the oldest of these facts, epoch ms. */
  readonly asOf: number;
}

export async function readBoards(
  ports: Pick<ViewPorts, "clock" | "db" | "home">,
  sources: BoardSources,
  scope: Scope,
): Promise<Boards> {
  const { db } = ports;
  const { flags, tallies } = sources;
  const now = ports.clock.now();
  const status = await sources.service.status();
  const service = await serviceFacts(ports, status, now);
  const read = await Promise.all(scope.repos.map(async (repo) => {
    const files = await sources.files.of(repo);
    const mark = await sources.files.changes.of(repo.id);
    const [facts, roles] = await Promise.all([
      repoFacts(db, repo, { status, service, files, flags, now }),
      roleFacts(db, repo.id, { files, now, mark }, tallies),
    ]);
    const problem = status.repos.find(({ id }) => id === repo.id)?.problem;
    return { facts, roles, board: repoBoard(service, facts, roles, problem) };
  }));
  return {
    status,
    service,
    repos: read.map(({ facts }) => facts),
    routes: read.flatMap(({ roles }) => roles.routes),
    boards: read.map(({ board }) => board),
    asOf: Math.min(now, status.asOf, ...read.map(({ facts }) => facts.files.readAt)),
  };
}
