/** Makes, lists and removes work trees of svc's own, below `~/.svc/worktrees` alone. */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import { isComponent, quoted } from "svc/core/repo_path.ts";
import { together } from "svc/core/together.ts";
import { overClosed } from "svc/platform/files/closed_folders.ts";
import { type CallGit, gitIn, type GitRunner } from "./call.ts";
import { gitOver } from "./git.ts";
import type { GitLocation } from "./hardening.ts";
import { leftoverRefs } from "./leftover_refs.ts";
import { keepTree } from "./leftovers.ts";
import type { MergePorts } from "./merge.ts";
import { commitOf, noCommit, tipAndCommit } from "./named.ts";
import { gitlinksIn } from "./submodule_source.ts";
import { builtInSubmodules, changesInSubmodules, fillSubmodules } from "./submodule_trees.ts";
import { putBack, takeCommitBack } from "./uncommitted.ts";
import { type FitCommit, obstaclesTo, refuseUnfit } from "./worktree_fit.ts";
import { adminFolder, type ListedWorktree, listedWorktrees, repairLinks } from "./worktree_list.ts";
import { ABSOLUTE, linkTree } from "./worktree_link.ts";
import { branchesOver, deleteBranch } from "./worktree_branches.ts";
import {
  allIgnored,
  cleanTree,
  ignoredPaths,
  intactSetUp,
  makerOf,
  printOf,
  readMark,
  type SetUpMark,
  WHOLE,
  writeMark,
} from "./worktree_mark.ts";
import {
  fillFrom,
  keepSetUp,
  type KeptSetUp,
  POOL,
  returnSetUp,
  takeSetUp,
  trimPool,
} from "./worktree_pool.ts";
import { discard, exists, holdTree, stateOf } from "./worktree_state.ts";
import type { Worktree, WorktreePlan, Worktrees } from "./worktrees.ts";

interface WorktreePorts extends MergePorts {
  home(): string;
}

interface WorktreeStart {
  readonly tip: string;
  readonly known: boolean;
}

async function startOf(
  git: CallGit,
  repo: GitLocation,
  { doing, branch, start }: WorktreePlan,
): Promise<WorktreeStart | undefined> {
  if (branch === undefined) return { tip: await commitOf(git, doing, start), known: false };
  const [tip, begin] = await tipAndCommit(git, repo, doing, branch, start);
  if (tip !== undefined) return { tip, known: true };
  return begin === undefined ? undefined : { tip: begin, known: false };
}

