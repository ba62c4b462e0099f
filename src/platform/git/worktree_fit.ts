/** Tells whether a commit can be checked out without running any program that its repo names. */
import { shellWord } from "svc/core/shell_word.ts";
import { counted } from "svc/core/counted.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { together } from "svc/core/together.ts";
import { eachItem, items } from "./answers.ts";
import { type CallGit, gitIn, type GitRunner } from "./call.ts";
import { drivenFiles, type DriverQuery } from "./drivers.ts";
import { knownSettings } from "./known_settings.ts";
import { gitOver } from "./git.ts";
import type { GitLocation } from "./hardening.ts";
import { branchTip, commitsAt } from "./named.ts";
import { withOwnIndex } from "./objects.ts";
import { nameOf } from "./settings.ts";
import { type ListedPath, listedPath, SUBMODULE } from "./output.ts";
import { hasCommit, submoduleAt } from "./submodule_source.ts";
import type { TreeObstacle } from "./worktrees.ts";

/** `mode SP …SP oid …TAB path`, of a tree or an index. */
interface TreeEntry extends ListedPath {
  readonly mode: string;
  readonly oid: string;
  /** Its bytes, which need not be UTF-8. */
  readonly name: Uint8Array;
}

interface Look {
  readonly doing: string;
  /** What is checked out, as the index says it, where none is named. */
  readonly commit?: string;
  /** Attributes are those of the commit; else of the repo's index, and nothing is written. */
  readonly exactly?: boolean;
}

export interface FitCommit {
  readonly submodules: boolean;
}

/** Its files are small pointers in git, and git-lfs takes a pointer in a work tree for unchanged. */
const LFS = "lfs";

/** @returns what the commit holds; @throws Failure `refused` with the first obstacle */
export async function refuseUnfit(
  runner: GitRunner,
  repo: GitLocation,
  doing: string,
  commit: string,
): Promise<FitCommit> {
  const { obstacles: [first], entries } = await looked(runner, repo, {
    ...{ doing, commit, exactly: true },
  });
  if (first === undefined) return { submodules: entries.some(({ mode }) => mode === SUBMODULE) };
  throw new Failure("refused", `Cannot ${doing}: ${first.why}`, { remedy: first.remedy });
}

export async function obstaclesTo(
  runner: GitRunner,
  repo: GitLocation,
  look: Look,
): Promise<TreeObstacle[]> {
  return (await looked(runner, repo, look)).obstacles;
}

async function looked(runner: GitRunner, repo: GitLocation, look: Look): Promise<{
  readonly obstacles: TreeObstacle[];
  readonly entries: readonly TreeEntry[];
}> {
  const { doing } = look;
  const git = gitIn(runner, repo);
  const names = await settingNames(runner, repo, doing);
  const [inTheWay, entries] = await together(
    branchInTheWay(git, repo, doing),
    entriesOf(git, look),
  );
  const obstacles = [
    ...inTheWay,
    ...conditional(names),
    ...await inTree(runner, repo, look, { names, entries }),
  ];
  return { obstacles, entries };
}

interface TreeFacts {
  /** Keys of the repo's settings. */
  readonly names: readonly string[];
  readonly entries: readonly TreeEntry[];
}

async function inTree(
  runner: GitRunner,
  repo: GitLocation,
  look: Look,
  { names, entries }: TreeFacts,
): Promise<TreeObstacle[]> {
  const git = gitIn(runner, repo);
  return [
    ...unusable(repo, entries),
    ...await filtered(runner, repo, look, { names, entries }),
    ...await missing(git, repo, look, names),
    ...await submodules(runner, repo, look.doing, entries),
  ];
}

async function settingNames(
  runner: GitRunner,
  repo: GitLocation,
  doing: string,
): Promise<readonly string[]> {
  const args = ["config", "--includes", "--name-only", "--list", "-z"];
  return knownSettings(runner.processes, repo)?.map(nameOf) ??
    await items(gitIn(runner, repo), { doing, args }, text);
}

const text = (item: Uint8Array) => new TextDecoder().decode(item);

async function entriesOf(git: CallGit, { doing, commit }: Look): Promise<TreeEntry[]> {
  const args = commit === undefined
    ? ["ls-files", "--stage", "-z"]
    : ["ls-tree", "-r", "-z", "--full-tree", commit];
  return await items(git, { doing, args }, (item) => {
    const tab = item.indexOf(9);
    const head = text(item.subarray(0, tab));
    const name = item.slice(tab + 1);
    const oid = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/.exec(head)?.[0] ?? "";
    return { mode: head.slice(0, 6), oid, name, ...listedPath(name) };
  });
}

/** A branch "svc" leaves no room for svc/T-0001 (gitrepository-layout(5): a ref is a file). */
async function branchInTheWay(
  git: CallGit,
  repo: GitLocation,
  doing: string,
): Promise<TreeObstacle[]> {
  if (await branchTip(git, repo, doing, "svc") === undefined) return [];
  return [{
    why: 'its branch "svc" leaves git no room for branches called svc/…, where svc works',
    remedy: `git -C ${shellWord(repo.root)} branch --move svc svc-work`,
  }];
}

