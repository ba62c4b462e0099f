/** Rules on packages: lock files that do not match the manifest, and open versions. */
import { folderOf, nameOf } from "svc/core/path_parts.ts";
import type { Gap } from "svc/features/scanner/facts.ts";
import type { FileRule, RepoRule, ScannedRepo } from "svc/features/scanner/rule.ts";

interface PackageJson {
  readonly version?: unknown;
  readonly private?: unknown;
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly devDependencies?: Readonly<Record<string, unknown>>;
}

/** Undefined for a text that is no JSON object; npm itself reports such a file. */
function jsonObject(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    return undefined;
  }
}

function manifests(repo: ScannedRepo, name: string): string[] {
  return [...repo.files.keys()].filter((path) => {
    if (!path.endsWith(name) || nameOf(path) !== name) return false;
    const { foreign, sample, test } = repo.pathFacts(path);
    return !foreign && !sample && !test;
  });
}

const beside = (path: string, name: string) =>
  folderOf(path) === "" ? name : `${folderOf(path)}/${name}`;

function* npmDrift(repo: ScannedRepo): Generator<Gap> {
  for (const path of manifests(repo, "package.json")) {
    const lockPath = beside(path, "package-lock.json");
    const root = jsonObject(repo.files.get(lockPath)?.text)?.["packages"] as
      | Record<string, PackageJson | null>
      | undefined;
    const locked = root?.[""];
    const wanted = jsonObject(repo.files.get(path)?.text) as PackageJson | undefined;
    if (!locked || wanted === undefined) continue;
    for (const kind of ["dependencies", "devDependencies"] as const) {
      for (const [name, range] of Object.entries(wanted[kind] ?? {})) {
        const found = locked[kind]?.[name];
        if (found === range || typeof range !== "string") continue;
        yield {
          path: lockPath,
          title: `"${name}" is ${found === undefined ? "not locked" : "locked for another range"}`,
          detail: `package.json asks for "${range}"${
            typeof found === "string" ? `, the lock has "${found}"` : ""
          }`,
          key: name,
          fix: "npm install --package-lock-only",
        };
      }
    }
  }
}

function* goDrift(repo: ScannedRepo): Generator<Gap> {
  for (const path of manifests(repo, "go.mod")) {
    const sums = repo.files.get(beside(path, "go.sum"));
    const text = repo.files.get(path)?.text;
    if (text === undefined || (sums !== undefined && sums.text === undefined)) continue;
    const replaced = new Set(
      Array.from(
        text.matchAll(/^[ \t]*(?:replace[ \t]+)?(\S+)(?:[ \t]+v\S+)?[ \t]+=>/gm),
        ([, name]) => name,
      ),
    );
    const wanted = text.replaceAll(/^exclude[ \t]*\([^)]*\)/gm, "");
    for (
      const [, name, version] of wanted.matchAll(
        /^[ \t]*(?:require[ \t]+)?([\w~-]{1,100}(?:[./][\w~-]{0,100})+)[ \t]+(v\S+)/gm,
      )
    ) {
      if (replaced.has(name) || sums?.text?.includes(`${name} ${version}`)) continue;
      yield {
        path,
        title: `go.sum does not know "${name}" ${version}`,
        key: name!,
        fix: "go mod tidy",
      };
    }
  }
}

function tomlNames(text: string, tables: RegExp): string[] {
  const names: string[] = [];
  let inside = false;
  for (const line of text.split("\n").filter(({ length }) => length < 1000)) {
    const table = /^\s*\[+([^\]]+)\]+\s*(?:#.*)?$/.exec(line)?.[1];
    if (table !== undefined) inside = tables.test(table.trim());
    const name = inside ? /^\s*"?([\w.-]+)"?\s*=\s*(.*)$/.exec(line) : null;
    if (name === null || /\b(?:path|workspace|git|package)\s*=/.test(name[2]!)) continue;
    names.push(name[1]!);
  }
  return names;
}

