/** Merges one branch into another without a checkout: first computed, then landed if there is no conflict. */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import { gitRef } from "svc/core/git_args.ts";
import { capturedBytes } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { OpenFolder } from "svc/platform/files/folder.ts";
import type { Processes } from "svc/platform/process/process.ts";
import { lineOf } from "./answers.ts";
import { type CallGit, gitIn, type GitRunner, refuseDriver } from "./call.ts";
import { type Commits, mustTakeCommits } from "./commit.ts";
import { refuseDriven } from "./drivers.ts";
import { gitOver } from "./git.ts";
import type { GitLocation } from "./hardening.ts";
import { landCommit, moveRef } from "./landing.ts";
import { changedFiles, type FileDelta, hiddenFiles, landingEntries } from "./merge_files.ts";
import { candidates, commitsAt, noCommit } from "./named.ts";
import { commitObject, treeOf, withOwnIndex } from "./objects.ts";
import { nulItems, SUBMODULE } from "./output.ts";
import { committer } from "./person.ts";
import type { EnvVariables } from "./user.ts";
import { filesName } from "./tree_files.ts";
import { listedWorktrees, rebasedBranches } from "./worktree_list.ts";
import type { MergeOutcome, MergePlan, UnprovenMerge } from "./worktrees.ts";

export interface MergePorts {
  readonly processes: Processes;
  readonly env: EnvVariables;
  readonly files: Pick<Files, "writeAtomic" | "remove" | "stat" | "makeFolder">;
  readonly clock: Clock;
  readonly commits: Pick<Commits, "recover">;
  openFolder(root: string): Promise<OpenFolder>;
}

interface MergeTips {
  readonly into: string;
  readonly from: string;
}

interface ComputedMerge extends MergeTips {
  readonly tree: string;
}

const list = (text: string | undefined) => (text ?? "").split("\n").filter((part) => part !== "");

async function tipsOf(git: CallGit, { doing, into, from }: MergePlan): Promise<MergeTips> {
  const revisions = [`refs/heads/${gitRef(into)}`, ...candidates(from)];
  const [target, ...sources] = await commitsAt(git, doing, revisions);
  if (target === undefined) throw noCommit(doing, into, "branch");
  const source = sources.find((id) => id !== undefined);
  if (source === undefined) throw noCommit(doing, from, "branch");
  return { into: target, from: source };
}

function refuseSpecial(
  { doing, from }: MergePlan,
  root: string,
  changes: readonly FileDelta[],
  special: (change: FileDelta) => boolean,
) {
  const found = changes.find(special);
  if (found === undefined) return;
  const what = isGitlink(found) ? "a submodule" : "a symbolic link";
  throw new Failure("refused", `Cannot ${doing}: ${quoted(found.path)} is ${what}`, {
    remedy: `Merge it with git itself: git -C ${shellWord(root)} merge ${shellWord(from)}`,
  });
}

const isGitlink = ({ modeBefore, mode }: FileDelta) => [modeBefore, mode].includes(SUBMODULE);

const isLink = ({ modeBefore, mode }: FileDelta) => [modeBefore, mode].includes("120000");

/** One that comes, goes, or becomes a file; another commit of the same one is landed as git does. */
const isOtherGitlink = (change: FileDelta) =>
  isGitlink(change) && change.modeBefore !== change.mode;

interface BothSides {
  readonly theirs: readonly FileDelta[];
  /** Paths whose content git may have to merge, and a driver then takes part. */
  readonly both: readonly string[];
}

/** Where one side alone changed a file, git takes that side and asks no driver. */
function inBoth(ours: readonly FileDelta[], theirs: readonly FileDelta[]): string[] {
  const paths = new Set(ours.map(({ path }) => path));
  const both = theirs.filter(({ path }) => paths.has(path));
  // A file that is gone on one side may have been renamed there, and is then merged under the other name.
  const gone = new Set(
    [...ours, ...theirs].filter(({ mode }) => mode === "000000")
      .map(({ path }) => path),
  );
  const renamed = both.some(({ path }) => gone.has(path));
  return (renamed ? [...ours, ...theirs] : both).map(({ path }) => path);
}

