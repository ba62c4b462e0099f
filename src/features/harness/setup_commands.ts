/** Finds by lock file what makes a fresh clone workable, and where that puts its files. */
import { ANY_PROGRAM, type DetectedCommand } from "./candidates/candidate.ts";
import type { Programs } from "svc/platform/process/program.ts";
import { mesonFills } from "./candidates/configured.ts";
import { cmakeFills } from "./candidates/native.ts";
import { managerWords } from "./candidates/node.ts";
import { pythonFills, venvSetup } from "./candidates/python.ts";
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

/** Yarn 2 and later dropped `--frozen-lockfile` (yarnpkg.com/cli/install); only they have `.yarnrc.yml`. */
function yarnLine(root: RootFiles): string {
  const berry = root.has(".yarnrc.yml") ||
    /"packageManager"\s*:\s*"yarn@[2-9]/.test(root.text("package.json"));
  return berry ? "yarn install --immutable" : "yarn install --frozen-lockfile";
}

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

const nameIn = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** What `pip install -r` reads is to pip what a lock file is to others. */
const REQUIREMENTS = /(?:^|\/)(?:[^/]*requirements[^/]*|requirements\/[^/]+)\.txt$/;

const locksOf = (rows: readonly SetupRow[]): string[] => rows.map(({ lock }) => lock);

const LOCKS: ReadonlySet<string> = new Set(locksOf(GROUPS.flat()));

/** What says what is installed where none of these lock files does. */
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

export function setupOf(root: RootFiles, programs: Programs = ANY_PROGRAM): DetectedCommand[] {
  const found = GROUPS.flatMap((rows) => {
    const row = rows.find(({ lock }) => root.has(lock));
    if (row === undefined) return [];
    const line = typeof row.line === "string" ? row.line : row.line(root);
    const [manager = "", ...words] = line.split(" ");
    return [{ name: row.name, run: [...managerWords(root, programs, manager), ...words] }];
  });
  const node = NODE.some(({ lock }) => root.has(lock)) ? undefined : withoutLock(root);
  return [...node === undefined ? [] : [node], ...found, ...venvSetup(root, programs)];
}

/** Folders that the commands fill inside the work tree, as lines of `.gitignore`. */
export function filledBy(commands: readonly DetectedCommand[]): string[] {
  const rows = GROUPS.flat();
  const folders = commands.flatMap(({ name, run }) => [
    rows.find((row) => row.name === name)?.fills,
    cmakeFills(run),
    mesonFills(run),
    ...pythonFills(run),
  ]);
  return [...new Set(folders.filter((folder) => folder !== undefined))];
}
