/** Looks at a repo: its languages, package managers, checks, default branch, docs and CI. */
import { compareSemver, parseSemver, semverText } from "svc/core/semver.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { releaseTags } from "svc/platform/git/release_tags.ts";
import type { Programs } from "svc/platform/process/program.ts";
import { ANY_PROGRAM, type DetectedCommand, type Ecosystem } from "./candidates/candidate.ts";
import { type CandidateGroup, checkGroups, untried } from "./candidates/choose.ts";
import { CI, DOCS, ECOSYSTEMS, WRITTEN_IN } from "./ecosystems.ts";
import { nestedCommands, type NestedProject, projectFolders } from "./nested_projects.ts";
import { type DetectTarget, type RootFiles, rootFiles } from "./root_files.ts";
import { setupOf } from "./setup_commands.ts";
import { versionSaid } from "./version_sources.ts";

const REF_BYTES = 4096;

export interface Project {
  readonly name: string;
  readonly version: string;
  readonly default_branch: string;
  readonly languages: readonly string[];
  readonly package_managers: readonly string[];
  readonly setup: readonly DetectedCommand[];
  readonly checks: readonly DetectedCommand[];
  readonly docs: readonly string[];
  readonly ci: readonly string[];
}

export interface Detected {
  /** Its checks are those that come first as long as nothing is tried. */
  readonly project: Project;
  readonly groups: readonly CandidateGroup[];
}

const FIRST_VERSION = "0.1.0";

const commandOf = ({ name, run }: DetectedCommand): DetectedCommand => ({ name, run });

export function checksOf(root: RootFiles, programs: Programs = ANY_PROGRAM): DetectedCommand[] {
  return checkGroups(root, programs).map((group) => commandOf(untried(group, programs)));
}

/** The remote's default branch, else the current one. */
async function defaultBranch({ git, files }: DetectTarget): Promise<string> {
  const path = `${git.commonDir}/refs/remotes/origin/HEAD`;
  const facts = await files.stat(path);
  const head = facts?.kind === "file"
    ? await files.readText(path, { maxBytes: REF_BYTES, lossy: true })
    : "";
  return /^ref: refs\/remotes\/origin\/(\S+)$/m.exec(head)?.[1] ?? git.branch ?? "main";
}

/** The highest that a file or a release says: `svc release notes` refuses a VERSION below a tag. */
async function versionOf({ git }: DetectTarget, root: RootFiles): Promise<string> {
  const released = releaseTags(await git.tags({ reached: true }))[0]?.version;
  const said = versionSaid(root, released !== undefined);
  const own = said === undefined ? undefined : parseSemver(said);
  if (said !== undefined && own === undefined) return said;
  const [highest] = [own, released].filter((found) => found !== undefined)
    .sort((one, other) => compareSemver(other, one));
  return highest === undefined ? FIRST_VERSION : semverText(highest);
}

async function present(folder: Folder, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const parent = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : undefined;
    if (parent !== undefined && (await folder.stat(parent))?.kind !== "folder") continue;
    if (await folder.stat(path) !== undefined) found.push(path);
  }
  return found;
}

/** Those of tools in the root, else the one of most files. */
function languagesOf(root: RootFiles, here: readonly Ecosystem[]): string[] {
  const named = new Set(here.map(({ language }) => language).filter((name) => name !== "make"));
  if (named.size > 0) return [...named];
  const counted = WRITTEN_IN.map(([name, files]) => [name, root.paths(files).length] as const)
    .filter(([, files]) => files > 0);
  const [most] = counted.sort(([, one], [, other]) => other - one);
  return most === undefined ? [] : [most[0]];
}

async function nestedProjects(target: DetectTarget, root: RootFiles): Promise<NestedProject[]> {
  const found: NestedProject[] = [];
  for (const folder of projectFolders(root)) {
    found.push({ folder, files: await rootFiles(target, folder) });
  }
  return found;
}

/** Runs nothing. */
export async function detect(target: DetectTarget): Promise<Detected> {
  const { programs } = target;
  const root = await rootFiles(target);
  const here = ECOSYSTEMS.filter((ecosystem) => ecosystem.applies(root));
  const ci = await present(target.folder, CI.map(([path]) => path));
  const own = checkGroups(root, programs);
  const nested = own.length > 0
    ? { taken: [], groups: [], setup: [] }
    : nestedCommands(await nestedProjects(target, root), programs);
  const groups = [...own, ...nested.groups];
  const below = nested.taken.flatMap(({ files }) =>
    ECOSYSTEMS.filter((ecosystem) => ecosystem.applies(files))
      .map((ecosystem) => ({ ...ecosystem, manager: () => ecosystem.manager(files) }))
  );
  const project = {
    name: target.git.root.slice(target.git.root.lastIndexOf("/") + 1) || "repo",
    version: await versionOf(target, root),
    default_branch: await defaultBranch(target),
    languages: languagesOf(root, [...here, ...below]),
    package_managers: [
      ...new Set([...here, ...below].map((ecosystem) => ecosystem.manager(root))),
    ],
    setup: [...setupOf(root, programs), ...nested.setup],
    checks: groups.map((group) => commandOf(untried(group, programs))),
    docs: await present(target.folder, DOCS),
    ci: CI.filter(([path]) => ci.includes(path)).map(([, name]) => name),
  };
  return { project, groups };
}