async function changesOf(
  git: CallGit,
  place: GitLocation,
  plan: MergePlan,
  at: MergeTips,
): Promise<BothSides> {
  const { doing } = plan;
  const args = ["merge-base", "--all", at.into, at.from];
  const bases = list(await lineOf(git, doing, args, [0, 1]));
  if (bases.length === 0) {
    throw new Failure(
      "refused",
      `Cannot ${doing}: ${quoted(plan.from)} and ${quoted(plan.into)} share no commit`,
      { remedy: `Merge it with git itself: git -C ${shellWord(place.root)} merge` },
    );
  }
  const theirs: FileDelta[] = [];
  const ours: FileDelta[] = [];
  for (const base of bases) {
    theirs.push(...await changedFiles(git, doing, base, at.from));
    ours.push(...await changedFiles(git, doing, base, at.into));
  }
  // Several bases are merged with each other first.
  const both = bases.length > 1 ? theirs.map(({ path }) => path) : inBoth(ours, theirs);
  return { theirs, both };
}

/** The tree, or the paths that conflict (git-merge-tree(1)); neither refs nor files change. */
export async function mergedTree(
  git: CallGit,
  doing: string,
  { into, from }: MergeTips,
) {
  const { code, stdout } = await git({
    doing,
    args: ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", into, from],
    answers: [0, 1],
  });
  const [tree = "", ...paths] = nulItems(capturedBytes(stdout))
    .map((item) => new TextDecoder().decode(item));
  return code === 0 ? { tree } : { conflicts: [...new Set(paths)].filter((path) => path !== "") };
}

export async function mergeBranch(
  ports: MergePorts,
  repo: GitLocation,
  plan: MergePlan,
): Promise<MergeOutcome> {
  const runner: GitRunner = { processes: ports.processes, env: ports.env };
  const { doing } = plan;
  const git = gitIn(runner, repo);
  const { into, from } = await tipsOf(git, plan);
  const known = ["merge-base", "--is-ancestor", from, into];
  if (await lineOf(git, doing, known, [0, 1]) !== undefined) return { kind: "nothing" };

  const { theirs, both } = await changesOf(git, repo, plan, { into, from });
  refuseSpecial(
    plan,
    repo.root,
    theirs,
    (change) => isOtherGitlink(change) || (isGitlink(change) && both.includes(change.path)),
  );
  const fallback = await lineOf(git, doing, ["config", "--includes", "--get", "merge.default"], [
    0,
    1,
  ]);
  if (fallback !== undefined && both[0] !== undefined) {
    refuseDriver(doing, both[0], "merge", fallback);
  }
  const merge = { doing, attributes: ["merge"], from: "work tree" } as const;
  await refuseDriven(git, { ...merge, paths: both });
  const { tree, conflicts } = await mergedTree(git, doing, { into, from });
  if (tree === undefined) return { kind: "conflict", paths: conflicts };
  const changes = await changedFiles(git, doing, into, tree);
  refuseSpecial(plan, repo.root, changes, isOtherGitlink);

  const computed = { into, from, tree };
  const listed = await listedWorktrees(git, repo, doing);
  const checkout = listed.find(({ branch, stale }) => branch === plan.into && !stale);
  if (checkout !== undefined) {
    // For a git folder outside its work tree, git lists that folder itself.
    const isRepo = checkout === listed[0]
      ? repo.gitDir === repo.commonDir
      : checkout.path === repo.root;
    const place = isRepo ? repo : await gitOver(ports.processes, ports.env).open(checkout.path);
    return await landInCheckout(ports, runner, place, plan, computed, changes);
  }
  if (rebasedBranches(repo.commonDir).includes(plan.into)) {
    throw new Failure("conflict", `Cannot ${doing}: a rebase of ${quoted(plan.into)} is going on`, {
      remedy: "Finish it, or give it up: git rebase --abort",
    });
  }
  const unproven = await lacksProof(runner, repo, plan, computed);
  if (unproven !== undefined) return unproven;
  const commit = await mergeCommit(ports, repo, plan, computed);
  const move = { doing, note: noteOf(plan), parent: into, commit };
  await moveRef(git, move, `refs/heads/${plan.into}`);
  return { kind: "merged", commit };
}

