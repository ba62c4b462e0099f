/** What the views of the HTTP API read from, and which repos an answer may show. */
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

export type ViewPorts = Pick<
  RuntimePorts,
  | ("clock" | "commits" | "db" | "env" | "files" | "folder" | "git" | "home" | "lockRepo" | "log")
  | ("profile" | "readTree" | "redact" | "worktrees")
>;

export interface Scope {
  readonly repos: readonly RegisteredRepo[];
  has(repoId: string): boolean;
  /** Rows without a repo are about the service itself. */
  mayShow(row: { readonly repo_id: string | null }): boolean;
  nameOf(repoId: string): string;
  /** Name of the node on which a job ran; undefined where the database is a file, or the node is forgotten. */
  nodeName(id: string | null): string | undefined;
}

export const basenameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1) || "root";

/** @param nodes their names, by id */
export function scopeOf(
  repos: readonly RegisteredRepo[],
  nodes: ReadonlyMap<string, string> = new Map(),
): Scope {
  const names = new Map(repos.map(({ id, path }) => [id, basenameOf(path)]));
  return {
    repos,
    has: (repoId) => names.has(repoId),
    mayShow: ({ repo_id }) => repo_id === null || names.has(repo_id),
    nameOf: (repoId) => names.get(repoId) ?? repoId,
    nodeName: (id) => id === null ? undefined : nodes.get(id),
  };
}

/**
 * A signal for reads that are never interrupted: each of them is bounded, and a stopping service still answers
 * them.
 */
export const UNINTERRUPTED = new AbortController().signal;
