/** What svc itself sees of a role's work: commits on its branch, and the manifest's checks on the last one. */
import { uuidV7 } from "svc/core/ids.ts";
import type { Disposition } from "svc/core/disposition.ts";
import { recordCheck } from "svc/features/checks/check_store.ts";
import { runCheck } from "svc/features/checks/run_check.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Toolbox } from "svc/features/tools/tool.ts";
import type { Status } from "svc/platform/git.ts";
import type { Processes } from "svc/platform/process.ts";
import type { RuntimePorts } from "./ports.ts";
import type { RepoView } from "./repo_view.ts";
import type { Worksite } from "./worksite.ts";

type Ports = Pick<
  RuntimePorts,
  "clock" | "db" | "env" | "log" | "processes" | "redact" | "worktrees"
>;

export interface Proof {
  readonly committed: boolean;
  /** Last commit of the branch; undefined on the checkout of a repo without one. */
  readonly head: string | undefined;
  readonly checks: "passed" | "failed" | "none" | "not_run";
  readonly failedChecks: readonly string[];
  readonly sameCommit: boolean;
  /** Paths that were changed and not committed. */
  readonly uncommitted: readonly string[];
}

export interface Work {
  /** Id; tags all that the checks start. */
  readonly job: string;
  readonly site: Worksite;
  readonly role: string;
  readonly disposition: Disposition;
  /** For a commit of what the role left uncommitted. */
  readonly message: string;
  readonly toolbox: Toolbox;
  /** Commit whose checks svc has seen pass already. */
  readonly proven: string | undefined;
  readonly signal: AbortSignal;
  progress(text: string): void;
}

const headOf = async ({ repo }: Worksite) => (await repo.log({ max: 1 }))[0]?.id;

/** Nothing is run for an observer, and nothing for ends that claim no work. */
export async function prove(ports: Ports, view: RepoView, work: Work): Promise<Proof> {
  const { site, disposition, proven } = work;
  const nothing = { committed: false, checks: "not_run", failedChecks: [] } as const;
  if (site.branch === undefined) {
    const head = await headOf(site);
    return { ...nothing, head, sameCommit: head === site.given, uncommitted: [] };
  }
  const looked = disposition === "submitted" ? await commitRest(work) : undefined;
  const [{ changes, head }, ahead] = await Promise.all([
    looked ?? site.repo.status(),
    ports.worktrees.ahead(site.repo, site.branch, view.branch).catch((): readonly string[] => []),
  ]);
  // The branch is asked about while HEAD is read; a HEAD that is elsewhere is asked about by itself.
  const committed = head !== undefined && (ahead.includes(head) ||
    (await ports.worktrees.ahead(site.repo, head, view.branch)).length > 0);
  const seen = {
    ...nothing,
    committed,
    head,
    sameCommit: head === site.given,
    uncommitted: changes.map(({ path }) => path),
  };
  const claims = disposition === "submitted" || disposition === "approved";
  if (!claims || !committed) return seen;
  if (disposition === "approved" && head === proven) return { ...seen, checks: "passed" };
  return { ...seen, ...await checked(ports, view, work) };
}

/**
 * Through the toolbox, so that policy and secret scan have their say; a refusal leaves it uncommitted.
 * @returns the status where there was nothing to commit: it holds still
 */
async function commitRest(
  { site, toolbox, message, signal }: Work,
): Promise<Status | undefined> {
  const status = await site.repo.status();
  if (status.changes.length === 0) return status;
  await toolbox.call("git_commit", { message }, { signal });
  return undefined;
}

async function checked(
  ports: Ports,
  view: RepoView,
  work: Work,
): Promise<Pick<Proof, "checks" | "failedChecks">> {
  const checks = view.manifest?.project.checks ?? [];
  if (checks.length === 0) return { checks: "none", failedChecks: [] };
  const failedChecks: string[] = [];
  for (const check of checks) {
    if (await failed(ports, view, work, check)) failedChecks.push(check.name);
  }
  return { checks: failedChecks.length === 0 ? "passed" : "failed", failedChecks };
}

async function failed(
  ports: Ports,
  view: RepoView,
  { job, site, role, signal, progress }: Work,
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
    repo: { id: view.id, root: site.root },
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
