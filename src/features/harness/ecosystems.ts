/** Tables of what files in a repo's root say about its language, tools and checks. */
import { cmakeOffers, MAKEFILE, makeOffers } from "./candidates/native.ts";
import { type Ecosystem, offer } from "./candidates/candidate.ts";
import { autotoolsOffers, isConfigured, mesonOffers } from "./candidates/configured.ts";
import {
  antOffers,
  BATS,
  CABAL,
  erlangOffers,
  haskellOffers,
  LUA,
  luaOffers,
  ocamlOffers,
  shellOffers,
} from "./candidates/further.ts";
import { nodeManager, nodeOffers } from "./candidates/node.ts";
import { pythonManager, pythonOffers } from "./candidates/python.ts";
import { elixirOffers, perlOffers, phpOffers, rubyOffers } from "./candidates/scripting.ts";
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

const DOTNET = /^[^/]+\.(?:slnx?|[cfv][sb]proj)$/;

/** `dotnet test` takes the only solution or project of its folder, and ends well where none of it tests. */
function dotnetOffers(root: RootFiles) {
  const here = root.paths(DOTNET);
  const solutions = here.filter((path) => /\.slnx?$/.test(path));
  const [source] = solutions.length > 0 ? solutions : here;
  if (source === undefined || Math.max(solutions.length, here.length - solutions.length) > 1) {
    return {};
  }
  const tests = root.paths(/\.[cfv][sb]proj$/)
    .some((path) => /\b(?:Microsoft\.NET\.Test\.Sdk|MSTest\.Sdk|TUnit)\b/.test(root.text(path)));
  return {
    test: offer(source, tests ? "dotnet test" : undefined),
    build: offer(source, "dotnet build"),
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
    language: "c",
    applies: (root) => root.has("meson.build"),
    manager: () => "meson",
    offers: mesonOffers,
  },
  {
    language: "c",
    applies: isConfigured,
    manager: () => "autotools",
    offers: autotoolsOffers,
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
  {
    language: "java",
    applies: (root) => root.has("build.xml"),
    manager: () => "ant",
    offers: antOffers,
  },
  {
    language: "perl",
    applies: (root) => root.has("Makefile.PL") || root.has("Build.PL"),
    manager: () => "cpan",
    offers: perlOffers,
  },
  {
    language: "ruby",
    applies: (root) => root.matches(/^(?:Gemfile|[Rr]akefile(?:\.rb)?|[\w-]+\.gemspec)$/),
    manager: () => "bundler",
    offers: rubyOffers,
  },
  {
    language: "php",
    applies: (root) => root.has("composer.json"),
    manager: () => "composer",
    offers: phpOffers,
  },
  {
    language: "elixir",
    applies: (root) => root.has("mix.exs"),
    manager: () => "mix",
    offers: elixirOffers,
  },
  {
    language: "c#",
    applies: (root) => root.matches(DOTNET),
    manager: () => "dotnet",
    offers: dotnetOffers,
  },
  {
    language: "swift",
    applies: (root) => root.has("Package.swift"),
    manager: () => "swift",
    offers: (root) => ({
      test: offer("Package.swift", root.matches(/^Tests\/.*\.swift$/) ? "swift test" : undefined),
      build: offer("Package.swift", "swift build"),
    }),
  },
  {
    language: "haskell",
    applies: (root) => root.matches(CABAL) || root.has("cabal.project") || root.has("stack.yaml"),
    manager: (root) => root.has("stack.yaml") ? "stack" : "cabal",
    offers: haskellOffers,
  },
  {
    language: "ocaml",
    applies: (root) => root.has("dune-project"),
    manager: () => "dune",
    offers: ocamlOffers,
  },
  {
    language: "erlang",
    applies: (root) => root.has("rebar.config"),
    manager: () => "rebar3",
    offers: erlangOffers,
  },
  {
    language: "lua",
    applies: (root) => root.matches(LUA),
    manager: () => "luarocks",
    offers: luaOffers,
  },
  {
    language: "shell",
    // Another tool's tests are theirs too.
    applies: (root) => root.matches(BATS) && !root.has("package.json") && !root.matches(MAKEFILE),
    manager: () => "bats",
    offers: shellOffers,
  },
];

/**
 * Recognised by file endings if nothing in the root tells: projects that are built only by make or by their own
 * tools.
 */
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
