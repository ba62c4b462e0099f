/** Shares a job's branch between nodes: commits are pushed as soon as they may leave the machine. */
import { Failure } from "svc/core/failure.ts";
import { commitMakers, newestCommit } from "svc/features/jobs/commit_store.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { listNodes } from "svc/features/nodes/node_store.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { mergedAt } from "svc/features/routing/settlement_store.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { faultOf } from "svc/runtime/settle/branch_guard.ts";

type HandingPorts = Pick<
  RuntimePorts,
  "clock" | "db" | "files" | "git" | "log" | "redact" | "remotes" | "signal" | "worktrees"
>;

/** How long work waits for the node that has commits of its branch and has not pushed them. */
const UNPUSHED_WAIT_MS = 600_000;

/** Does nothing if the repo is only on this machine. A failure is logged, and the next round tries again. */
export async function handOver(ports: HandingPorts, repo: Repo, branch: string): Promise<void> {
  const { remotes, log } = ports;
  const { shared } = repo;
  if (shared === undefined || remotes === undefined) return;
  try {
    const head = await ports.worktrees.tip(repo.git, branch);
    if (head === undefined) return;
    const into = `refs/heads/${repo.baseBranch}`;
    const commits = await repo.git.commitsSince(head, into);
    if (commits.length === 0) return;
    // It was merged another way, such as by a squash; the clean-up removes it from the remote.
    if ((await mergedAt(ports.db, repo.id, [branch])).get(branch) === head) return;
    const makers = await commitMakers(ports.db, { repo_id: repo.id, branch });
    const { manifest } = await repo.manifest();
    const fault = await faultOf(ports, repo, manifest, { head, into, commits, makers });
    if (fault === undefined) await remotes.hand(repo.git, shared.remote, branch);
    else log.write("warn", `${branch} stays on this machine: ${fault}`, { repo: repo.root });
  } catch (thrown) {
    ports.signal.throwIfAborted();
    const { code, message } = Failure.from(thrown);
    if (code === "internal" || code === "interrupted") throw thrown;
    log.write("warn", `${branch} is not pushed yet: ${message}`, { repo: repo.root });
  }
}

/** Branches that a killed svc, or a remote that was away, left unpushed. */
export async function handOverAll(ports: HandingPorts, repo: Repo): Promise<void> {
  if (repo.shared === undefined || ports.remotes === undefined) return;
  for (const branch of await ports.remotes.unpushed(repo.git)) await handOver(ports, repo, branch);
}

/** @throws Failure `conflict` that `waits`, while another node has commits of it that nobody else can see */
async function mustHaveNewest(ports: HandingPorts, repo: Repo, branch: string): Promise<void> {
  const { db, clock, log } = ports;
  const newest = await newestCommit(db, { repo_id: repo.id, branch });
  if (newest === undefined || await ports.remotes!.hasCommit(repo.git, newest.commit_id)) return;
  const { node_id } = await jobById(db, newest.job_id) ?? { node_id: null };
  const node = (await listNodes(db, clock.now())).find(({ id }) => id === node_id);
  const who = node === undefined ? "another machine" : `node ${node.name}`;
  if (clock.now() - newest.at > UNPUSHED_WAIT_MS) {
    log.write("warn", `goes on without a commit of ${branch} that ${who} has not pushed`, {
      commit: newest.commit_id,
    });
    return;
  }
  throw new Failure("conflict", `Cannot go on with ${branch}: ${who} has not pushed its work`, {
    remedy: `Start svc on ${who}; after 10 minutes the work goes on from what is pushed`,
    waits: true,
  });
}

/**
 * The tip of a branch as the team has it. A clone in which nobody has worked on the branch since others pushed
 * still has an older tip, or one of its own.
 */
export async function teamTip(
  { remotes, worktrees }: Pick<RuntimePorts, "remotes" | "worktrees">,
  { git, shared }: Pick<Repo, "git" | "shared">,
  branch: string,
): Promise<string | undefined> {
  if (shared !== undefined && remotes !== undefined) {
    const standing = await remotes.standing(git, branch);
    const theirs = ["absent", "behind", "diverged"].includes(standing);
    if (theirs) return await remotes.tipThere(git, branch);
  }
  return await worktrees.tip(git, branch);
}

/** Brings the clone's branch to what other nodes pushed. @param retire removes work trees that have it checked out,
 * and keeps what is not committed there */
export async function takeOver(
  ports: HandingPorts,
  repo: Repo,
  branch: string,
  retire: () => Promise<unknown>,
): Promise<void> {
  const { remotes } = ports;
  const { shared, git } = repo;
  if (shared === undefined || remotes === undefined) return;
  await mustHaveNewest(ports, repo, branch);
  let standing = await remotes.standing(git, branch);
  if (standing === "diverged") {
    await handOver(ports, repo, branch);
    standing = await remotes.standing(git, branch);
  }
  if (!["absent", "behind", "diverged"].includes(standing)) return;
  using _lock = await repo.lock(`take ${branch} from the remote`);
  await retire();
  await remotes.adopt(git, branch);
}
