/** Makes, lists and removes work trees of svc's own, below `~/.svc/worktrees` and nowhere else. */
import { GIT_LOG_COMMITS, WORKTREE_PATCH_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { gitRef } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { isComponent, quoted } from "svc/core/repo_path.ts";
import { gitOver } from "./git.ts";
import { type CallGit, gitIn, type GitRunner } from "./git_call.ts";
import type { Place } from "./git_hardening.ts";
import { pointerIn } from "./git_place.ts";
import { mergeBranch, type MergePorts } from "./git_merge.ts";
import { line } from "./git_objects.ts";
import { adminFolder, type Listed, listedWorktrees } from "./git_worktree_list.ts";
import { refuseUnfit } from "./git_worktree_fit.ts";
import type { Worktree, WorktreePlan, Worktrees } from "./worktrees.ts";

export interface WorktreePorts extends MergePorts {
  /** Folder of all work trees of svc (`~/.svc/worktrees`). */
  home(): string;
}

/** In git's own folder of a work tree: its checkout was finished. Without it, it is made anew. */
const WHOLE = "svc-worktree";

const exists = (path: string) => Deno.lstat(path).then(() => true, () => false);

/** The commit that a branch or any other name stands for; a branch wins over a tag. */
async function commitOf(git: CallGit, doing: string, name: string): Promise<string> {
  // A whole id needs no look-up: whatever takes it says so when there is no such commit.
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name)) return name;
  for (const ref of [`refs/heads/${gitRef(name)}`, name]) {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
    const found = await line(git, doing, args, [0, 1, 128]);
    if (found !== undefined) return found;
  }
  throw new Failure("conflict", `Cannot ${doing}: there is no branch or commit ${quoted(name)}`, {
    remedy: "Look at what there is: git branch --all",
  });
}

const branchTip = (git: CallGit, doing: string, branch: string) =>
  line(
    git,
    doing,
    ["rev-parse", "--verify", "--quiet", `refs/heads/${gitRef(branch)}^{commit}`],
    [0, 1],
  );

