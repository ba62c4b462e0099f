/** What a path alone tells about a file: its language, and whether people wrote it for the program. */

type FileLanguage =
  | "typescript"
  | "python"
  | "go"
  | "rust"
  | "java"
  | "ruby"
  | "php"
  | "perl"
  | "c"
  | "csharp"
  | "swift"
  | "shell"
  | "markup";

const EXTENSIONS: Readonly<Record<string, FileLanguage>> = {
  ...Object.fromEntries(
    ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte"].map((
      ext,
    ) => [ext, "typescript" as const]),
  ),
  py: "python",
  go: "go",
  rs: "rust",
  java: "java",
  kt: "java",
  scala: "java",
  rb: "ruby",
  php: "php",
  ...Object.fromEntries(["pl", "pm", "t"].map((ext) => [ext, "perl" as const])),
  ...Object.fromEntries(
    ["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "m", "mm"].map((ext) => [ext, "c" as const]),
  ),
  cs: "csharp",
  swift: "swift",
  sh: "shell",
  bash: "shell",
  zsh: "shell",
  md: "markup",
  markdown: "markup",
  mdx: "markup",
};

const TEST =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testing|testsuite|regress|cypress|playwright|androidTest)\/|[._-](?:test|spec|e2e|cy)\.\w+$|(?:^|\/)(?:test_[^/]+|conftest)\.py$|(?:^|\/)tests?\.\w+$|(?:Test|Tests|Spec)\.(?:java|kt|scala|cs|swift|php)$|_spec\.rb$|\.t$/;
const SAMPLE =
  /(?:^|\/)(?:fixtures?|__fixtures__|testdata|test-data|test_data|snapshots?|__snapshots__|golden|goldens|samples?|examples?|demos?|mocks?|__mocks__|templates?|scaffold|bench|benchmarks?|playground)\//;
const FOREIGN =
  /(?:^|\/)(?:node_modules|bower_components|_?vendor|vendored|third[_-]party|external|dist|\.yarn|\.pnp\.[cm]?js|site-packages|Pods|Carthage)(?:\/|$)/;
const GENERATED =
  /(?:\.gen\.\w+|[._-]generated\.\w+|\.pb\.(?:go|cc|h)|_pb2(?:_grpc)?\.pyi?|\.min\.(?:js|css|mjs)|\.bundle\.js|\.g\.dart|\.designer\.cs|\.d\.ts|\.map|\.snap|\.lock)$|(?:^|\/)(?:generated|__generated__|gen)\//i;
const SCRIPTS = /(?:^|\/)(?:scripts?|tools?|hack|ci|\.github|\.circleci)\//;
const SETTINGS =
  /(?:^|\/)(?:[\w.-]+\.config\.[cm]?[jt]s|\.[\w-]+rc\.[cm]?js|(?:setup|noxfile|conf|manage|gulpfile|Gruntfile)\.(?:py|js)|build\.rs)$/;
const PAGE = /\.(?:md|markdown|mdx|rst|adoc|txt)$/i;

export interface PathFacts {
  readonly language: FileLanguage | undefined;
  readonly test: boolean;
  readonly sample: boolean;
  /** Copied from elsewhere, or written by a program. */
  readonly foreign: boolean;
  readonly script: boolean;
  readonly settings: boolean;
  readonly page: boolean;
  /** Tickets quote gaps, so scanning them would find each gap twice. */
  readonly ticket: boolean;
}

export function pathFacts(path: string): PathFacts {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return {
    language: EXTENSIONS[extension],
    test: TEST.test(path),
    sample: SAMPLE.test(path),
    foreign: FOREIGN.test(path) || GENERATED.test(path),
    script: SCRIPTS.test(path),
    settings: SETTINGS.test(path),
    page: PAGE.test(path),
    ticket: path.startsWith("docs/tickets/"),
  };
}

export function isProduct({ language, test, sample, foreign, settings }: PathFacts): boolean {
  return language !== undefined && language !== "markup" && language !== "shell" &&
    !test && !sample && !foreign && !settings;
}
