/** All that the board of these repos is made of, read together: what the pages of flow and orchestration share. */
import type { LimitFlags } from "svc/runtime/job/limits.ts";
import type { Service, ServiceStatus } from "svc/runtime/service/plan.ts";
import type { RepoFacts, RoleFacts, ServiceFacts } from "./board_facts.ts";
import { repoFacts, roleFacts, serviceFacts, type Tallies } from "./gather.ts";
import { repoBoard } from "./repo_board.ts";
import type { RepoFilesCache } from "./repo_files.ts";
import type { RepoBoard } from "./shapes.ts";
import type { Scope, ViewPorts } from "./view_ports.ts";

export interface BoardReads {
  readonly status: ServiceStatus;
  readonly service: ServiceFacts;
  readonly repos: readonly RepoFacts[];
  readonly roles: ReadonlyMap<string, RoleFacts>;
  readonly boards: readonly RepoBoard[];
  /** Nothing of it is older; epoch ms. */
  readonly asOf: number;
}

export interface BoardSources {
  readonly service: Pick<Service, "status">;
  readonly files: RepoFilesCache;
  readonly tallies: Tallies;
  readonly flags: LimitFlags;
}

export async function readBoards(
  { db, clock }: Pick<ViewPorts, "clock" | "db">,
  { service: living, files: cache, tallies, flags }: BoardSources,
  scope: Scope,
): Promise<BoardReads> {
  const now = clock.now();
  const status = await living.status();
  const service = await serviceFacts(db, status, now);
  const read = await Promise.all(scope.repos.map(async (repo) => {
    const files = await cache.of(repo);
    const [facts, roles] = await Promise.all([
      repoFacts(db, repo, { status, files, flags, now }),
      roleFacts(db, repo.id, { files, now }, tallies),
    ]);
    const problem = status.repos.find(({ id }) => id === repo.id)?.problem;
    return { facts, roles, board: repoBoard(service, facts, roles, problem) };
  }));
  return {
    status,
    service,
    repos: read.map(({ facts }) => facts),
    roles: new Map(read.map(({ facts, roles }) => [facts.id, roles])),
    boards: read.map(({ board }) => board),
    asOf: Math.min(now, status.asOf, ...read.map(({ facts }) => facts.files.readAt)),
  };
}