/** The names in `dependencies` of the table [project] (packaging.python.org, "pyproject.toml specification"). */
function projectNames(text: string): string[] {
  const project = text.split(/^\[project\][ \t\r]*$/m, 2)[1]?.split(/^\[/m, 1)[0] ?? "";
  const array = project.split(/^dependencies[ \t]*=[ \t]*\[/m, 2)[1] ?? "";
  const names: string[] = [];
  for (const [part, double, single] of array.matchAll(/"([^"\n]*)"|'([^'\n]*)'|#[^\n]*|\]/g)) {
    if (part === "]") break;
    const name = /^\s*([\w.-]+)/.exec(double ?? single ?? "")?.[1];
    if (name !== undefined) names.push(name);
  }
  return names;
}

const plainName = (name: string) => name.toLowerCase().replace(/[-_.]+/g, "-");

function* tomlDrift(
  repo: ScannedRepo,
  manifest: string,
  lock: string,
  tables: RegExp,
  fix: string,
): Generator<Gap> {
  for (const path of manifests(repo, manifest)) {
    const lockPath = beside(path, lock);
    const locked = repo.files.get(lockPath)?.text;
    const text = repo.files.get(path)?.text;
    if (locked === undefined || text === undefined) continue;
    const names = new Set(
      Array.from(locked.matchAll(/^name = "([^"]+)"/gm), ([, n]) => plainName(n!)),
    );
    const listed = manifest === "pyproject.toml" ? projectNames(text) : [];
    for (const name of [...tomlNames(text, tables), ...listed]) {
      if (names.has(plainName(name)) || name === "python") continue;
      yield { path: lockPath, title: `"${name}" of ${manifest} is not locked`, key: name, fix };
    }
  }
}

const LOCKED = '{"packages": {"": {"dependencies": {"left": "^1.0.0"}}}}\n';

export const lockfileDrift: RepoRule = {
  id: "lockfile-drift",
  severity: "medium",
  type: "bug",
  about: "The lock file does not match the manifest",
  why: "A clean install fails, or installs something else than what was tested.",
  fix: "Run the package manager's install and commit the lock file",
  scope: "repo",
  examples: {
    bad: [
      {
        files: {
          "package.json": '{"dependencies": {"left": "^2.0.0"}}\n',
          "package-lock.json": LOCKED,
        },
      },
      { files: { "go.mod": "module a\n\nrequire github.com/x/y v1.2.0\n", "go.sum": "" } },
      {
        files: {
          "Cargo.toml": '[dependencies]\nserde = "1"\n',
          "Cargo.lock": '[[package]]\nname = "rand"\n',
        },
      },
      {
        files: {
          "pyproject.toml": '[project]\ndependencies = [\n  "httpx>=0.27",\n]\n',
          "uv.lock": '[[package]]\nname = "attrs"\n',
        },
      },
      {
        files: {
          "pyproject.toml": '[project]\ndependencies = ["attrs", "httpx[http2]>=0.27"]\n',
          "uv.lock": '[[package]]\nname = "attrs"\n',
        },
      },
    ],
    good: [
      {
        files: {
          "package.json": '{"dependencies": {"left": "^1.0.0"}}\n',
          "package-lock.json": LOCKED,
        },
      },
      {
        files: {
          "go.mod": "module a\n\ngo 1.24\n\nrequire (\n\tgithub.com/x/y v1.2.0 // indirect\n)\n" +
            "\nexclude (\n\tgithub.com/x/y v1.1.0\n)\n",
          "go.sum": "github.com/x/y v1.2.0 h1:x=\n",
        },
      },
      {
        files: {
          "Cargo.toml": '[dependencies]\nserde = "1"\nlocal = { path = "local" }\n',
          "Cargo.lock": '[[package]]\nname = "serde"\n',
        },
      },
      {
        files: {
          "pyproject.toml": '[project]\ndependencies = [\n  "typing_extensions>=4",\n]\n',
          "uv.lock": '[[package]]\nname = "typing-extensions"\n',
        },
      },
      {
        files: {
          "pyproject.toml": "[project]\ndependencies = ['attrs[tests]'] # no more\n\n" +
            '[tool.ruff.lint]\nselect = [\n  "E",\n  "F",\n]\n\n' +
            '[tool.hatch.envs.test]\ndependencies = [\n  "coverage",\n]\n',
          "uv.lock": '[[package]]\nname = "attrs"\n',
        },
      },
    ],
  },
  *check(repo) {
    yield* npmDrift(repo);
    yield* goDrift(repo);
    const cargo = /^(?:dev-|build-)?dependencies$/;
    yield* tomlDrift(repo, "Cargo.toml", "Cargo.lock", cargo, "cargo update --workspace");
    const poetry = /^tool\.poetry\.(?:dev-)?dependencies$/;
    yield* tomlDrift(repo, "pyproject.toml", "poetry.lock", poetry, "poetry lock");
    yield* tomlDrift(repo, "pyproject.toml", "uv.lock", /^$/, "uv lock");
  },
};

const NPM_LOCKS = ["package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"];

export const lockfilesRival: RepoRule = {
  id: "lockfiles-rival",
  severity: "medium",
  type: "hygiene",
  about: "Lock files of two package managers",
  why: "Each install updates one of them, so what is tested depends on who installs.",
  fix: "Keep the lock file of the package manager that CI uses and delete the other",
  scope: "repo",
  examples: {
    bad: [{ files: { "package.json": "{}\n", "package-lock.json": "{}\n", "yarn.lock": "" } }],
    good: [{
      files: { "package.json": "{}\n", "package-lock.json": "{}\n", "other/yarn.lock": "" },
    }],
  },
  *check(repo) {
    for (const path of manifests(repo, "package.json")) {
      const locks = NPM_LOCKS.filter((name) => {
        const lock = repo.files.get(beside(path, name));
        return lock !== undefined && lock.untracked === undefined;
      });
      if (locks.length < 2) continue;
      yield {
        path: beside(path, locks[1]!),
        title: `${locks.join(" and ")} lie side by side`,
        key: locks.join(" "),
      };
    }
  },
};

export const lockfileMissing: RepoRule = {
  id: "lockfile-missing",
  severity: "medium",
  type: "hygiene",
  about: "An application without a lock file",
  why: "Each install picks the newest versions, so a build of last week cannot be repeated.",
  fix: "Commit the lock file of the package manager",
  scope: "repo",
  examples: {
    bad: [
      { files: { "package.json": '{"private": true, "dependencies": {"left": "1"}}\n' } },
      { files: { "Cargo.toml": '[dependencies]\nserde = "1"\n', "src/main.rs": "fn main() {}\n" } },
    ],
    good: [
      { files: { "package.json": '{"name": "lib", "dependencies": {"left": "1"}}\n' } },
      { files: { "package.json": '{"private": true}\n' } },
      { files: { "Cargo.toml": '[dependencies]\nserde = "1"\n', "src/lib.rs": "" } },
    ],
  },
  *check(repo) {
    const root = jsonObject(repo.files.get("package.json")?.text) as PackageJson | undefined;
    const needs = Object.keys({ ...root?.dependencies, ...root?.devDependencies }).length > 0;
    const npm = [...NPM_LOCKS, "deno.lock", "npm-shrinkwrap.json"];
    if (root?.private === true && needs && !npm.some((name) => repo.files.has(name))) {
      yield {
        path: "package.json",
        title: "No lock file beside package.json",
        key: "npm",
        fix: "npm install, then commit package-lock.json",
      };
    }
    const cargo = repo.files.get("Cargo.toml")?.text ?? "";
    if (
      repo.files.has("src/main.rs") && /^\[dependencies\][ \t\r]*\n\s*\w/m.test(cargo) &&
      !repo.files.has("Cargo.lock")
    ) {
      yield {
        path: "Cargo.toml",
        title: "No Cargo.lock for a program",
        key: "cargo",
        fix: "cargo generate-lockfile",
      };
    }
  },
};

/** Where each text in quotes stands first, from 1: a file may name tens of thousands. */
function firstLines(lines: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [at, line] of lines.entries()) {
    for (const [, text] of line.matchAll(/"((?:[^"\\]|\\.)*)"/g)) {
      if (!found.has(text!)) found.set(text!, at + 1);
    }
  }
  return found;
}

