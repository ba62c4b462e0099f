/** Tables of what files in a repo's root say about its language, tools and checks. */

export interface RootFiles {
  has(name: string): boolean;
  matches(name: RegExp): boolean;
  /** "" when the file is absent or no text. */
  text(name: string): string;
}

export interface DetectedCommand {
  readonly name: string;
  readonly run: readonly string[];
}

interface Ecosystem {
  readonly language: string;
  applies(root: RootFiles): boolean;
  manager(root: RootFiles): string;
  /** The commands that its developers would type: check name → command line. */
  checks(root: RootFiles, manager: string): Readonly<Record<string, string | undefined>>;
}

function byLock(root: RootFiles, rows: readonly (readonly [file: string, name: string])[]) {
  return rows.find(([file]) => root.has(file))?.[1];
}

const NODE_LOCKS = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
] as const;

const PYTHON_LOCKS = [
  ["uv.lock", "uv"],
  ["poetry.lock", "poetry"],
  ["pdm.lock", "pdm"],
  ["Pipfile.lock", "pipenv"],
] as const;

/** Accepts comments and trailing commas; `{}` where the text does not parse. */
function jsonObject(text: string): Record<string, unknown> {
  const bare = text
    .replace(/("(?:[^"\\]|\\[^])*"?)|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g, "$1")
    .replace(/("(?:[^"\\]|\\[^])*"?)|,(\s*[}\]])/g, "$1$2");
  try {
    const value: unknown = JSON.parse(bare);
    return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
  } catch {
    // Its own tool cannot read this file either.
    return {};
  }
}

export function entriesAt(text: string, key: string): Record<string, unknown> {
  const value = jsonObject(text)[key];
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}

function nodeChecks(root: RootFiles, manager: string) {
  const scripts = entriesAt(root.text("package.json"), "scripts");
  const line = (script: string) => {
    const body = scripts[script];
    if (typeof body !== "string" || body.includes("no test specified")) return undefined;
    if (manager === "npm" && script === "test") return "npm test";
    return manager === "npm" || manager === "bun"
      ? `${manager} run ${script}`
      : `${manager} ${script}`;
  };
  return {
    test: line("test"),
    lint: line("lint"),
    typecheck: line("typecheck"),
    build: line("build"),
  };
}