function conditional(names: readonly string[]): TreeObstacle[] {
  const found = names.find((name) => /^includeif\./i.test(name));
  if (found === undefined) return [];
  return [{
    why: "the repo includes settings by condition, which may not hold in a work tree",
    remedy: `Move ${quoted(found)} from its settings to your own (~/.gitconfig)`,
  }];
}

const notUtf8 = ({ path, usable }: TreeEntry) => !usable && path.includes("\ufffd");

/** Names that are not UTF-8 are git's business alone; others would lead out of the tree. */
function unusable({ root }: GitLocation, entries: readonly TreeEntry[]): TreeObstacle[] {
  const found = entries.find((entry) => !entry.usable && !notUtf8(entry));
  if (found === undefined) return [];
  return [{
    why: `${quoted(found.path)} is a name that svc cannot check`,
    remedy: `Rename it: git -C ${shellWord(root)} mv`,
  }];
}

async function filtered(
  runner: GitRunner,
  repo: GitLocation,
  { doing, commit, exactly = false }: Look,
  { names, entries }: TreeFacts,
): Promise<TreeObstacle[]> {
  if (!await mayNameFilters(repo, names, entries)) return [];
  const paths = entries.filter(({ mode }) => mode !== "120000" && mode !== SUBMODULE)
    .map(({ name }) => name);
  const query: DriverQuery = { doing, paths, attributes: ["filter"], from: "index" };
  const driven = !exactly
    ? await drivenFiles(gitIn(runner, repo), query)
    : await withOwnIndex(runner, repo, { doing, tree: commit }, (git) => drivenFiles(git, query));
  const [first, ...more] = driven.filter(({ driver }) => driver !== LFS);
  if (first === undefined) return [];
  const others = more.length === 0 ? "" : ` (and ${counted(more.length, "more file")})`;
  return [{
    why: `${quoted(first.path)} goes through the filter ${quoted(first.driver)}${others}, ` +
      "and svc runs no program that a repo names",
    remedy: `Take "filter=${first.driver}" out of .gitattributes, or keep such files elsewhere`,
  }];
}

/** False where no file has attributes: those come from `.gitattributes`, `info/attributes` and, since git
 * 2.43, the tree that `attr.tree` names; others are left out of all calls (hardening.ts). */
async function mayNameFilters(
  { commonDir }: GitLocation,
  names: readonly string[],
  entries: readonly TreeEntry[],
): Promise<boolean> {
  if (names.includes("attr.tree")) return true;
  // In any case of letters, which the file system may not tell apart.
  if (entries.some(({ path }) => /(?:^|\/)\.gitattributes$/i.test(path))) return true;
  return await Deno.lstat(`${commonDir}/info/attributes`).then(
    () => true,
    (thrown) => !(thrown instanceof Deno.errors.NotFound),
  );
}

/** A partial clone fetches what it lacks when git asks for it; svc's git asks no network. */
async function missing(
  git: CallGit,
  { root }: GitLocation,
  { doing, commit = "HEAD" }: Look,
  names: readonly string[],
): Promise<TreeObstacle[]> {
  const promisor = names.some((name) => /^remote\..+\.promisor$/is.test(name));
  if (!promisor && !names.includes("extensions.partialclone")) return [];
  const [tip] = await commitsAt(git, doing, [commit]);
  if (tip === undefined) return [];
  let count = 0;
  const args = ["rev-list", "--no-walk", "--objects", "--missing=print", tip, "--"];
  await eachItem(git, { doing, args }, (item) => {
    if (item[0] === 0x3f) count++;
  }, "LF");
  if (count === 0) return [];
  return [{
    why: `the clone is partial and lacks ${counted(count, "file")} of the commit to work on`,
    remedy: `git -C ${shellWord(root)} fetch --refetch --no-filter`,
  }];
}

/** One that the checkout has not initialised stays an empty folder, as there. */
async function submodules(
  runner: GitRunner,
  { root }: GitLocation,
  doing: string,
  entries: readonly TreeEntry[],
): Promise<TreeObstacle[]> {
  const { open } = gitOver(runner.processes, runner.env);
  const found: TreeObstacle[] = [];
  for (const { mode, path, oid, usable } of entries) {
    if (mode !== SUBMODULE || !usable) continue;
    const place = await submoduleAt(open, root, path).catch((thrown) => Failure.from(thrown));
    if (place === undefined) continue;
    if (place instanceof Failure) {
      found.push({
        why: `its submodule ${quoted(path)} cannot be used: ${place.message}`,
        remedy: place.remedy,
      });
    } else if (await hasCommit(runner, place, doing, oid)) {
      const names = await settingNames(runner, place, doing);
      const inside = { doing, commit: oid };
      const entries = await entriesOf(gitIn(runner, place), inside);
      const below = await inTree(runner, place, inside, { names, entries });
      found.push(...below.map(({ why, remedy }) => ({
        why: `in the submodule ${quoted(path)}: ${why}`,
        remedy,
      })));
    } else {
      found.push({
        why: `its submodule ${quoted(path)} lacks the commit ${oid.slice(0, 12)}`,
        remedy: `git -C ${shellWord(root)} submodule update --init -- ${shellWord(path)}`,
      });
    }
  }
  return found;
}