export const dependencyOpen: FileRule = {
  id: "dependency-open",
  severity: "medium",
  type: "hygiene",
  about: "A dependency takes any version",
  why: '"*" and "latest" let a breaking or hostile release in without anyone\'s change.',
  fix: 'Name a range, such as "^2.1.0"',
  scope: "file",
  examples: {
    bad: [{ files: { "package.json": '{\n  "dependencies": {\n    "left": "*"\n  }\n}\n' } }],
    good: [{
      files: {
        "package.json":
          '{\n  "dependencies": {\n    "left": "^1.0.0",\n    "own": "workspace:*"\n  },\n' +
          '  "peerDependencies": {\n    "react": "*"\n  }\n}\n',
      },
    }],
  },
  *check({ path, text, lines, place }) {
    if (nameOf(path) !== "package.json" || place.sample || place.test) return;
    const json = jsonObject(text) as PackageJson | undefined;
    const open = Object.entries({ ...json?.devDependencies, ...json?.dependencies })
      .filter(([, range]) => range === "*" || range === "latest" || range === "x");
    if (open.length === 0) return;
    const lineOf = firstLines(lines);
    for (const [name, range] of open) {
      const line = lineOf.get(name) ?? 0;
      yield { line, title: `"${name}" is asked for as "${range}"`, key: name };
    }
  },
};

export const versionDrift: RepoRule = {
  id: "version-drift",
  severity: "medium",
  type: "bug",
  about: "Two files name different versions",
  why: "What is released says one version and claims to be another.",
  fix: "Write the same version in both, or read one from the other",
  scope: "repo",
  examples: {
    bad: [{ files: { VERSION: "1.2.0\n", "package.json": '{"version": "1.1.0"}\n' } }],
    good: [
      { files: { VERSION: "v1.2.0\n", "package.json": '{"version": "1.2.0"}\n' } },
      { files: { VERSION: "1.2.0\n", "package.json": '{"version": "0.0.0"}\n' } },
    ],
  },
  *check(repo) {
    const version = repo.files.get("VERSION")?.text?.trim().replace(/^v/, "");
    if (version === undefined || !/^\d+\.\d+/.test(version)) return;
    const json = jsonObject(repo.files.get("package.json")?.text) as PackageJson | undefined;
    const toml = (path: string) =>
      /^version\s*=\s*"([^"]+)"/m.exec(repo.files.get(path)?.text ?? "")?.[1];
    const others = {
      "package.json": json?.version,
      "pyproject.toml": toml("pyproject.toml"),
      "Cargo.toml": toml("Cargo.toml"),
    };
    for (const [path, other] of Object.entries(others)) {
      if (typeof other !== "string" || /^0\.0\.0/.test(other) || other === version) continue;
      yield { path, title: `VERSION says "${version}", ${path} "${other}"`, key: path };
    }
  },
};
