/** Looks at a repo: its languages, package managers, checks, default branch, docs and CI. */
import type { Files } from "svc/platform/files/files.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { look } from "svc/platform/files/journal_target.ts";
import {
  CI,
  type DetectedCommand,
  DOCS,
  ECOSYSTEMS,
  type RootFiles,
  VERSION_SOURCES,
} from "./ecosystems.ts";
import { setupOf } from "./setup_commands.ts";

const DETECT_BYTES = 256 * 1024;

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

interface DetectTarget {
  readonly git: Pick<GitRepo, "root" | "commonDir" | "branch">;
  readonly folder: Folder;
  readonly files: Files;
}

const FIRST_VERSION = "0.1.0";

/** Read for their content; other files count by being there. */
const READ = [
  ...["package.json", "deno.json", "deno.jsonc", "pyproject.toml", "requirements.txt"],
  ...["requirements-dev.txt", "setup.cfg", "Pipfile", "Cargo.toml"],
  ...["GNUmakefile", "makefile", "Makefile"],
];

async function rootFiles({ folder, files }: DetectTarget): Promise<RootFiles> {
  const names = new Set((await folder.list(".")).entries.map(({ name }) => name));
  const texts = new Map<string, string>();
  for (const name of READ) {
    if (!names.has(name)) continue;
    const found = await look({ folder, files }, name);
    if (found === undefined || "strange" in found || found.bytes.length > DETECT_BYTES) continue;
    texts.set(name, new TextDecoder().decode(found.bytes));
  }
  return {
    has: (name) => names.has(name),
    matches: (pattern) => [...names].some((name) => pattern.test(name)),
    text: (name) => texts.get(name) ?? "",
  };
}

/** The first language keeps the plain check name; others prefix theirs. */
export function checksOf(root: RootFiles): DetectedCommand[] {
  const checks = new Map<string, DetectedCommand>();
  let wrapped = false;
  for (const ecosystem of ECOSYSTEMS) {
    if (!ecosystem.applies(root)) continue;
    for (const [check, line] of Object.entries(ecosystem.checks(root, ecosystem.manager(root)))) {
      // The project's own Makefile runs the tools below it.
      if (line === undefined || (wrapped && checks.has(check))) continue;
      const name = checks.has(check) ? `${ecosystem.language}-${check}` : check;
      if (!checks.has(name)) checks.set(name, { name, run: line.split(" ") });
    }
    wrapped ||= ecosystem.language === "make" && checks.has("test");
  }
  return [...checks.values()];
}

/** The remote's default branch, else the current one. */
async function defaultBranch({ git, files }: DetectTarget): Promise<string> {
  const path = `${git.commonDir}/refs/remotes/origin/HEAD`;
  const facts = await files.stat(path);
  const head = facts?.kind === "file"
    ? await files.readText(path, { maxBytes: DETECT_BYTES, lossy: true })
    : "";
  return /^ref: refs\/remotes\/origin\/(\S+)$/m.exec(head)?.[1] ?? git.branch ?? "main";
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

export async function detect(target: DetectTarget): Promise<Project> {
  const root = await rootFiles(target);
  const here = ECOSYSTEMS.filter((ecosystem) => ecosystem.applies(root));
  const version = VERSION_SOURCES.map(([file, pattern]) => pattern.exec(root.text(file))?.[1])
    .find((found) => found !== undefined);
  const ci = await present(target.folder, CI.map(([path]) => path));
  return {
    name: target.git.root.slice(target.git.root.lastIndexOf("/") + 1) || "repo",
    version: version ?? FIRST_VERSION,
    default_branch: await defaultBranch(target),
    languages: [...new Set(here.map(({ language }) => language))].filter((it) => it !== "make"),
    package_managers: [...new Set(here.map((ecosystem) => ecosystem.manager(root)))],
    setup: setupOf(root),
    checks: checksOf(root),
    docs: await present(target.folder, DOCS),
    ci: CI.filter(([path]) => ci.includes(path)).map(([, name]) => name),
  };
}
