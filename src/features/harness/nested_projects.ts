/** Projects below the root of a repo that has none there: their set-up and checks, each begun in its folder. */
import type { Programs } from "svc/platform/process/program.ts";
import { type DetectedCommand, programsOf } from "./candidates/candidate.ts";
import { type CandidateGroup, checkGroups } from "./candidates/choose.ts";
import { begunIn } from "./candidates/in_folder.ts";
import { commandName } from "./command_name.ts";
import type { RootFiles } from "./root_files.ts";
import { setupOf } from "./setup_commands.ts";

/** Files of tools by which a folder may be a project. */
const MARKER =
  /^(?:package\.json|deno\.jsonc?|pyproject\.toml|setup\.(?:py|cfg)|requirements\.txt|tox\.ini|Pipfile|go\.mod|Cargo\.toml|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|build\.xml|Makefile\.PL|Build\.PL|Gemfile|[Rr]akefile|composer\.json|mix\.exs|[^/]+\.(?:slnx?|[cfv][sb]proj|gemspec|cabal|rockspec)|Package\.swift|stack\.yaml|dune-project|rebar\.config|CMakeLists\.txt|meson\.build|configure\.(?:ac|in)|(?:GNUm|m|M)akefile)$/;

/** What lies in them is not what the repo is for. */
const ASIDE =
  /^(?:\..*|_.*|(?:docs?|examples?|samples?|demos?|fixtures?|(?:\w+[-_])?tests?|testdata|spec|templates?|vendor|vendored|third[_-]?party|thirdparty|external|extern|deps|node_modules|contrib|debian|benchmarks?|bench|dist|build))$/i;

/** Folders with such files that are looked at; a repo with more says itself what is to be run. */
const LOOKED_AT = 60;

/** Projects whose checks are taken: with more, each ticket would wait for hours. */
const TAKEN = 20;

export interface NestedProject {
  /** Below the root, such as `services/auth`. */
  readonly folder: string;
  readonly files: RootFiles;
}

/** The outermost folders, two levels deep at most, in their order. */
export function projectFolders(root: Pick<RootFiles, "paths">): string[] {
  const found = new Set<string>();
  for (const path of root.paths(/^(?:[^/]+\/){1,2}[^/]+$/)) {
    const cut = path.lastIndexOf("/");
    const folder = path.slice(0, cut);
    if (!MARKER.test(path.slice(cut + 1))) continue;
    if (!folder.split("/").some((part) => ASIDE.test(part))) found.add(folder);
  }
  return found.size > LOOKED_AT ? [] : [...found].sort();
}

/** Each name once: a long one was cut, and two folders may differ in signs alone. */
function withOwnNames<T extends { readonly name: string }>(
  all: readonly T[],
): (T & { name: string })[] {
  const seen = new Map<string, number>();
  return all.map((one) => {
    const times = (seen.get(one.name) ?? 0) + 1;
    seen.set(one.name, times);
    return times === 1 ? one : { ...one, name: commandName(`${one.name}-${times}`) };
  });
}

interface NestedCommands {
  readonly taken: readonly NestedProject[];
  readonly groups: readonly CandidateGroup[];
  readonly setup: readonly DetectedCommand[];
}

export function nestedCommands(
  projects: readonly NestedProject[],
  programs: Programs,
): NestedCommands {
  const taken: (NestedProject & { readonly groups: CandidateGroup[] })[] = [];
  for (const project of projects) {
    // A folder of a project is a part of it.
    if (taken.some(({ folder }) => project.folder.startsWith(`${folder}/`))) continue;
    const groups = checkGroups(project.files, programs);
    if (groups.length > 0) taken.push({ ...project, groups });
  }
  if (taken.length > TAKEN) return { taken: [], groups: [], setup: [] };
  const several = taken.length > 1;
  const groups = taken.flatMap(({ folder, groups }) =>
    groups.map(({ candidates }) => {
      const here = candidates.map((one) => ({
        ...one,
        ...begunIn(folder, one, several),
        source: `${folder}/${one.source}`,
        needs: ["sh", ...programsOf(one)],
      }));
      return { name: here[0]!.name, candidates: here };
    })
  );
  const setup = taken.flatMap(({ folder, files }) =>
    setupOf(files, programs).map((one) => begunIn(folder, one, several))
  );
  return {
    taken,
    groups: withOwnNames(groups).map(({ name, candidates }) => ({
      name,
      candidates: candidates.map((one) => ({ ...one, name })),
    })),
    setup: withOwnNames(setup),
  };
}
