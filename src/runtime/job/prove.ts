/** What svc itself sees of a role's work: what its branch would bring, and the manifest's checks on it. */
import { uuidV7 } from "svc/core/ids.ts";
import type { Disposition } from "svc/core/disposition.ts";
import { recordCheck } from "svc/features/checks/check_store.ts";
import { runCheck } from "svc/features/checks/run_check.ts";
import { guardBranch, type GuardResult } from "svc/features/guardrails/commit_guard.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Toolbox } from "svc/features/tools/tool.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import type { BranchCommit } from "svc/platform/git/branch.ts";
import type { Processes } from "svc/platform/process/process.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { JobTree } from "./job_tree.ts";

type Ports = Pick<RuntimePorts, "clock" | "db" | "env" | "log" | "processes" | "redact">;

export interface Proof extends GuardResult {
  readonly committed: boolean;
  /** Last commit of the branch; undefined on the checkout of a repo without one. */
  readonly head: string | undefined;
  /** It is in the default branch already, and its checks had passed. */
  readonly merged: boolean;
  readonly checks: "passed" | "failed" | "none" | "not_run";
  readonly failedChecks: readonly string[];
  readonly sameCommit: boolean;
  /** Paths that were changed and not committed. */
  readonly uncommitted: readonly string[];
}

/** Of a branch that nobody has looked at. */
export const NOTHING_SEEN: Omit<Proof, "head" | "sameCommit"> = {
  committed: false,
  merged: false,
  checks: "not_run",
  failedChecks: [],
  objections: [],
  foreign: [],
  uncommitted: [],
};

export interface Work {
  /** Id; tags all that the checks start. */
  readonly job: string;
  readonly tree: JobTree;
  /** As the job began with it. */
  readonly manifest: Manifest;
  readonly role: string;
  readonly disposition: Disposition;
  /** For a commit of what the role left uncommitted. */
  readonly message: string;
  readonly toolbox: Toolbox;
  /** As `hookFolders` finds them. */
  readonly hookFolders: readonly string[];
  /** Commit that was handed in last, with checks that passed. */
  readonly proven: string | undefined;
  readonly signal: AbortSignal;
  progress(text: string): void;
}

/** Nothing is run for an observer, and nothing for ends that claim no work. */
export async function prove(ports: Ports, repo: Repo, work: Work): Promise<Proof> {
  const { tree, disposition, proven } = work;
  if (tree.ownBranch === undefined) {
    const head = (await tree.git.log({ max: 1 }))[0]?.id;
    return { ...NOTHING_SEEN, head, sameCommit: head === tree.given };
  }
  const { changes, head } = await whatIsThere(work);
  const into = `refs/heads/${repo.baseBranch}`;
  const commits = head === undefined ? [] : await tree.git.commitsSince(head, into);
  const seen = {
    ...NOTHING_SEEN,
    committed: commits.length > 0,
    head,
    sameCommit: head === tree.given,
    merged: commits.length === 0 && head !== undefined && head === proven,
    uncommitted: changes.map(({ path }) => path),
  };
  const claims = disposition === "submitted" ||
    (disposition === "approved" && (seen.committed || seen.merged));
  if (!claims || head === undefined) return seen;
  const guarded = await look(ports, repo, work, { head, into, commits });
  // What does not go on as it is, is handed in anew: its checks would be run again.
  const stays = guarded.objections.length + guarded.foreign.length > 0 ||
    (disposition === "submitted" && (!seen.committed || changes.length > 0));
  if (stays) return { ...seen, ...guarded };
  // Each role's own work tree is looked at: what another one had lying in its own proves nothing.
  return { ...seen, ...guarded, ...await checked(ports, repo, work) };
}

/** Commits the rest through the toolbox, so that policy and secret scan have their say; a refusal leaves it. */
async function whatIsThere({ tree, disposition, toolbox, message, signal }: Work) {
  const status = await tree.git.status();
  if (disposition !== "submitted" || status.changes.length === 0) return status;
  await toolbox.call("git_commit", { message }, { signal });
  return await tree.git.status();
}

async function look(
  ports: Ports,
  repo: Repo,
  { tree, manifest, job, role, hookFolders }: Work,
  branch: {
    readonly head: string;
    readonly into: string;
    readonly commits: readonly BranchCommit[];
  },
): Promise<GuardResult> {
  const { redact } = ports;
  const guardrails = guardrailsOf(manifest, hookFolders);
  const by = { job, role, given: tree.given };
  const { objections, foreign } = await guardBranch({ tree, repo, guardrails }, { ...branch, by });
  return { objections: objections.map(redact), foreign: foreign.map(redact) };
}

async function checked(
  ports: Ports,
  repo: Repo,
  work: Work,
): Promise<Pick<Proof, "checks" | "failedChecks">> {
  const { checks } = work.manifest.project;
  if (checks.length === 0) return { checks: "none", failedChecks: [] };
  const failedChecks: string[] = [];
  for (const check of checks) {
    if (await failed(ports, repo, work, check)) failedChecks.push(check.name);
  }
  return { checks: failedChecks.length === 0 ? "passed" : "failed", failedChecks };
}

async function failed(
  ports: Ports,
  repo: Repo,
  { job, tree, role, signal, progress }: Work,
  { name, run, timeout_seconds }: Manifest["project"]["checks"][number],
): Promise<boolean> {
  progress(`check ${name}`);
  const { clock, log, redact, env } = ports;
  const processes: Pick<Processes, "run"> = {
    run: (command) => ports.processes.run({ ...command, tag: job }),
  };
  const show = (text: string) => {
    const line = text.trimEnd().split("\n").at(-1);
    if (line) progress(`check ${name}: ${line}`);
  };
  const plan = {
    id: uuidV7(clock.now()),
    repo: { id: repo.id, root: tree.root },
    name,
    role,
    words: run,
    env: env.all(),
    timeoutMs: timeout_seconds * 1000,
  };
  const record = await runCheck({ processes, clock, log, redact, signal, show }, plan);
  await recordCheck(ports.db, record);
  return record.outcome !== "passed";
}
