/** Gives an attempt what the one before it did: its work in the tree, and a summary for the prompt. */
import { together } from "svc/core/together.ts";
import type { EarlierAttempt } from "svc/features/agent/prompt.ts";
import { attemptSummary } from "svc/features/agent/attempt_summary.ts";
import { readTrace } from "svc/features/agent/trace.ts";
import { leftOfRewrite } from "svc/features/guardrails/commit_guard.ts";
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { commitMakers } from "svc/features/jobs/commit_store.ts";
import { jobsOf } from "svc/features/jobs/job_views.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { BranchCommit } from "svc/platform/git/branch.ts";
import type { Leftovers } from "svc/platform/git/leftovers.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { handsIn } from "./briefing.ts";
import type { JobTree } from "./job_tree.ts";
import { tracePath } from "./trace_path.ts";
import { KEPT, UNFINISHED } from "./unfinished.ts";
import type { WorkEnd } from "./work_end.ts";
import { workElsewhere } from "./work_elsewhere.ts";

/** A longer trace is not read, since summarising it would take too long. */
const TRACE_BYTES = 32 * 1024 * 1024;

const FILES_SHOWN = 40;

export interface EarlierWork {
  /** Undefined where there is nothing to tell. */
  readonly told: EarlierAttempt | undefined;
  readonly leftovers: readonly Leftovers[];
  /** As `JobTree.given`, once unfinished work was taken out of the branch. */
  readonly given: string | undefined;
}

const trailerOf = ({ message }: BranchCommit) =>
  new RegExp(`^${UNFINISHED}: (.+)$`, "m").exec(message)?.[1];

/** Without subject and trailers. */
const bodyOf = ({ message }: BranchCommit) =>
  message.trim().split("\n\n").slice(1, -1).join("\n\n");

/**
 * Ends a job whose work could not be handed in, whatever the role did, because the default branch was rewritten
 * and the job's branch still has the old commits; only a person can settle that. Undefined if the role may
 * begin.
 */
export async function blockedByRewrite(
  { db, redact }: Pick<RuntimePorts, "db" | "redact">,
  repo: Repo,
  tree: JobTree,
  { routes }: Pick<ManifestRole, "routes">,
): Promise<WorkEnd | undefined> {
  const { ownBranch: branch, given: head } = tree;
  const isJudged = Object.hasOwn(routes, "submitted") || Object.hasOwn(routes, "approved");
  if (branch === undefined || head === undefined || !isJudged) return undefined;
  const into = `refs/heads/${repo.baseBranch}`;
  const commits = await tree.git.commitsSince(head, into);
  if (commits.length === 0) return undefined;
  const makers = await commitMakers(db, { repo_id: repo.id, branch });
  const old = await leftOfRewrite({ tree }, { head, into, commits, makers });
  return old.length === 0
    ? undefined
    : { disposition: "blocked", evidence: redact(old.join(". ")) };
}

async function tipOf(repo: Repo, { git, given }: JobTree): Promise<BranchCommit | undefined> {
  if (given === undefined) return undefined;
  const tip = (await git.commitsSince(given, `refs/heads/${repo.baseBranch}`))[0];
  return tip !== undefined && trailerOf(tip) !== undefined && tip.parents.length === 1
    ? tip
    : undefined;
}

async function leftoversAt(
  { worktrees }: RuntimePorts,
  repo: Repo,
  branch: string,
  bases: readonly (string | undefined)[],
): Promise<Leftovers[]> {
  const found: Leftovers[] = [];
  for (const base of new Set(bases)) {
    if (base !== undefined) found.push(...await worktrees.leftovers(repo.git, { branch, base }));
  }
  return found;
}

/** What the last attempt at the same work did, if it was cut short; empty if nothing is known. */
async function summaryOf(
  { db, files, home }: RuntimePorts,
  repo: Repo,
  job: Job,
  own: boolean,
): Promise<string> {
  const before = own || job.ticket_id === null
    ? []
    : (await jobsOf(db, repo.id, job.ticket_id)).filter(({ id, role }) =>
      id !== job.id && role === job.role
    );
  const last = own ? job : before.at(-1);
  const cutShort = own || (last?.disposition != null && KEPT.has(last.disposition));
  if (last === undefined || !cutShort) return "";
  return await summaryIn({ files }, tracePath(home, repo, last.id));
}

/** What the newest run in the trace at `path` did. */
export async function summaryIn(
  { files }: Pick<RuntimePorts, "files">,
  path: string,
): Promise<string> {
  const facts = await files.stat(path);
  if (facts === undefined || facts.size > TRACE_BYTES) return "";
  const text = await files.readText(path, { maxBytes: TRACE_BYTES, lossy: true });
  return attemptSummary(readTrace(text));
}

function fileLines(files: readonly { readonly letter: string; readonly path: string }[]): string[] {
  const rest = files.length - FILES_SHOWN;
  const lines = files.slice(0, FILES_SHOWN).map(({ letter, path }) => `${letter} ${path}`);
  return rest > 0 ? [...lines, `and ${rest} more`] : lines;
}

/**
 * Takes the commit of unfinished work off the branch, so that it is never merged; the next commit contains all
 * of the work. Call it before the role begins.
 */
export async function earlierWork(
  ports: RuntimePorts,
  repo: Repo,
  { tree, job, definition }: {
    readonly tree: JobTree;
    readonly job: Job;
    readonly definition: Pick<ManifestRole, "routes" | "tools">;
  },
): Promise<EarlierWork> {
  const { ownBranch, given } = tree;
  // Other roles judge what is committed.
  if (ownBranch === undefined || !handsIn(definition)) {
    return { told: undefined, leftovers: [], given };
  }
  const look = () => together(leftoversAt(ports, repo, ownBranch, [given]), tree.git.status());
  let [tip, [leftovers, { changes }]] = await together(tipOf(repo, tree), look());
  const base = tip?.parents[0] ?? given;
  if (tip !== undefined) {
    using _lock = await repo.lock("go on with unfinished work");
    await ports.worktrees.uncommit(repo.git, tree.root, tip.id);
    leftovers = await leftoversAt(ports, repo, ownBranch, [given, base]);
    changes = (await tree.git.status()).changes;
  }
  const inTree = changes.map(({ path, kind, staged, unstaged }) => ({
    letter: kind === "untracked" ? "A" : staged === "." ? unstaged : staged,
    path,
  }));
  const summary = tip === undefined
    ? await summaryOf(ports, repo, job, inTree.length > 0)
    : bodyOf(tip);
  const elsewhere = await workElsewhere(ports, job);
  const nothing = inTree.length === 0 && leftovers.length === 0 && summary === "";
  const told = nothing && elsewhere === undefined ? undefined : {
    summary,
    ...(elsewhere !== undefined && { elsewhere }),
    inTree: fileLines(inTree),
    leftovers: leftovers.map(({ ref, role, files, notes }) => ({
      ref,
      role,
      lines: [...fileLines(files), ...notes],
      mayTake: definition.tools.includes("file_write"),
    })),
  };
  return { told, leftovers, given: base };
}
