/** Rules on guidance for agents and people: AGENTS.md, README, licence. */
import { nameOf } from "svc/core/path_parts.ts";
import type { ScannedFile } from "svc/features/scanner/facts.ts";
import { isProduct } from "svc/features/scanner/path_facts.ts";
import { perRepo, type RepoRule, type ScannedRepo } from "svc/features/scanner/rule.ts";
import { gonePaths } from "./paths_named.ts";

const GUIDANCE = "AGENTS.md";
/** Also `MIT-LICENSE`; licences of others, as in THIRD_PARTY_LICENSES, are none of the repo's own. */
const LICENCE =
  /^(?:(?:mit|isc|bsd|apache|[al]?gpl|mpl|epl|eupl)[\w.]{0,12}[._-])?(?:licen[cs]e|copying|unlicense)(?:[._-].*)?$/i;
/** The folder of a REUSE project (reuse.software/spec-3.3). */
const LICENCES = "LICENSES/";

const CODE = "export const one = 1;\n";

export const productFiles = perRepo((repo): readonly (readonly [string, ScannedFile])[] =>
  [...repo.files].filter(([path, facts]) =>
    facts.noText === undefined && facts.generated === undefined && isProduct(repo.pathFacts(path))
  )
);

function isPrivatePackage(text: string | undefined): boolean {
  return /"private"\s*:\s*true/.test(text ?? "");
}

export const agentsMissing: RepoRule = {
  id: "agents-missing",
  severity: "low",
  type: "docs",
  about: "No AGENTS.md",
  why: "Agents guess how to build, test and write here, and guess differently each time.",
  fix: "Add AGENTS.md: how to build and test, where things lie, what not to touch",
  scope: "repo",
  examples: {
    bad: [{ files: { "src/a.ts": CODE } }],
    good: [
      { files: { "src/a.ts": CODE, "AGENTS.md": "Run the tests with make.\n" } },
      { files: { "notes.md": "No code here.\n" } },
    ],
  },
  *check(repo) {
    if (repo.files.has(GUIDANCE) || productFiles(repo).length === 0) return;
    yield { title: "The repo has no AGENTS.md", key: GUIDANCE };
  },
};

export const agentsStale: RepoRule = {
  id: "agents-stale",
  severity: "medium",
  type: "docs",
  about: "AGENTS.md names what is gone",
  why: "Agents follow it to the letter: a path or script that is gone sends each run astray.",
  fix: "Correct or remove the line in AGENTS.md",
  scope: "repo",
  examples: {
    bad: [
      { files: { "AGENTS.md": "Rules are in `src/rules.ts`.\n", "src/a.ts": CODE } },
      {
        files: {
          "AGENTS.md": "# Build\n\nRun `npm run verify` first.\n",
          "package.json": '{"scripts": {"test": "node --test"}}\n',
        },
      },
    ],
    good: [
      {
        files: {
          "AGENTS.md": "Rules are in `src/a.ts`, the output in `dist/a.js`.\n",
          "src/a.ts": CODE,
        },
      },
      {
        files: {
          "AGENTS.md": "Run `npm run verify` first.\n",
          "package.json": '{"scripts": {"verify": "node --test"}}\n',
        },
      },
      {
        files: {
          "AGENTS.md":
            "`npm run --silent verify`, `bun run src/a.ts`, `yarn run tsc`; `cd web && npm run dev`.\n",
          "package.json": '{"scripts": {"verify": "node --test"}}\n',
          "web/package.json": '{"scripts": {"dev": "vite"}}\n',
          "src/a.ts": CODE,
        },
      },
    ],
  },
  *check(repo) {
    for (const [path, facts] of repo.files) {
      if (
        nameOf(path) !== GUIDANCE || repo.pathFacts(path).foreign || repo.pathFacts(path).sample
      ) {
        continue;
      }
      yield* gonePaths(repo, path, facts);
      if (path === GUIDANCE) yield* goneScripts(repo);
    }
  },
};

/** `npm run x` where no package.json has a script x; what `yarn run` and `bun run` take may be a program or a file. */
function* goneScripts(repo: ScannedRepo) {
  const lines = (repo.files.get(GUIDANCE)?.text ?? "").split("\n");
  if (!repo.files.has("package.json") || lines.some((line) => line.includes("workspace"))) return;
  const packages = [...repo.files].filter(([path]) => nameOf(path) === "package.json");
  const isThere = (name: string) =>
    packages.some(([, { text }]) => text === undefined || text.includes(`"${name}"`));
  for (const [at, line] of lines.entries()) {
    for (const { 1: name } of line.matchAll(/\bp?npm run (?:--?[\w-]+ )*(\w[\w:.-]*)/g)) {
      if (isThere(name!.replace(/[:.-]+$/, ""))) continue;
      yield {
        path: GUIDANCE,
        line: at + 1,
        title: `It names the script "${name}", which package.json does not have`,
        key: `script ${name}`,
      };
    }
  }
}

export const readmeMissing: RepoRule = {
  id: "readme-missing",
  severity: "medium",
  type: "docs",
  about: "No README",
  why: "Whoever comes here first cannot tell what this is or how to start it.",
  fix: "Add README.md: what it is, how to install it, one example",
  scope: "repo",
  examples: {
    bad: [{ files: { "src/a.ts": CODE } }],
    good: [{ files: { "src/a.ts": CODE, "README.rst": "A\n=\n" } }],
  },
  *check(repo) {
    const paths = [...repo.files.keys()];
    if (productFiles(repo).length === 0) return;
    if (paths.some((path) => /^(?:\.github\/|docs\/)?readme(?:\.\w+)*$/i.test(path))) return;
    yield { title: "The repo has no README", key: "README" };
  },
};

export const licenceMissing: RepoRule = {
  id: "licence-missing",
  severity: "medium",
  type: "hygiene",
  about: "No licence",
  why: "Without one nobody may lawfully use, copy or change the code, though it can be downloaded.",
  fix: "Add a LICENSE file; https://choosealicense.com helps to choose",
  scope: "repo",
  examples: {
    bad: [
      { files: { "package.json": '{"name": "a"}\n', "src/a.ts": CODE } },
      {
        files: {
          "go.mod": "module a\n",
          "THIRD_PARTY_LICENSES.txt": "MIT\n",
          "a.go": "package a\n",
        },
      },
    ],
    good: [
      { files: { "package.json": '{"name": "a"}\n', LICENSE: "MIT\n", "src/a.ts": CODE } },
      { files: { "package.json": '{"private": true}\n', "src/a.ts": CODE } },
      { files: { "go.mod": "module a\n", "MIT-LICENSE": "MIT\n", "a.go": "package a\n" } },
      { files: { "go.mod": "module a\n", "LICENSES/MIT.txt": "MIT\n", "a.go": "package a\n" } },
    ],
  },
  *check(repo) {
    const published = ["package.json", "pyproject.toml", "Cargo.toml", "go.mod", "setup.py"]
      .find((path) => repo.files.has(path));
    if (published === undefined || isPrivatePackage(repo.files.get(published)?.text)) return;
    for (const path of repo.files.keys()) {
      const parts = path.split("/");
      if (path.startsWith(LICENCES)) return;
      if (parts.length <= 2 && (LICENCE.test(parts[0]!) || LICENCE.test(parts[1] ?? ""))) return;
    }
    yield { title: "The repo has no licence file", key: "LICENSE" };
  },
};