export function worktreesOver(ports: WorktreePorts): Worktrees {
  const { processes, env, files } = ports;
  const runner: GitRunner = { processes, path: env["PATH"] ?? "" };
  const git = gitOver(processes, env);

  /** The real path of a place for a work tree. @throws Failure `refused` for any other place */
  async function ownPath(doing: string, named: string): Promise<string> {
    const home = await Deno.realPath(ports.home()).catch(() => ports.home());
    const base = [home, ports.home()].find((folder) => named.startsWith(`${folder}/`));
    const below = base === undefined ? [] : named.slice(base.length + 1).split("/");
    const above = [home, ...below.slice(0, -1)].join("/");
    const linked = await Deno.realPath(above).catch(() => above) !== above;
    if (below.length > 0 && below.every(isComponent) && !linked) return `${above}/${below.at(-1)}`;
    throw new Failure("refused", `Cannot ${doing}: ${quoted(named)} is no place for a work tree`, {
      remedy: `Name a folder below ${quoted(ports.home())}`,
    });
  }

  /** Under the name that callers know: git keeps real paths, and the home may be a link. */
  async function facts({ path, branch, head, stale }: Listed): Promise<Worktree> {
    const home = await Deno.realPath(ports.home()).catch(() => ports.home());
    const below = path.startsWith(`${home}/`) ? path.slice(home.length) : undefined;
    return { path: below === undefined ? path : `${ports.home()}${below}`, branch, head, stale };
  }

  const list = (repo: Place, doing: string) => listedWorktrees(gitIn(runner, repo), doing);

  /** Folder first: git goes on listing the work tree until nothing of it is left. */
  async function discard(repo: Place, path: string): Promise<void> {
    if (await exists(path)) await Deno.remove(path, { recursive: true });
    const admin = await adminFolder(repo.commonDir, path);
    if (admin !== undefined) await Deno.remove(admin, { recursive: true });
  }

  /** `half`: a killed run's, nobody has worked in it. `broken`: its `.git` no longer leads to git. */
  async function stateOf(repo: Place, path: string): Promise<"half" | "gone" | "broken" | "whole"> {
    const admin = await adminFolder(repo.commonDir, path);
    if (admin === undefined || !await exists(`${admin}/${WHOLE}`)) return "half";
    if (!await exists(path)) return "gone";
    return await pointerIn(`${path}/.git`) === `gitdir: ${admin}` ? "whole" : "broken";
  }

  /** Clears the way: a killed run's half is removed, anything else is left and refused. */
  async function settled(repo: Place, plan: WorktreePlan, path: string) {
    const { doing, branch } = plan;
    const listed = await list(repo, doing);
    const here = listed.find((one) => one.path === path);
    const conflict = (why: string, remedy: string) =>
      new Failure("conflict", `Cannot ${doing}: ${why}`, { remedy });
    const state = here && await stateOf(repo, path);
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
    if (other !== undefined) {
      throw conflict(
        `${quoted(branch)} is checked out in ${quoted(other.path)}`,
        other.stale
          ? `git -C ${quoted(repo.root)} worktree prune`
          : `Check out another branch there: git -C ${quoted(other.path)} switch`,
      );
    }
    if (here !== undefined) await discard(repo, path);
    else if (await exists(path)) {
      const isEmpty = await Deno.remove(path).then(() => true, () => false);
      if (!isEmpty) throw conflict(`${quoted(path)} is something else`, `Look at ${quoted(path)}`);
    }
    return undefined;
  }

  async function checkOut(repo: Place, { doing, branch }: WorktreePlan, path: string, tip: string) {
    const known = await branchTip(gitIn(runner, repo), doing, branch) !== undefined;
    await files.makeFolder(path);
    // Without its files: those are written under the settings that hold in the new work tree.
    await gitIn(runner, repo)({
      doing,
      args: [
        ...["-c", "worktree.useRelativePaths=false", "worktree", "add", "--quiet"],
        ...["--no-checkout", ...(known ? [path, branch] : ["-b", branch, path, tip])],
      ],
    });
    const place = await git.open(path);
    await gitIn(runner, place)({
      doing,
      args: ["read-tree", "--reset", "-u", "--no-sparse-checkout", "HEAD"],
    });
    await files.writeAtomic(`${place.gitDir}/${WHOLE}`, "");
  }

  return {
    async add(repo, plan) {
      const { doing, branch } = plan;
      const path = await ownPath(doing, plan.path);
      const there = await settled(repo, plan, path);
      if (there !== undefined) return there;
      const call = gitIn(runner, repo);
      const tip = await branchTip(call, doing, branch) ?? await commitOf(call, doing, plan.start);
      await refuseUnfit(runner, repo, doing, tip);
      await checkOut(repo, plan, path, tip);
      return await facts({ path, branch, head: tip, stale: false });
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
        if (!await exists(path)) return;
        throw new Failure("refused", `Cannot ${doing}: ${quoted(repo.root)} has no such work tree`);
      }
      const state = await stateOf(repo, path);
      if (!anyway && (state === "whole" || state === "broken")) {
        const changes = state === "whole" ? (await (await git.open(path)).status()).changes : [];
        const why = state === "broken"
          ? "its .git file is lost, so what is not committed cannot be told"
          : changes[0] && `${quoted(changes[0].path)} is not committed`;
        if (why !== undefined) {
          throw new Failure("conflict", `Cannot ${doing}: ${why}`, {
            remedy: `Commit it, save it, or take it back: cd ${quoted(path)}`,
          });
        }
      }
      await discard(repo, path);
    },

    async deleteMerged(repo, branch, into) {
      const doing = `delete the branch ${quoted(branch)}`;
      if (!branch.startsWith("svc/")) {
        throw new Failure("refused", `Cannot ${doing}: it is not one of svc`);
      }
      const call = gitIn(runner, repo);
      const tip = await branchTip(call, doing, branch);
      if (tip === undefined) return true;
      const target = await commitOf(call, doing, into);
      const args = ["merge-base", "--is-ancestor", tip, target];
      if (await line(call, doing, args, [0, 1]) === undefined) return false;
      const used = (await list(repo, doing)).find((one) => one.branch === branch && !one.stale);
      if (used !== undefined) {
        throw new Failure("conflict", `Cannot ${doing}: ${quoted(used.path)} has it checked out`, {
          remedy: `Remove that work tree: git -C ${quoted(repo.root)} worktree remove`,
        });
      }
      await call({ doing, args: ["update-ref", "--no-deref", "-d", `refs/heads/${branch}`, tip] });
      return true;
    },

    merge: (repo, plan) => mergeBranch(ports, repo, plan),

    async ahead(repo, from, into) {
      const doing = `compare ${quoted(from)} with ${quoted(into)}`;
      const call = gitIn(runner, repo);
      const [tip, base] = [await commitOf(call, doing, from), await commitOf(call, doing, into)];
      const args = [
        "rev-list",
        "--topo-order",
        `--max-count=${GIT_LOG_COMMITS}`,
        tip,
        "--not",
        base,
      ];
      return (await line(call, doing, args))!.split("\n").filter((id) => id !== "");
    },

    async patch(repo, from, into) {
      const doing = `compare ${quoted(from)} with ${quoted(into)}`;
      const call = gitIn(runner, repo);
      const [tip, base] = [await commitOf(call, doing, from), await commitOf(call, doing, into)];
      const { stdout } = await call({
        doing,
        args: [
          ...["diff", "--binary", "--full-index", "--no-ext-diff", "--no-textconv", "--no-color"],
          ...["--submodule=short", "--src-prefix=a/", "--dst-prefix=b/", `${base}...${tip}`, "--"],
        ],
        maxOutputBytes: WORKTREE_PATCH_BYTES,
      });
      return capturedText(stdout);
    },
  };
}