export function worktreesOver(ports: WorktreePorts): Worktrees {
  const { processes, env, files } = ports;
  const runner: GitRunner = { processes, env };
  const git = gitOver(processes, env);

  const realHome = () => Deno.realPath(ports.home()).catch(() => ports.home());

  /** @throws Failure `refused` for a path elsewhere */
  async function ownPath(doing: string, named: string): Promise<string> {
    const home = await realHome();
    const base = [home, ports.home()].find((folder) => named.startsWith(`${folder}/`));
    const below = base === undefined ? [] : named.slice(base.length + 1).split("/");
    const above = [home, ...below.slice(0, -1)].join("/");
    const linked = await Deno.realPath(above).catch(() => above) !== above;
    const own = below.length > 0 && below.every(isComponent) && below[0] !== POOL;
    if (own && !linked) return `${above}/${below.at(-1)}`;
    throw new Failure("refused", `Cannot ${doing}: ${quoted(named)} is no place for a work tree`, {
      remedy: `Name a folder below ${quoted(ports.home())}`,
    });
  }

  /** Git keeps real paths, and the home may be a link. */
  async function facts({ path, branch, head, stale }: ListedWorktree): Promise<Worktree> {
    const home = await realHome();
    const below = path.startsWith(`${home}/`) ? path.slice(home.length) : undefined;
    return { path: below === undefined ? path : `${ports.home()}${below}`, branch, head, stale };
  }

  async function list(repo: GitLocation, doing: string): Promise<readonly ListedWorktree[]> {
    const listed = await listedWorktrees(gitIn(runner, repo), repo, doing);
    const home = await realHome();
    const own = listed.map(({ path }) => path).filter((path) => path.startsWith(`${home}/`));
    await repairLinks(repo.commonDir, own, (path, text) => files.writeAtomic(path, text));
    return listed;
  }

  /** Removes what a killed run left, refuses anything but the same work tree. */
  async function existing(
    repo: GitLocation,
    { doing, branch }: WorktreePlan,
    path: string,
    listed: readonly ListedWorktree[],
  ) {
    const here = listed.find((one) => one.path === path);
    const conflict = (why: string, remedy: string) =>
      new Failure("conflict", `Cannot ${doing}: ${why}`, { remedy });
    const state = here && stateOf(repo.commonDir, path);
    if (state === "broken") {
      throw conflict(
        `${quoted(path)} has lost its .git file`,
        "Save what is in it, then remove it",
      );
    }
    if (here !== undefined && state === "whole") {
      if (here.branch === branch) return await facts(here);
      const holds = here.branch === undefined ? "a commit" : quoted(here.branch);
      throw conflict(`${quoted(path)} holds ${holds} already`, "Use another path, or remove it");
    }
    const other = listed.find((one) => one.branch === branch && one.path !== path);
    if (other !== undefined && branch !== undefined) {
      throw conflict(
        `${quoted(branch)} is checked out in ${quoted(other.path)}`,
        other.stale
          ? `git -C ${shellWord(repo.root)} worktree prune`
          : `Check out another branch there: git -C ${shellWord(other.path)} switch`,
      );
    }
    if (here !== undefined) await discard(repo.commonDir, path);
    else if (exists(path)) {
      const isEmpty = await Deno.remove(path).then(() => true, () => false);
      if (!isEmpty) throw conflict(`${quoted(path)} is something else`, `Look at ${quoted(path)}`);
    }
    return undefined;
  }

  /** @returns where it is: a set-up from the pool brings its own path */
  async function make(
    repo: GitLocation,
    plan: WorktreePlan,
    asked: string,
    { tip, known, submodules }: WorktreeStart & FitCommit,
  ): Promise<string> {
    const { doing, branch } = plan;
    const from = { commonDir: repo.commonDir, beside: asked };
    const kept = plan.bare ? undefined : await takeSetUp(await realHome(), from);
    const path = kept?.at ?? asked;
    await files.makeFolder(path);
    const named = branch === undefined
      ? ["--detach", path, tip]
      : known
      ? [path, branch]
      : ["-b", branch, path, tip];
    // The files are written later, under the settings of the new work tree.
    const args = [...ABSOLUTE, "worktree", "add", "--quiet", "--no-checkout", ...named];
    const call = gitIn(runner, repo);
    try {
      const linked = !known && await linkTree(call, repo, { doing, path, branch, tip });
      if (!linked) await call({ doing, args });
    } catch (thrown) {
      if (kept !== undefined) await returnSetUp(await realHome(), kept);
      throw thrown;
    }
    try {
      const place = await checkOut(repo, doing, path, { submodules });
      const setup = kept && await filled(doing, place, kept);
      const mark = JSON.stringify({ holder: makerOf(asked), setup });
      await files.writeAtomic(`${place.gitDir}/${WHOLE}`, setup === undefined ? "" : mark);
    } catch (thrown) {
      // A tree that git does not write, or a full disk. The next run clears what a kill leaves.
      if (thrown instanceof Failure) await takeBack().catch(() => {});
      throw thrown;
    }
    return path;

    async function takeBack() {
      await discard(repo.commonDir, path);
      if (kept !== undefined) await returnSetUp(await realHome(), kept);
      if (!known && branch !== undefined) {
        await deleteBranch(call, doing, branch, tip);
      }
    }
  }

  /** As `git worktree move`; a kill in between leaves a tree that `git worktree repair` leads back. */
  async function moveByHand(admin: string, path: string, target: string) {
    await Deno.rename(path, target);
    await files.writeAtomic(`${admin}/gitdir`, `${target}/.git\n`);
  }

  /** Undefined where what was kept does not fit this commit: then the tree is as if nothing had been. */
  async function filled(
    doing: string,
    place: GitLocation,
    kept: KeptSetUp,
  ): Promise<SetUpMark | undefined> {
    if (!await fillFrom(kept)) return undefined;
    const { at, key, made, print } = kept;
    const call = gitIn(runner, place);
    if (await allIgnored(call, doing, made)) return { at, key, made, print };
    await overClosed(place.root, () => cleanTree(call, doing, []));
    return undefined;
  }

  async function checkOut(
    repo: GitLocation,
    doing: string,
    path: string,
    { submodules }: FitCommit,
  ): Promise<GitLocation> {
    const place = await git.open(path);
    const args = ["read-tree", "--reset", "-u", "--no-sparse-checkout", "HEAD"];
    await gitIn(runner, place)({ doing, args });
    if (submodules) await fillSubmodules(runner, { doing, from: repo.root, to: place.root });
    return place;
  }

  return {
    obstacles: (repo) =>
      obstaclesTo(runner, repo, { doing: `look at the state of ${quoted(repo.root)}` }),

    async submoduleChanges(_repo, named) {
      const doing = `look into the submodules of ${quoted(named)}`;
      return await changesInSubmodules(runner, await ownPath(doing, named), doing);
    },

    async add(repo, plan) {
      const { doing, branch } = plan;
      const path = await ownPath(doing, plan.path);
      const [listed, start] = await together(
        list(repo, doing),
        startOf(gitIn(runner, repo), repo, plan),
      );
      const there = await existing(repo, plan, path, listed);
      if (there !== undefined) return there;
      if (start === undefined) throw noCommit(doing, plan.start);
      const fit = await refuseUnfit(runner, repo, doing, start.tip);
      const at = await make(repo, plan, path, { ...start, ...fit });
      return await facts({ path: at, branch, head: start.tip, stale: false });
    },

    async list(repo) {
      const [, ...linked] = await list(repo, `list the work trees of ${quoted(repo.root)}`);
      return await Promise.all(linked.filter(({ path }) => path !== repo.root).map(facts));
    },

    async remove(repo, named, { discard: anyway = false } = {}) {
      const doing = `remove the work tree ${quoted(named)}`;
      const path = await ownPath(doing, named);
      const [, ...linked] = await list(repo, doing);
      const here = linked.find((one) => one.path === path && path !== repo.root);
      if (here === undefined) {
        if (!exists(path)) return;
        throw new Failure("refused", `Cannot ${doing}: ${quoted(repo.root)} has no such work tree`);
      }
      const state = stateOf(repo.commonDir, path);
      if (!anyway && (state === "whole" || state === "broken")) {
        const changes = state === "whole" ? (await (await git.open(path)).status()).changes : [];
        const why = state === "broken"
          ? "its .git file is lost, so what is not committed cannot be told"
          : changes[0] && `${quoted(changes[0].path)} is not committed`;
        if (why !== undefined) {
          throw new Failure("conflict", `Cannot ${doing}: ${why}`, {
            remedy: `Commit it, save it, or take it back: cd ${shellWord(path)}`,
          });
        }
      }
      await discard(repo.commonDir, path);
    },

    async retire(repo, named) {
      const doing = `retire the work tree ${quoted(named)}`;
      const path = await ownPath(doing, named);
      const { commonDir } = repo;
      const admin = adminFolder(commonDir, path);
      const setup = await intactSetUp(path, readMark(admin, path));
      const whole = stateOf(commonDir, path) === "whole";
      if (admin !== undefined && setup !== undefined && whole) {
        // Without its mark it is half made, also after a kill: nobody goes on in it.
        await Deno.remove(`${admin}/${WHOLE}`);
        await keepSetUp(files, await realHome(), { commonDir, setup }, ports.clock.now());
      }
      await discard(commonDir, path);
      // Fails while another tree is beside it.
      await Deno.remove(path.slice(0, path.lastIndexOf("/"))).catch(() => {});
    },

    trimPool: async (keepMs) =>
      await trimPool(await realHome(), { now: ports.clock.now(), keepMs }),

    async hold(repo, { path: named, job, from }) {
      const path = await ownPath(`work in ${quoted(named)}`, named);
      const admin = adminFolder(repo.commonDir, path);
      return await holdTree(ports.clock, admin, { job, ...(from !== undefined && { from }) });
    },

    async reuse(repo, { doing, path: named, branch, holder }) {
      const path = await ownPath(doing, named);
      const admin = adminFolder(repo.commonDir, path);
      if (admin === undefined || stateOf(repo.commonDir, path) !== "whole") return false;
      const place = await git.open(path);
      if (place.branch !== branch || place.operation !== undefined) return false;
      const setup = await intactSetUp(path, readMark(admin, path));
      // From here on the tree is half made; if svc is killed, the tree is made again.
      await Deno.remove(`${admin}/${WHOLE}`);
      // The old index may hide changes behind flags (index_flags.ts).
      await Deno.remove(`${admin}/index`).catch((thrown) => {
        if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
      });
      const call = await overClosed(path, async () => {
        const call = gitIn(runner, await checkOut(repo, doing, path, { submodules: true }));
        await cleanTree(call, doing, setup?.made ?? []);
        return call;
      });
      const fits = setup !== undefined && await allIgnored(call, doing, setup.made);
      if (setup !== undefined && !fits) await overClosed(path, () => cleanTree(call, doing, []));
      await writeMark(files, admin, { holder, ...(fits && { setup }) });
      return true;
    },

    async mark(repo, named) {
      const path = await ownPath(`look at ${quoted(named)}`, named);
      const { holder, setup } = readMark(adminFolder(repo.commonDir, path), path);
      return { holder, setup: setup?.at === path ? setup.key : undefined };
    },

    async setUp(repo, named, key) {
      const doing = `note the set-up of ${quoted(named)}`;
      const path = await ownPath(doing, named);
      const admin = adminFolder(repo.commonDir, path);
      if (admin === undefined || stateOf(repo.commonDir, path) !== "whole") {
        throw new Failure("conflict", `Cannot ${doing}: it is no whole work tree`);
      }
      const { holder } = readMark(admin, path);
      const built = await builtInSubmodules(runner, path, doing);
      const made = built
        ? undefined
        : await ignoredPaths(gitIn(runner, await git.open(path)), doing);
      const print = made && await printOf(path, made);
      const setup = made && print !== undefined && { at: path, key, made, print };
      await writeMark(files, admin, { holder, ...(setup && { setup }) });
    },

    async move(repo, from, to) {
      const doing = `move the work tree ${quoted(from)}`;
      const [path, target] = [await ownPath(doing, from), await ownPath(doing, to)];
      const admin = adminFolder(repo.commonDir, path);
      if (admin === undefined || stateOf(repo.commonDir, path) !== "whole") return false;
      await writeMark(files, admin, { holder: makerOf(target) });
      const call = gitIn(runner, await git.open(path));
      if ((await gitlinksIn(call, doing)).length > 0) {
        // Git itself refuses to move a tree that has submodules (git-worktree(1), move).
        await moveByHand(admin, path, target);
        return true;
      }
      await gitIn(runner, repo)({
        doing,
        args: [...ABSOLUTE, "worktree", "move", path, target],
      });
      return true;
    },

    async keep(repo, plan) {
      const path = await ownPath(`keep what is in ${quoted(plan.path)}`, plan.path);
      const gitDir = adminFolder(repo.commonDir, path);
      if (gitDir === undefined || /half|gone/.test(stateOf(repo.commonDir, path))) {
        return undefined;
      }
      const place = { root: path, gitDir, commonDir: repo.commonDir };
      return await keepTree(runner, ports.clock, place, plan);
    },

    ...leftoverRefs((repo) => gitIn(runner, repo)),

    async putBack(_repo, named, spared) {
      const doing = `tidy up ${quoted(named)}`;
      const place = await git.open(await ownPath(doing, named));
      const call = gitIn(runner, place);
      await overClosed(place.root, () => putBack(call, doing, new Set(spared)));
    },

    async uncommit(_repo, named, commit) {
      const doing = `go on with what is unfinished in ${quoted(named)}`;
      const place = await git.open(await ownPath(doing, named));
      return await takeCommitBack(gitIn(runner, place), doing, commit);
    },

    ...branchesOver(ports, runner, list),
  };
}
