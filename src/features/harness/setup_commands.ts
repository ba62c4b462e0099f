/** Finds by lock file, or for want of one, what makes a fresh clone workable, and where that puts its files. */
import { ANY_PROGRAM, type DetectedCommand, isHere, type Offers } from "./candidates/candidate.ts";
import type { Programs } from "svc/platform/process/program.ts";
import { mesonFills } from "./candidates/configured.ts";
import { runsThere } from "./candidates/in_folder.ts";
import { cmakeFills } from "./candidates/native.ts";
import { isYarnBerry, managerWords } from "./candidates/node.ts";
import { pythonFills, pythonManager, pythonOffers, venvSetup } from "./candidates/python.ts";
import { phpOffers, rubyOffers } from "./candidates/scripting.ts";
import { entriesAt } from "./json_text.ts";
import type { RootFiles } from "./root_files.ts";

interface SetupRow {
  /** Name of the step. */
  readonly name: string;
  readonly lock: string;
  readonly line: string | ((root: RootFiles) => string);
  /** Folder in the work tree that it fills, which git must ignore. */
  readonly fills?: string;
}

/** Yarn 2 and later dropped `--frozen-lockfile` (yarnpkg.com/cli/install). */
const yarnLine = (root: RootFiles): string =>
  isYarnBerry(root) ? "yarn install --immutable" : "yarn install --frozen-lockfile";

const NODE: readonly SetupRow[] = [
  {
    name: "pnpm",
    lock: "pnpm-lock.yaml",
    line: "pnpm install --frozen-lockfile",
    fills: "node_modules",
  },
  { name: "yarn", lock: "yarn.lock", line: yarnLine, fills: "node_modules" },
  ...["bun.lock", "bun.lockb"].map((lock) => ({
    ...{ name: "bun", lock, line: "bun install --frozen-lockfile", fills: "node_modules" },
  })),
  ...["npm-shrinkwrap.json", "package-lock.json"].map((lock) => ({
    ...{ name: "npm", lock, line: "npm ci", fills: "node_modules" },
  })),
];

const PYTHON: readonly SetupRow[] = [
  { name: "uv", lock: "uv.lock", line: "uv sync --locked", fills: ".venv" },
  { name: "poetry", lock: "poetry.lock", line: "poetry install --no-interaction" },
  { name: "pdm", lock: "pdm.lock", line: "pdm sync", fills: ".venv" },
  { name: "pipenv", lock: "Pipfile.lock", line: "pipenv sync --dev" },
];

/** The first lock file of a group tells the tool of its project. */
const GROUPS: readonly (readonly SetupRow[])[] = [
  NODE,
  PYTHON,
  [{ name: "cargo", lock: "Cargo.lock", line: "cargo fetch --locked" }],
  [{ name: "go", lock: "go.sum", line: "go mod download" }],
  [{ name: "bundler", lock: "Gemfile.lock", line: "bundle install" }],
  [{
    name: "composer",
    lock: "composer.lock",
    line: "composer install --no-interaction",
    fills: "vendor",
  }],
  [{ name: "mix", lock: "mix.lock", line: "mix deps.get", fills: "deps" }],
];

/** For projects that commit no lock file, as libraries do: each writes one, which git then has to ignore. */
const UNLOCKED: readonly SetupRow[] = [
  { name: "bundler-unlocked", lock: "Gemfile.lock", line: "bundle install" },
  {
    ...{ name: "composer-unlocked", lock: "composer.lock", fills: "vendor" },
    line: "composer install --no-interaction",
  },
  { name: "uv-unlocked", lock: "uv.lock", line: "uv sync", fills: ".venv" },
  { name: "poetry-unlocked", lock: "poetry.lock", line: "poetry install --no-interaction" },
  { name: "pdm-unlocked", lock: "pdm.lock", line: "pdm install", fills: ".venv" },
  { name: "pipenv-unlocked", lock: "Pipfile.lock", line: "pipenv install --dev" },
];

const nameIn = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** What `pip install -r` reads is to pip what a lock file is to others. */
const REQUIREMENTS = /(?:^|\/)(?:[^/]*requirements[^/]*|requirements\/[^/]+)\.txt$/;

const locksOf = (rows: readonly SetupRow[]): string[] => rows.map(({ lock }) => lock);

const LOCKS: ReadonlySet<string> = new Set(locksOf(GROUPS.flat()));