function pythonChecks(root: RootFiles, manager: string) {
  const project = root.text("pyproject.toml");
  const texts = project + root.text("requirements.txt") + root.text("requirements-dev.txt") +
    root.text("setup.cfg") + root.text("Pipfile");
  const prefix = manager === "pip" ? "" : `${manager} run `;
  const pytest = /\bpytest\b/.test(texts) || root.has("pytest.ini") || root.has("conftest.py");
  const module = manager === "pip" ? "python -m " : prefix;
  const test = root.has("tox.ini") || /^\[tool\.tox/m.test(project)
    ? `${prefix}tox`
    : pytest
    ? `${module}pytest`
    : root.has("tests") || root.has("test")
    ? `${prefix}python -m unittest`
    : undefined;
  const ruff = /^\[tool\.ruff/m.test(project) || root.has("ruff.toml") || root.has(".ruff.toml");
  const mypy = /^\[tool\.mypy/m.test(project) || root.has("mypy.ini") || root.has(".mypy.ini");
  return {
    test,
    lint: ruff ? `${prefix}ruff check .` : root.has(".flake8") ? `${prefix}flake8` : undefined,
    typecheck: mypy ? `${prefix}mypy .` : undefined,
  };
}

function denoChecks(root: RootFiles) {
  const tasks = entriesAt(root.text("deno.json") || root.text("deno.jsonc"), "tasks");
  const task = (name: string, otherwise?: string) =>
    name in tasks ? `deno task ${name}` : otherwise;
  return {
    test: task("test", "deno test"),
    lint: task("lint", "deno lint"),
    typecheck: task("check", "deno check"),
    build: task("build"),
  };
}

const MAKE_TARGETS = ["test", "lint", "check", "build"] as const;

function makeTargets(root: RootFiles) {
  const text = ["GNUmakefile", "makefile", "Makefile"].map((name) => root.text(name)).join("\n");
  const has = (target: string) => new RegExp(`^${target}\\s*:(?!=)`, "m").test(text);
  const test = has("test") ? "make test" : undefined;
  return {
    ...Object.fromEntries(
      MAKE_TARGETS.map((target) => [target, has(target) ? `make ${target}` : undefined]),
    ),
    test,
  };
}

/** By preference: a project's own Makefile comes first. */
export const ECOSYSTEMS: readonly Ecosystem[] = [
  {
    language: "make",
    applies: (root) => root.matches(/^(?:GNUm|m|M)akefile$/),
    manager: () => "make",
    checks: makeTargets,
  },
  {
    language: "node",
    applies: (root) => root.has("package.json"),
    manager: (root) => {
      const named = jsonObject(root.text("package.json"))["packageManager"];
      const corepack = typeof named === "string" ? named.split("@")[0] : undefined;
      const known = ["npm", "pnpm", "yarn", "bun"].find((name) => name === corepack);
      return byLock(root, NODE_LOCKS) ?? known ?? "npm";
    },
    checks: nodeChecks,
  },
  {
    language: "deno",
    applies: (root) => root.has("deno.json") || root.has("deno.jsonc"),
    manager: () => "deno",
    checks: denoChecks,
  },
  {
    language: "python",
    applies: (root) =>
      root.matches(/^(?:pyproject\.toml|setup\.(?:py|cfg)|requirements\.txt|tox\.ini|Pipfile)$/),
    manager: (root) =>
      byLock(root, PYTHON_LOCKS) ??
        /^\[tool\.(uv|poetry|pdm)\b/m.exec(root.text("pyproject.toml"))?.[1] ??
        (root.has("Pipfile") ? "pipenv" : "pip"),
    checks: pythonChecks,
  },
  {
    language: "go",
    applies: (root) => root.has("go.mod"),
    manager: () => "go",
    checks: (root) => ({
      test: "go test ./...",
      lint: root.matches(/^\.golangci\./) ? "golangci-lint run" : "go vet ./...",
      build: "go build ./...",
    }),
  },
  {
    language: "rust",
    applies: (root) => root.has("Cargo.toml"),
    manager: () => "cargo",
    checks: (root) => ({
      test: "cargo test",
      lint: root.matches(/^\.?clippy\.toml$/) ? "cargo clippy" : undefined,
      build: "cargo build",
    }),
  },
  {
    language: "java",
    applies: (root) => root.has("pom.xml"),
    manager: () => "maven",
    checks: (root) => {
      const maven = root.has("mvnw") ? "./mvnw" : "mvn";
      return { test: `${maven} test`, build: `${maven} package -DskipTests` };
    },
  },
  {
    language: "java",
    applies: (root) => root.matches(/^(?:build|settings)\.gradle(?:\.kts)?$/),
    manager: () => "gradle",
    checks: (root) => {
      const gradle = root.has("gradlew") ? "./gradlew" : "gradle";
      return { test: `${gradle} test`, build: `${gradle} assemble` };
    },
  },
];

export const VERSION_SOURCES: readonly (readonly [file: string, version: RegExp])[] = [
  ["package.json", /(?:^[ \t]*|[{,]\s*)"version":\s*"(\d+\.\d+\.\d+)"/m],
  ["deno.json", /(?:^[ \t]*|[{,]\s*)"version":\s*"(\d+\.\d+\.\d+)"/m],
  ["Cargo.toml", /^version\s*=\s*"(\d+\.\d+\.\d+)"/m],
  ["pyproject.toml", /^version\s*=\s*"(\d+\.\d+\.\d+)"/m],
];

export const CI: readonly (readonly [path: string, name: string])[] = [
  [".github/workflows", "github-actions"],
  [".gitlab-ci.yml", "gitlab"],
  [".circleci", "circleci"],
  ["Jenkinsfile", "jenkins"],
  ["azure-pipelines.yml", "azure-pipelines"],
  ["bitbucket-pipelines.yml", "bitbucket"],
  [".drone.yml", "drone"],
  [".travis.yml", "travis"],
];

export const DOCS = [
  "README.md",
  "README.rst",
  "README",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "DESIGN.md",
  "docs/architecture.md",
] as const;
