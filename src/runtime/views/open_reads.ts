/** Everything the HTTP API may read, over the database, the repos and the living service. */
import type { Repo } from "svc/features/repos/repo_table.ts";
import { RepoViews } from "svc/runtime/repo_view.ts";
import { debugView } from "./debug_view.ts";
import { decisionsView } from "./decisions_view.ts";
import { discretion } from "./discretion.ts";
import { evolutionView } from "./evolution_view.ts";
import { tallies } from "./gather.ts";
import { jobView } from "./job_view.ts";
import { jobsView } from "./jobs_view.ts";
import { orchestrationView } from "./orchestration_view.ts";
import { pipelineView } from "./pipeline_view.ts";
import { qualityView } from "./quality_view.ts";
import type { Reads } from "./reads.ts";
import { RepoFilesCache } from "./repo_files.ts";
import { rolesView } from "./roles_view.ts";
import { telemetryView } from "./telemetry_view.ts";
import { throughputView } from "./throughput_view.ts";
import { ticketView } from "./ticket_view.ts";
import { basenameOf, type ReadsPlan, type Scope, scopeOf, type ViewPorts } from "./view_ports.ts";

/**
 * Nothing is opened, and nothing needs closing. Files of a repo are reached through `ports.folder` and
 * `ports.git` alone. Of the user's machine no path leaves, and no secret that svc knows or can tell.
 */
export function openReads(ports: ViewPorts, plan: ReadsPlan): Reads {
  const views = new RepoViews(ports);
  const look = (repo: Repo) => views.look(repo);
  const { service, repos, ...flags } = plan;
  const files = new RepoFilesCache(ports, views);
  const sources = { service, flags, files, tallies: tallies(ports.clock) };

  /** Each answer is of the repos that are registered at that moment. */
  async function told<T>(answer: (scope: Scope) => T | Promise<T>): Promise<T> {
    const scope = scopeOf(await repos());
    return discretion(ports, scope.repos)(await answer(scope));
  }

  return {
    repos: () => told((scope) => scope.repos.map(repoItem)),
    repoRoles: (repoId) =>
      told(async (scope) => {
        const repo = scope.repos.find(({ id }) => id === repoId);
        return repo && Object.keys((await look(repo)).manifest?.roles ?? {});
      }),
    pipeline: () => told((scope) => pipelineView(ports, sources, scope)),
    orchestration: () => told((scope) => orchestrationView(ports, sources, scope)),
    decisions: (repoId) => told((scope) => decisionsView(ports, scope, repoId)),
    jobs: (query) => told((scope) => jobsView(ports, scope, query)),
    job: (id) => told((scope) => jobView(ports, scope, id)),
    ticket: (repoId, id) => told((scope) => ticketView(ports, scope, repoId, id)),
    debug: () => told((scope) => debugView(ports, scope)),
    telemetry: () => told((scope) => telemetryView(ports, scope)),
    evolution: () => told((scope) => evolutionView(ports, scope)),
    roles: () => told((scope) => rolesView(ports, scope, look)),
    throughput: () => told((scope) => throughputView(ports, scope)),
    qualityScore: () => told((scope) => qualityView(ports, scope, look)),
  };
}

const repoItem = ({ id, path }: Repo) => ({ id, basename: basenameOf(path) });
