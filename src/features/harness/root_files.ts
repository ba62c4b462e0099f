/** What detection reads from a repo: the names of its files, and the texts of a few. */
import type { Files } from "svc/platform/files/files.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import type { Programs } from "svc/platform/process/program.ts";
import { look } from "svc/platform/files/journal_target.ts";
import { saysVersion } from "./version_sources.ts";

/** Files that git ignores do not count: a fresh clone has none of them. */
export interface RootFiles {
  /** A file or folder, by its path from the root. */
  has(path: string): boolean;
  matches(path: RegExp): boolean;
  /** Sorted. */
  paths(path: RegExp): readonly string[];
  /** "" when the file is absent or no text. */
  text(path: string): string;
}

export interface DetectTarget {
  readonly git: Pick<GitRepo, "root" | "commonDir" | "branch" | "listFiles" | "tags">;
  readonly folder: Folder;
  readonly files: Files;
  /** What this machine can start. */
  readonly programs: Programs;
}

const READ_BYTES = 256 * 1024;

/** Workflow files that are read, in git's order. */
const WORKFLOWS = 40;

export const WORKFLOW = /^\.github\/workflows\/[^/]+\.ya?ml$/;

/** Read for their content; other files count by being there. */
const READ = new RegExp(
  "^(?:" + [
    "package\\.json|deno\\.jsonc?",
    "pyproject\\.toml|setup\\.(?:py|cfg)|tox\\.ini|noxfile\\.py|Pipfile|pytest\\.ini|\\.?mypy\\.ini",
    "(?:[\\w-]*requirements[\\w-]*|requirements/[\\w-]+)\\.txt",
    "[Rr]akefile(?:\\.rb)?|composer\\.json|configure\\.(?:ac|in)|Makefile\\.in",
    "build\\.xml|[^/]+\\.cabal",
    "Cargo\\.toml|GNUmakefile|[mM]akefile|CMakeLists\\.txt|pnpm-lock\\.yaml|\\.yarnrc\\.yml|\\.gitlab-ci\\.yml",
  ].join("|") + ")$",
);

/** They stand in any folder, and tell whether there are tests. */
const NESTED = /(?:^|\/)(?:meson\.build|dune|(?:GNUm|M)akefile\.am|[^/]+\.[cfv][sb]proj)$/;

/** How many of them and of the files that may say a version are read, in git's order. */
const NESTED_FILES = 200;

/** Python names no runner; its tests do. */
export const PYTHON_TESTS = /^tests?\/(?:[^/]+\/)*(?:test_[^/]+|[^/]+_test)\.py$/;

/** How many are read to tell whose tests they are. */
const TEST_FILES = 20;

/** Each folder on the way to a file has a name too. */
function withFolders(paths: readonly string[]): Set<string> {
  const names = new Set<string>();
  for (const path of paths) {
    for (let at = path; at !== "" && !names.has(at);) {
      names.add(at);
      at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
    }
  }
  return names;
}

/** @param below as if this folder were the root, such as `services/auth` */
export async function rootFiles(
  { git, folder, files }: Omit<DetectTarget, "programs">,
  below?: string,
): Promise<RootFiles> {
  const root = below === undefined ? "" : `${below}/`;
  const paths = (await git.listFiles()).paths.filter((path) => path.startsWith(root))
    .map((path) => path.slice(root.length));
  const names = withFolders(paths);
  const texts = new Map<string, string>();
  const workflows = paths.filter((path) => WORKFLOW.test(path)).slice(0, WORKFLOWS);
  const nested = paths.filter((path) =>
    !READ.test(path) && (NESTED.test(path) || saysVersion(path))
  ).slice(0, NESTED_FILES);
  const tests = paths.filter((path) => PYTHON_TESTS.test(path)).slice(0, TEST_FILES);
  const read = paths.filter((path) => READ.test(path));
  for (const path of [...read, ...nested, ...tests, ...workflows]) {
    const found = await look({ folder, files }, `${root}${path}`);
    if (found === undefined || "strange" in found || found.bytes.length > READ_BYTES) continue;
    texts.set(path, new TextDecoder().decode(found.bytes));
  }
  return {
    has: (path) => names.has(path),
    matches: (pattern) => [...names].some((path) => pattern.test(path)),
    paths: (pattern) => [...names].filter((path) => pattern.test(path)).sort(),
    text: (path) => texts.get(path) ?? "",
  };
}
