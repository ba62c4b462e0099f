/** What the views of the HTTP API read from, and which repos they may tell of. */
import type { Repo } from "svc/features/repos/repo_table.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Service } from "svc/runtime/service/plan.ts";
import type { LimitFlags } from "svc/runtime/job/limits.ts";

export type ViewPorts = Pick<
  RuntimePorts,
  | ("clock" | "db" | "env" | "files" | "folder" | "git" | "home" | "log")
  | ("profile" | "readTree" | "redact" | "worktrees")
>;

/** The limits are those the service was started with. */
export interface ReadsPlan extends LimitFlags {
  readonly service: Pick<Service, "status">;
  /** Asked anew each time: a repo may be registered meanwhile. */
  repos(): Promise<readonly Repo[]>;
}

/** The repos of one answer; whatever is of another repo is not told. */
export interface Scope {
  readonly repos: readonly Repo[];
  has(repoId: string): boolean;
  /** Last part of its path. */
  nameOf(repoId: string): string;
}

export const basenameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1) || "root";

export function scopeOf(repos: readonly Repo[]): Scope {
  const names = new Map(repos.map(({ id, path }) => [id, basenameOf(path)]));
  return {
    repos,
    has: (repoId) => names.has(repoId),
    nameOf: (repoId) => names.get(repoId) ?? repoId,
  };
}

/** Signal of reads that nobody interrupts: each is bounded, and a service that stops still answers. */
export const UNINTERRUPTED = new AbortController().signal;
