/** Tables of what files in a repo's root say about its language, tools and checks. */
import { cmakeOffers, MAKEFILE, makeOffers } from "./candidates/native.ts";
import { type Ecosystem, offer } from "./candidates/candidate.ts";
import { nodeManager, nodeOffers } from "./candidates/node.ts";
import { pythonManager, pythonOffers } from "./candidates/python.ts";
import { entriesAt } from "./json_text.ts";
import type { RootFiles } from "./root_files.ts";

function denoOffers(root: RootFiles) {
  const source = root.has("deno.json") ? "deno.json" : "deno.jsonc";
  const tasks = entriesAt(root.text(source), "tasks");
  const task = (name: string, otherwise?: string) =>
    offer(source, name in tasks ? `deno task ${name}` : otherwise);
  return {
    test: task("test", "deno test"),
    lint: task("lint", "deno lint"),
    typecheck: task("check", "deno check"),
    build: task("build"),
  };
}

const GRADLE = /^(?:build|settings)\.gradle(?:\.kts)?$/;

/** By preference: what builds the whole project comes first, its own Makefile among it. */
export const ECOSYSTEMS: readonly Ecosystem[] = [
  {
    language: "c",
    applies: (root) => root.has("CMakeLists.txt"),
    manager: () => "cmake",
    offers: cmakeOffers,
  },
  {
    language: "make",
    applies: (root) => root.matches(MAKEFILE),
    manager: () => "make",
    offers: makeOffers,
  },
  {
    language: "node",
    applies: (root) => root.has("package.json"),
    manager: nodeManager,
    offers: nodeOffers,
  },
  {
    language: "deno",
    applies: (root) => root.has("deno.json") || root.has("deno.jsonc"),
    manager: () => "deno",
    offers: denoOffers,
  },
  {
    language: "python",
    applies: (root) =>
      root.matches(/^(?:pyproject\.toml|setup\.(?:py|cfg)|requirements\.txt|tox\.ini|Pipfile)$/),
    manager: pythonManager,
    offers: pythonOffers,
  },
  {
    language: "go",
    applies: (root) => root.has("go.mod"),
    manager: () => "go",
    offers: (root) => ({
      test: offer("go.mod", "go test ./..."),
      lint: offer("go.mod", root.matches(/^\.golangci\./) ? "golangci-lint run" : "go vet ./..."),
      build: offer("go.mod", "go build ./..."),
    }),
  },
  {
    language: "rust",
    applies: (root) => root.has("Cargo.toml"),
    manager: () => "cargo",
    offers: (root) => ({
      test: offer("Cargo.toml", "cargo test"),
      lint: offer("Cargo.toml", root.matches(/^\.?clippy\.toml$/) ? "cargo clippy" : undefined),
      build: offer("Cargo.toml", "cargo build"),
    }),
  },
  {
    language: "java",
    applies: (root) => root.has("pom.xml"),
    manager: () => "maven",
    offers: (root) => {
      const maven = root.has("mvnw") ? "./mvnw" : "mvn";
      return {
        test: offer("pom.xml", `${maven} test`),
        build: offer("pom.xml", `${maven} package -DskipTests`),
      };
    },
  },
  {
    language: "java",
    applies: (root) => root.matches(GRADLE),
    manager: () => "gradle",
    offers: (root) => {
      const gradle = root.has("gradlew") ? "./gradlew" : "gradle";
      return {
        test: offer("build.gradle", `${gradle} test`),
        build: offer("build.gradle", `${gradle} assemble`),
      };
    },
  },
];

/** Told by file endings where nothing in the root tells: projects that only make or their own tools build. */
export const WRITTEN_IN: readonly (readonly [language: string, files: RegExp])[] = [
  ["c", /\.[ch]$/],
  ["c++", /\.(?:cc|cpp|cxx|hh|hpp|hxx)$/],
  ["c#", /\.cs$/],
  ["elixir", /\.exs?$/],
  ["go", /\.go$/],
  ["haskell", /\.hs$/],
  ["java", /\.java$/],
  ["kotlin", /\.kts?$/],
  ["lua", /\.lua$/],
  ["perl", /\.(?:pl|pm)$/],
  ["php", /\.php$/],
  ["python", /\.py$/],
  ["ruby", /\.rb$/],
  ["rust", /\.rs$/],
  ["shell", /\.(?:sh|bash|zsh)$/],
  ["swift", /\.swift$/],
  ["typescript", /\.[cm]?tsx?$/],
  ["javascript", /\.[cm]?jsx?$/],
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
