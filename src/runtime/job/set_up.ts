/** Runs the manifest's set-up in a job's work tree, once for each tree and state of its lock files. */
import { sha256 } from "svc/core/digest.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { setupFiles } from "svc/features/harness/setup_commands.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { JobTree } from "./job_tree.ts";
import { runInTree, type TreeWork } from "./run_in_tree.ts";

type Steps = Manifest["project"]["setup"];

/** Milliseconds to wait for the lock when a stopped set-up is undone; the user is waiting. */
const TAKE_BACK_MS = 5_000;

const SHOWN_PATHS = 3;

/** Identifies the set-up: its commands, and the committed files that determine what it installs. */
async function keyOf({ git }: Pick<JobTree, "git">, steps: Steps): Promise<string> {
  const entries = await git.indexEntries();
  const named = new Set(setupFiles(entries.map(({ path }) => path)));
  const files = entries.filter(({ path }) => named.has(path)).map(({ path, oid }) => [path, oid]);
  const said = JSON.stringify([steps.map(({ run }) => run), files]);
  return await sha256(new TextEncoder().encode(said));
}

async function changedPaths({ git }: Pick<JobTree, "git">): Promise<string[]> {
  return (await git.status()).changes.map(({ path }) => path);
}

/** Scripts such as npm's `prepare` rebuild files that a person committed; those changes are not the role's work. */
async function putBackTracked(
  { worktrees, log }: RuntimePorts,
  repo: Repo,
  { tree, progress }: TreeWork,
  before: readonly string[],
): Promise<void> {
  const { changes } = await tree.git.status();
  const isOurs = ({ kind, path }: typeof changes[number]) =>
    kind === "tracked" && !before.includes(path);
  const tracked = changes.filter(isOurs).map(({ path }) => path);
  if (tracked.length === 0) return;
  const spared = changes.filter((change) => !isOurs(change)).map(({ path }) => path);
  await worktrees.putBack(repo.git, tree.root, spared);
  const said = `the set-up rewrote ${shownPaths(tracked)}; put back as committed`;
  progress(said);
  log.write("info", said, { path: tree.root });
}

function shownPaths(paths: readonly string[]): string {
  const rest = paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : "";
  return paths.slice(0, SHOWN_PATHS).map(quoted).join(", ") + rest;
}

/**
 * Does nothing where it has run for these lock files. A tree that it cannot finish, and nobody worked in,
 * is removed.
 * @throws Failure `environment`: it is the machine's or the project's, never the role's; the reason of
 *   the work's signal
 */
export async function setUpTree(
  ports: RuntimePorts,
  repo: Repo,
  manifest: Manifest,
  work: TreeWork,
): Promise<void> {
  const { setup } = manifest.project;
  const { tree } = work;
  if (setup.length === 0 || tree.root === repo.root) return;
  const key = await keyOf(tree, setup);
  if ((await ports.worktrees.mark(repo.git, tree.root)).setup === key) return;
  const before = await changedPaths(tree);
  try {
    await runSteps(ports, repo, setup, work);
    await putBackTracked(ports, repo, work, before);
    await refuseLeavings(tree, before);
    await ports.worktrees.setUp(repo.git, tree.root, key);
  } catch (thrown) {
    if (before.length === 0) await takeBack(ports, repo, tree, thrown);
    throw thrown;
  }
}

async function runSteps(
  ports: RuntimePorts,
  repo: Repo,
  steps: Steps,
  work: TreeWork,
): Promise<void> {
  for (const command of steps) {
    const label = `set-up ${command.name}`;
    const ran = await runInTree(ports, repo, work, { label, name: label, step: "set_up", command });
    if (ran.record.outcome === "passed") continue;
    const line = quoted(command.run.join(" "));
    const mend = "Mend it, or project.setup in .harness/manifest.yaml";
    throw new Failure("environment", `Cannot set up a work tree with ${line}: ${ran.said}`, {
      remedy: `${ran.fault?.remedy ?? mend}; then unblock the ticket`,
    });
  }
}

/** They would be committed with the role's work. */
async function refuseLeavings(tree: JobTree, before: readonly string[]): Promise<void> {
  const left = (await changedPaths(tree)).filter((path) => !before.includes(path));
  if (left.length === 0) return;
  throw new Failure("environment", `Cannot set up a work tree: it changes ${shownPaths(left)}`, {
    remedy: "Add what the set-up makes to .gitignore and commit it; then unblock the ticket",
  });
}

async function takeBack(
  ports: RuntimePorts,
  repo: Repo,
  { root }: JobTree,
  because: unknown,
): Promise<void> {
  try {
    // The job's own signal may be what stopped the set-up.
    using _lock = await repo.lock("take back a set-up", AbortSignal.timeout(TAKE_BACK_MS));
    await ports.worktrees.remove(repo.git, root, { discard: true });
  } catch (thrown) {
    // The next job cleans it.
    const why = Failure.from(because).message;
    ports.log.write("warn", "a half set-up tree stays", { path: root, why, cause: thrown });
  }
}
