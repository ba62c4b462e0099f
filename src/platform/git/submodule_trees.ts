/**
 * Submodules in svc's own work trees: repos of their own, which borrow the objects of the checkout's
 * submodules (gitrepository-layout(5), alternates). They have no remote, and nothing is written elsewhere.
 */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { removeFolder } from "svc/platform/files/closed_folders.ts";
import { gitIn, type GitRunner } from "./call.ts";
import { gitOver } from "./git.ts";
import type { GitLocation } from "./hardening.ts";
import { type Gitlink, gitlinksIn, hasCommit, submoduleAt } from "./submodule_source.ts";
import { refuseUnfit } from "./worktree_fit.ts";
import { cleanTree, ignoredPaths } from "./worktree_mark.ts";

const SHA256_LENGTH = 64;

interface Fill {
  readonly doing: string;
  /** Root of the checkout. */
  readonly from: string;
  /** Root of the work tree, with its index as it is to be. */
  readonly to: string;
}

async function removed(path: string): Promise<void> {
  await removeFolder(path).catch((thrown) => {
    if (Failure.from(thrown).code !== "not_found") throw thrown;
  });
}

/** A job may have left something else there, such as a link. */
async function realFolder(path: string, doing: string): Promise<void> {
  if (!(await Deno.lstat(path)).isDirectory || await Deno.realPath(path) !== path) {
    throw new Failure("refused", `Cannot ${doing}: ${quoted(path)} is no folder of its own`);
  }
}

const CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
const CONFIG_SHA256 = "[core]\n\trepositoryformatversion = 1\n\tbare = false\n" +
  "[extensions]\n\tobjectFormat = sha256\n";

/** Written by hand: `git clone` and `git submodule` would follow settings, templates and URLs. */
async function writeRepo(at: string, { commonDir }: GitLocation, oid: string, doing: string) {
  const objects = `${commonDir}/objects`;
  // One path a line; a quote at its beginning would be read as an escape.
  if (/[\n"]/.test(objects)) {
    throw new Failure("refused", `Cannot ${doing}: ${quoted(objects)} has a line end or a quote`);
  }
  for (const folder of ["objects/info", "objects/pack", "refs/heads"]) {
    await Deno.mkdir(`${at}/${folder}`, { recursive: true });
  }
  const files = {
    "objects/info/alternates": `${objects}\n`,
    config: oid.length === SHA256_LENGTH ? CONFIG_SHA256 : CONFIG,
    HEAD: `${oid}\n`,
  };
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${at}/${name}`, text);
  await Deno.copyFile(`${commonDir}/shallow`, `${at}/shallow`).catch((thrown) => {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
  });
}

/**
 * Gives each submodule the files of the commit that is named, as far as the checkout has it. What a job
 * did there before is gone.
 * @throws Failure `refused`
 */
export async function fillSubmodules(runner: GitRunner, { doing, from, to }: Fill): Promise<void> {
  const { open } = gitOver(runner.processes, runner.env);
  for (const { path, oid } of await gitlinksIn(gitIn(runner, await open(to)), doing)) {
    const target = `${to}/${path}`;
    await realFolder(target, doing);
    await removed(`${target}/.git`);
    const source = await submoduleAt(open, from, path);
    if (source === undefined) {
      await removed(target);
      await Deno.mkdir(target);
      continue;
    }
    if (!await hasCommit(runner, source, doing, oid)) throw lacking(doing, from, { path, oid });
    await writeRepo(`${target}/.git`, source, oid, doing);
    const place = await open(target);
    await refuseUnfit(runner, place, doing, oid);
    const git = gitIn(runner, place);
    await git({ doing, args: ["read-tree", "--reset", "-u", "--no-sparse-checkout", "HEAD"] });
    await cleanTree(git, doing, []);
    await fillSubmodules(runner, { doing, from: source.root, to: target });
  }
}

function lacking(doing: string, root: string, { path, oid }: Gitlink): Failure {
  const what = `its submodule ${quoted(path)} lacks the commit ${oid.slice(0, 12)}`;
  return new Failure("refused", `Cannot ${doing}: ${what}`, {
    remedy: `git -C ${shellWord(root)} submodule update --init -- ${shellWord(path)}`,
  });
}

/** The submodules of a tree that have files, those in submodules too. */
async function filled(runner: GitRunner, root: string, doing: string): Promise<GitLocation[]> {
  const { open } = gitOver(runner.processes, runner.env);
  const found: GitLocation[] = [];
  for (const { path } of await gitlinksIn(gitIn(runner, await open(root)), doing)) {
    const place = await submoduleAt(open, root, path);
    if (place !== undefined) found.push(place, ...await filled(runner, place.root, doing));
  }
  return found;
}

/** Below the tree's root; untracked files count, ignored ones do not. */
export async function changesInSubmodules(
  runner: GitRunner,
  root: string,
  doing: string,
): Promise<string[]> {
  const { open } = gitOver(runner.processes, runner.env);
  const found: string[] = [];
  for (const place of await filled(runner, root, doing)) {
    const { changes } = await (await open(place.root)).status();
    found.push(...changes.map(({ path }) => `${place.root.slice(root.length + 1)}/${path}`));
  }
  return found;
}

/** Whether a set-up built something there: the next job finds none of it, so the set-up has to run again. */
export async function builtInSubmodules(
  runner: GitRunner,
  root: string,
  doing: string,
): Promise<boolean> {
  for (const place of await filled(runner, root, doing)) {
    const ignored = await ignoredPaths(gitIn(runner, place), doing);
    if (ignored?.length !== 0) return true;
  }
  return false;
}