/** Files that determine what is installed if there is none of these lock files. */
const DEPENDENCIES: readonly (readonly [file: RegExp, locks: readonly string[]])[] = [
  [/^package\.json$/, locksOf(NODE)],
  [/^(?:pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|Pipfile)$/, locksOf(PYTHON)],
  [/^Cargo\.toml$/, ["Cargo.lock"]],
  [/^go\.mod$/, ["go.sum"]],
  [/^(?:Gemfile|.+\.gemspec)$/, ["Gemfile.lock"]],
  [/^composer\.json$/, ["composer.lock"]],
  [/^mix\.exs$/, ["mix.lock"]],
];

/** A lock file of the folder or of one above it, as in a workspace; not one of an example elsewhere. */
function isLocked(path: string, locks: readonly string[], paths: ReadonlySet<string>): boolean {
  const parts = path.split("/");
  return parts.some((_, depth) =>
    locks.some((lock) => paths.has([...parts.slice(0, depth), lock].join("/")))
  );
}

/** Those of the files whose change makes the set-up run again. */
export function setupFiles(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return paths.filter((path) => {
    const name = nameIn(path);
    if (LOCKS.has(name) || REQUIREMENTS.test(path)) return true;
    const locks = DEPENDENCIES.find(([file]) => file.test(name))?.[1];
    return locks !== undefined && !isLocked(path, locks, all);
  });
}

/** npm would write a lock file that the project does not want, and its checks would then meet it. */
const NPM_WITHOUT_LOCK = "npm install --no-package-lock --no-audit --no-fund";

function withoutLock(root: RootFiles): DetectedCommand | undefined {
  const text = root.text("package.json");
  if (root.has("deno.json") || root.has("deno.jsonc")) return undefined;
  const installs = ["dependencies", "devDependencies"].some((key) =>
    Object.keys(entriesAt(text, key)).length > 0
  );
  const others = /"packageManager"\s*:\s*"(?!npm@)/.test(text);
  return installs && !others ? { name: "npm", run: NPM_WITHOUT_LOCK.split(" ") } : undefined;
}

/** The first words of the checks that are taken as long as nothing is tried. */
const starting = (offers: Offers, programs: Programs): ReadonlySet<string | undefined> =>
  new Set(
    Object.values(offers).map((all) =>
      (all.find((one) => isHere(one, programs)) ?? all[0])?.run[0]
    ),
  );

/** Only for checks: a `Gemfile` may also be that of a site or of a tool for releases. */
function withoutLocks(root: RootFiles, programs: Programs): SetupRow[] {
  const ruby = root.has("Gemfile") && starting(rubyOffers(root), programs).has("bundle");
  const php = Object.values(phpOffers(root)).some((offers) => offers.length > 0);
  const manager = pythonManager(root);
  const python = starting(pythonOffers(root, programs), programs).has(manager);
  const names = [ruby && "bundler", php && "composer", python && manager]
    .map((name) => `${name}-unlocked`);
  return UNLOCKED.filter(({ name, lock }) => names.includes(name) && !root.has(lock));
}

export function setupOf(root: RootFiles, programs: Programs = ANY_PROGRAM): DetectedCommand[] {
  const locked = GROUPS.map((rows) => rows.find(({ lock }) => root.has(lock)))
    .filter((row) => row !== undefined);
  const found = [...locked, ...withoutLocks(root, programs)].map((row) => {
    const line = typeof row.line === "string" ? row.line : row.line(root);
    const [manager = "", ...words] = line.split(" ");
    return { name: row.name, run: [...managerWords(root, programs, manager), ...words] };
  });
  const node = NODE.some(({ lock }) => root.has(lock)) ? undefined : withoutLock(root);
  return [...node === undefined ? [] : [node], ...found, ...venvSetup(root, programs)];
}

/** What the commands make inside the work tree and git has to ignore: folders, and files by their endings. */
export function filledBy(all: readonly DetectedCommand[]): string[] {
  const rows = [...GROUPS.flat(), ...UNLOCKED];
  const commands = [...all, ...all.flatMap(runsThere)];
  /** Also `services-auth-npm`, and a second one of that name. */
  const isOf = (name: string) => (row: SetupRow) =>
    `-${name.replace(/-\d+$/, "")}`.endsWith(`-${row.name}`);
  const folders = commands.flatMap(({ name, run }) => [
    rows.find(isOf(name))?.fills,
    UNLOCKED.find(isOf(name))?.lock,
    cmakeFills(run),
    mesonFills(run),
    ...pythonFills(run),
  ]);
  return [...new Set(folders.filter((folder) => folder !== undefined))];
}

/** True for the files among what commands make. */
export const isLockName = (name: string): boolean => LOCKS.has(name);