/** Undefined where the merge comes to what was proven, or need not be. */
async function lacksProof(
  runner: GitRunner,
  place: GitLocation,
  { doing, proven }: MergePlan,
  { into, from, tree }: ComputedMerge,
): Promise<UnprovenMerge | undefined> {
  if (proven === undefined) return undefined;
  const { beside, commit, named } = proven;
  const git = gitIn(runner, place);
  const files = await filesName(git, { doing, tree, beside });
  if (named.includes(files)) return undefined;
  const known = await treeOf(runner, place, doing, commit);
  const same = known &&
    (known === tree || await filesName(git, { doing, tree: known, beside }) === files);
  return same ? undefined : { kind: "unproven", into, from, files };
}

/** For what looks at a merge before it lands. @throws Failure as `mergeBranch` for commits that are gone */
export async function commitOfMerge(
  ports: MergePorts,
  repo: GitLocation,
  plan: MergePlan,
): Promise<string | undefined> {
  const git = gitIn({ processes: ports.processes, env: ports.env }, repo);
  const { doing } = plan;
  const [into, from] = await commitsAt(git, doing, [plan.into, plan.from].map(gitRef));
  if (into === undefined || from === undefined) {
    throw noCommit(doing, into === undefined ? plan.into : plan.from);
  }
  const { tree } = await mergedTree(git, doing, { into, from });
  return tree && await mergeCommit(ports, repo, plan, { into, from, tree });
}

const noteOf = ({ from, message }: MergePlan) => `merge ${from}: ${message.split("\n", 1)[0]}`;

async function mergeCommit(
  { processes, env, clock }: MergePorts,
  place: GitLocation,
  plan: MergePlan,
  { into, from, tree }: ComputedMerge,
): Promise<string> {
  const runner: GitRunner = { processes, env };
  const people = await committer(gitIn(runner, place), processes, env);
  const parents = [into, from];
  return await commitObject(runner, place, plan, { tree, parents, at: clock.now(), ...people });
}

/** The user's changes to other files stay as they are, staged or not. */
async function landInCheckout(
  ports: MergePorts,
  runner: GitRunner,
  place: GitLocation,
  plan: MergePlan,
  computed: ComputedMerge,
  changes: readonly FileDelta[],
): Promise<MergeOutcome> {
  const { files, clock } = ports;
  const { doing } = plan;
  const git = gitIn(runner, place);
  await mustTakeCommits(git, place, doing);
  refuseSpecial(plan, place.root, changes, isLink);
  const filters = {
    doing,
    attributes: ["filter"],
    paths: changes.map(({ path }) => path),
  } as const;
  await refuseDriven(git, { ...filters, from: "work tree" });
  await withOwnIndex(
    runner,
    place,
    { doing, tree: computed.tree },
    (merged) => refuseDriven(merged, { ...filters, from: "index" }),
  );
  using folder = await ports.openFolder(place.root);
  await ports.commits.recover(place, folder);
  const status = await (await gitOver(ports.processes, ports.env).open(place.root)).status();
  const hidden = await hiddenFiles(git, place, folder, { doing, changes });
  const { dirty, entries } = await landingEntries(folder, doing, changes, { status, hidden });
  if (dirty.length > 0) return { kind: "dirty", paths: dirty };
  const unproven = await lacksProof(runner, place, plan, computed);
  if (unproven !== undefined) return unproven;
  const { into: parent, tree } = computed;
  const commit = await landCommit({ runner, files, clock }, place, folder, {
    ...{ doing, note: noteOf(plan), parent, tree, entries },
    make: () => mergeCommit(ports, place, plan, computed),
  });
  return { kind: "merged", commit };
}
