/** Opens every read of the dashboard over the database, the repos and the living service. */
import { TraceIndexes } from "svc/features/agent/trace_index.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { nodeNames } from "svc/features/nodes/node_store.ts";
import type { LimitFlags } from "svc/runtime/job/limits.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import type { Service } from "svc/runtime/service/plan.ts";
import { READS, type Reads } from "./all.ts";
import type { AnyRead, QueryKind, QueryOf } from "./read.ts";
import { HarnessHistories } from "./harness_histories.ts";
import { RepoFilesCache } from "./repo_files.ts";
import { discretion } from "./discretion.ts";
import { repoOfTally, tallyCache } from "./tallies.ts";
import { scopeOf, type ViewPorts } from "./view_ports.ts";

export interface ReadsPlan extends LimitFlags {
  readonly service: Pick<Service, "status">;
  /** Asked anew for each answer: a repo may be registered meanwhile. */
  repos(): Promise<readonly RegisteredRepo[]>;
}

/** Needs no closing. Reads reach a repo's files through `ports.folder` and `ports.git` only. */
export function openReads(ports: ViewPorts, { service, repos, ...flags }: ReadsPlan): Reads {
  const opener = new RepoOpener(ports);
  const files = new RepoFilesCache(ports, opener);
  const traces = new TraceIndexes(ports.files);
  const harness = new HarnessHistories(ports);
  const board = { service, flags, files, tallies: tallyCache(ports.clock) };
  const open = ({ name, read }: AnyRead) => [name, async (query: QueryOf<QueryKind> = {}) => {
    const scope = scopeOf(await repos(), await nodeNames(ports.db));
    const ids = new Set(scope.repos.map(({ id }) => id));
    files.keepOnly(ids);
    harness.keepOnly(ids);
    board.tallies.keepOnly((key) => ids.has(repoOfTally(key)));
    const discreet = discretion(ports, scope.repos);
    return discreet(await read({ ports, board, scope, opener, traces, harness, discreet }, query));
  }];
  return Object.fromEntries(READS.map(open)) as Reads;
}
