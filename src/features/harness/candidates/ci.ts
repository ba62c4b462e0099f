/** Commands that a project's CI runs and that may be checks, from its workflow files. */
import { parseDocument } from "svc/platform/yaml.ts";
import { type RootFiles, WORKFLOW } from "svc/features/harness/root_files.ts";

export interface CiCommand {
  readonly check: "test" | "lint" | "typecheck" | "build";
  /** Whose tool it is, as ecosystems are named; "" for others. */
  readonly language: string;
  readonly line: string;
  readonly source: string;
}

const SCRIPT = "(?:npm|pnpm|yarn|bun)(?: run(?:-script)?)?";
const PYTHON = "(?:(?:uv|poetry|pdm|pipenv) run )?(?:python3? -m )?";

/** The whole line has to begin so: a tool that only tests, lints, checks types or builds. */
const KNOWN: readonly (readonly [CiCommand["check"], string, string])[] = [
  ["test", "node", `${SCRIPT} (?:test|t|unit)(?:[:_-][\\w:-]+)?`],
  ["test", "node", "npx (?:jest|vitest run|mocha|ava|tap|tape)"],
  ["lint", "node", `${SCRIPT} lint(?:[:_-][\\w:-]+)?`],
  ["lint", "node", "npx eslint"],
  ["typecheck", "node", `${SCRIPT} (?:type-?check|check-types|tsc)`],
  ["typecheck", "node", "npx tsc --noEmit"],
  ["build", "node", `${SCRIPT} build`],
  ["test", "python", `${PYTHON}(?:pytest|py\\.test|unittest|tox|nox)`],
  ["lint", "python", `${PYTHON}(?:ruff check|flake8|pylint)`],
  ["typecheck", "python", `${PYTHON}(?:mypy|pyright)`],
  ["test", "make", "make (?:test|check)[\\w-]*"],
  ["lint", "make", "make lint"],
  ["test", "go", "go test"],
  ["lint", "go", "(?:go vet|golangci-lint run)"],
  ["build", "go", "go build"],
  ["test", "rust", "cargo (?:test|nextest run)"],
  ["lint", "rust", "cargo clippy"],
  ["build", "rust", "cargo build"],
  ["test", "java", "(?:\\./)?(?:mvnw?|gradlew?)(?: -[\\w-]+)* (?:test|verify|check)"],
  ["test", "deno", "deno (?:test|task test)"],
  ["lint", "deno", "deno lint"],
  ["test", "ruby", "(?:bundle exec )?(?:rspec|rake (?:test|spec))"],
  ["test", "php", "composer (?:run(?:-script)? )?test"],
  ["test", "php", "(?:\\./)?vendor/bin/(?:phpunit|pest|paratest|simple-phpunit(?! install))"],
  ["test", "perl", "prove"],
  ["test", "elixir", "mix test"],
  ["test", "c#", "dotnet test"],
  ["test", "swift", "swift test"],
  ["test", "haskell", "(?:stack|cabal) test"],
  ["test", "ocaml", "dune (?:test|runtest)"],
  ["test", "erlang", "rebar3 (?:eunit|ct)"],
  ["test", "lua", "busted"],
  ["lint", "lua", "luacheck"],
  ["test", "shell", "bats"],
  ["test", "java", "ant (?:test|check|junit)"],
  ["test", "", "(?:sbt|lein) test"],
  ["test", "", "zig build test"],
];

const PATTERNS = KNOWN.map(([check, language, words]) =>
  [check, language, new RegExp(`^${words}(?: |$)`)] as const
);

const LONGEST = 200;

/** Only plain words: a shell, an expression of the CI or a variable would mean something else here. */
const isPlain = (line: string) =>
  line.length <= LONGEST && !/[`$|<>;&(){}*?~#"'\\!]/.test(line) &&
  !/ (?:--version|-V|--help)$/.test(line);

/** Lines until the first that goes to another folder. */
function linesOf(script: string): string[] {
  const lines = script.replaceAll(/\\\r?\n/g, " ").split(/\r?\n|&&/)
    .map((line) => line.trim().replaceAll(/\s+/g, " "));
  const away = lines.findIndex((line) => /^(?:cd|pushd)\b/.test(line));
  return away === -1 ? lines : lines.slice(0, away);
}

/** Aliases that may be followed in one file: a hostile one would grow without end. */
const ALIASES = 50;

function parsed(text: string): unknown {
  try {
    return parseDocument(text).toJS({ maxAliasCount: ALIASES });
  } catch {
    // The CI cannot read this file either.
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const values = (value: unknown): unknown[] => isRecord(value) ? Object.values(value) : [];

/** `run` of each step of each job (docs.github.com, workflow syntax), but of those in another folder. */
function githubScripts(text: string): string[] {
  const file = parsed(text);
  return values(isRecord(file) ? file.jobs : undefined).filter(isRecord).flatMap((job) => {
    const steps: unknown[] = Array.isArray(job.steps) ? job.steps : [];
    const elsewhere = JSON.stringify(job.defaults ?? "").includes("working-directory");
    return elsewhere ? [] : steps.filter(isRecord)
      .filter((step) => step["working-directory"] === undefined)
      .map(({ run }) => run).filter((run) => typeof run === "string");
  });
}

/** `script` of each job (docs.gitlab.com, CI/CD YAML syntax), a line or a list of lines. */
function gitlabScripts(text: string): string[] {
  const file = parsed(text);
  return values(file).filter(isRecord).flatMap(({ script }) => {
    const lines: unknown[] = Array.isArray(script) ? script.flat() : [script];
    const known = lines.filter((line) => typeof line === "string");
    return known.length === 0 ? [] : [known.join("\n")];
  });
}

/** Workflows that publish run other commands, at other times. */
const PUBLISHES = /release|publish|deploy/i;

/** In the order of the files; each line once. */
export function ciCommands(root: RootFiles): CiCommand[] {
  const scripts = [
    ...root.paths(WORKFLOW).filter((path) => !PUBLISHES.test(path))
      .map((path) => [path, githubScripts(root.text(path))] as const),
    [".gitlab-ci.yml", gitlabScripts(root.text(".gitlab-ci.yml"))] as const,
  ];
  const found = new Map<string, CiCommand>();
  for (const [source, texts] of scripts) {
    for (const line of texts.flatMap(linesOf)) {
      if (!isPlain(line) || found.has(line)) continue;
      const known = PATTERNS.find(([, , pattern]) => pattern.test(line));
      if (known !== undefined) {
        found.set(line, { check: known[0], language: known[1], line, source });
      }
    }
  }
  return [...found.values()];
}
