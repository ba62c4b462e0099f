import { shellWord } from "svc/core/shell_word.ts";
import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { many, otherwise, path, repo, required, text, whole } from "svc/cli/flags.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { benchmark, benchShape, SIDES } from "svc/features/code_intel/benchmark.ts";
import { caseFile, readCase } from "svc/features/code_intel/benchmark_case.ts";
import {
  type BenchFacts,
  benchPage,
  benchRows,
  factsShape,
  REPORT_KIND,
} from "svc/features/code_intel/benchmark_page.ts";
import type { CodeScope } from "svc/features/code_intel/code_file.ts";

/** Default and largest number of trials; each takes some seconds. */
const CODE_BENCH_TRIALS = 3;
const CODE_BENCH_TRIALS_MAX = 100;

const JSON_FILE = /\.json$/i;

/** Called before the trials, so that none is wasted. @throws Failure where the report cannot be written */
async function mustTakeReport({ files }: App, report: string): Promise<void> {
  const cannot = `Cannot write the report ${quoted(report)}`;
  if (!/\.(?:json|md|markdown)$/i.test(report)) {
    throw new Failure("usage", `${cannot}: its name says neither Markdown nor JSON`, {
      remedy: "Give it a name that ends in .md or .json",
    });
  }
  const folder = report.slice(0, report.lastIndexOf("/")) || "/";
  const { kind } = await files.stat(folder) ?? {};
  if (kind === undefined || kind === "file") {
    throw new Failure("usage", `${cannot}: there is no folder ${quoted(folder)}`, {
      remedy: `mkdir -p ${shellWord(folder)}`,
    });
  }
  const there = await files.stat(report);
  if (there === undefined) return;
  const old = there.kind === "file"
    ? await files.readText(report, { maxBytes: 4 * 1024 * 1024, lossy: true })
    : "";
  if (old.slice(0, 200).includes(REPORT_KIND)) return;
  throw new Failure("conflict", `${cannot}: another file of that name is there`, {
    remedy: "Choose another name, or remove the file",
  });
}

export default command({
  about: "Compare the code graph's suggestions with plain text search on one case, without a model",
  details:
    "Compares two searches. Control looks in the repo's text for the words of the case and the " +
    "names of the changed paths; treatment is what --code-intel would put into a prompt for the " +
    "same case. Both results are ranked and compared with the files, tests and documents that you " +
    "expect: recall@k is the share of these among the first k, precision@k the share of the first " +
    "k that you expected. The changed paths are given to both and count as found by neither. " +
    "Treatment knows the history: measure work that is done at the commit before it, since its " +
    "own commit would tell the answer. It only reads, apart from the report; the same repo and " +
    "case always rank the same.",
  examples: [
    {
      line: 'svc code-intel benchmark --case "reject empty names" --expected-files src/names.ts',
      about: "a case in words",
    },
    {
      line: "svc code-intel benchmark --case docs/tickets/done/T-0007-names.md " +
        "--changed-paths src/names.ts --expected-tests tests/names_test.ts --report bench.md",
      about: "a ticket, in a checkout of the commit before its work",
    },
    {
      line: "svc code-intel benchmark --case cart --changed-paths src/cart.ts " +
        "--expected-files src/price.ts,src/view.ts --trials 10 --json",
      about: "for scripts",
    },
  ],
  effect: "writes_target",
  givenBy: { who: "anyone", because: "it measures, and writes a report of its own" },
  modes: ["json", "plain"],
  flags: {
    repo,
    case: required(text("name|file", "What is to be done: a file that says it, or words")),
    trials: otherwise(
      whole("n", "How often both are measured", { min: 1, max: CODE_BENCH_TRIALS_MAX }),
      CODE_BENCH_TRIALS,
    ),
    changedPaths: many(text("paths", "Files that are known to change; commas between several")),
    expectedFiles: many(text("paths", "Files that a good answer has; commas between several")),
    expectedTests: many(text("paths", "Tests that a good answer has; commas between several")),
    expectedDocs: many(text("paths", "Documents that a good answer has; commas between several")),
    report: path("file", "Write the report here: Markdown or JSON, by the name's end"),
  },
  result: (z) =>
    z.strictObject({
      ...factsShape(z).shape,
      ...benchShape(z).shape,
      report: z.string().nullable(),
    }),

  async run(app: App, asked) {
    const { signal, files, clock } = app;
    if (asked.report !== undefined) await mustTakeReport(app, asked.report);
    const opened = await app.git.open(asked.repo ?? app.cwd(), { signal });
    using folder = await app.folder(opened.root);
    const { mayBeHinted } = await app.load("src/runtime/job/code_hint");
    // An earlier report names the expected files, and the case has all its own words: neither must be found.
    const given = [asked.report, caseFile({ cwd: app.cwd(), typed: asked.case })];
    const allowed = (path: string) =>
      mayBeHinted(path) && !given.includes(`${opened.root}/${path}`);
    const scope: CodeScope = {
      git: opened,
      folder,
      signal,
      allowed,
      parsers: () => app.parsers(),
    };
    const { paths } = await opened.listFiles();
    const read = await readCase(files, {
      case: asked.case,
      changed: asked.changedPaths,
      expected: {
        files: asked.expectedFiles,
        tests: asked.expectedTests,
        docs: asked.expectedDocs,
      },
    }, { root: opened.root, paths: new Set(paths.filter(allowed)), cwd: app.cwd() });
    const { changes } = await opened.status();
    const facts: BenchFacts = {
      kind: REPORT_KIND,
      case: read.name,
      repo: opened.root,
      commit: (await opened.log({ max: 1 }))[0]?.id ?? null,
      clean: changes.length === 0,
      changed_paths: read.changed,
      given: read.given,
      trials: asked.trials,
    };
    const tell = (text: string) => app.progress.update(text);
    const found = await benchmark(scope, { clock, trials: asked.trials, tell }, read);
    const result = { ...facts, ...found, report: asked.report ?? null };
    if (asked.report !== undefined) {
      const page = JSON_FILE.test(asked.report)
        ? `${JSON.stringify({ ...facts, ...found }, null, 2)}\n`
        : benchPage(facts, found);
      await files.writeAtomic(asked.report, page, { mode: 0o644 });
    }
    return result;
  },

  show(result, page) {
    page.table(["measure", ...SIDES], benchRows(result));
    if (result.given.length > 0) {
      page.line(`Left out, since they are changed: ${result.given.join(", ")}`);
    }
    page.line(page.tone("dim", "One case, no model: it shows what happened in this case"));
    if (result.report !== null) page.line(`Wrote ${result.report}`);
  },
});
