import { counted } from "svc/core/counted.ts";
import type { App } from "svc/app.ts";
import { consent } from "svc/cli/ask.ts";
import { mayTry, trialFlags, tryOut } from "svc/cli/try_checks.ts";
import { command } from "svc/cli/command.ts";
import { choice, on, repo, text } from "svc/cli/flags.ts";
import { reportShape, showReport } from "svc/cli/page/harness_report.ts";
import { BUNDLES } from "svc/core/local_bundles.ts";
import { routingOf, ROUTINGS } from "svc/features/harness/model_routing.ts";
import { page } from "svc/cli/page/page.ts";
import { showTrial } from "svc/cli/page/trial_page.ts";
import { absentIn } from "svc/features/harness/candidates/candidate.ts";
import { installHint } from "svc/features/harness/candidates/install_hints.ts";
import type { Project } from "svc/features/harness/detect.ts";
import type { Programs } from "svc/platform/process/program.ts";
import { trialShape } from "svc/features/harness/candidates/trial_report.ts";
import type { Trial, TrialPlan } from "svc/runtime/trial/try_project.ts";
import { initHarness } from "svc/features/harness/init_harness.ts";
import { type HarnessTarget, openHarnessTarget } from "svc/features/harness/operate.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";

/** A repo that can have no work tree gets its harness all the same. */
async function triedOrSaid(
  app: App,
  target: HarnessTarget,
  plan: TrialPlan,
  asked: Parameters<typeof mayTry>[1],
): Promise<Trial | undefined> {
  try {
    if (!await mayTry(app, asked, plan)) return undefined;
    const trial = await tryOut(app, target, plan);
    // Whoever is asked next whether to write needs to know.
    if (!asked.json) {
      const err = page((text) => app.stderr.write(text), { styled: false, redact: app.redact });
      showTrial(trial.report, err);
    }
    return trial;
  } catch (thrown) {
    const { code, message, remedy } = Failure.from(thrown);
    if (!["refused", "environment", "conflict"].includes(code)) throw thrown;
    app.progress.done();
    app.stderr.write(`nothing was tried: ${message}. ${remedy}\n`);
    return undefined;
  }
}

/** The command for what the repo's rules ignore; keys and local state stay out of it. */
function forced(ignored: readonly string[]): string[] {
  if (ignored.length === 0) return [];
  const folders = ignored.map((path) =>
    path.startsWith(".harness/") ? ".harness" : path.split("/").slice(0, 2).join("/")
  );
  const apart = [".env*", "local", "updates"].map((name) => `':!.harness/${name}'`);
  return [["git add -f --", ...new Set(folders), ...apart].join(" ")];
}

/** The missing programs that a trial would report, as far as PATH shows them; each program once. */
function missingPrograms(
  { setup, checks }: Project,
  programs: Programs,
): { program: string; lines: string[]; remedy: string }[] {
  const lines = new Map<string, string[]>();
  for (const command of [...setup, ...checks]) {
    const program = absentIn(command, programs);
    if (program === undefined) continue;
    lines.set(program, [...lines.get(program) ?? [], command.run.join(" ")]);
  }
  return [...lines].map(([program, lines]) => ({
    ...{ program, lines, remedy: installHint(program, programs) },
  }));
}

export default command({
  about: "Scaffold a harness into a git checkout: roles, rules, tickets, docs, model routing",
  details:
    "Looks at the repo first and writes the check commands that it finds into the manifest. " +
    "Existing files stay as they are; --force replaces generated ones in .harness/, shows each " +
    "difference and keeps a copy in ~/.svc/journal/backups. Nothing is committed. If the command " +
    "is interrupted, the next run finishes or undoes it. With --try-checks, or if you agree at " +
    "the terminal, the commands that were found run once in a fresh work tree, and svc chooses by " +
    "the results.",
  examples: [
    { line: "svc init", about: "into the repo of the current folder; asks before it writes" },
    { line: "svc init --dry-run", about: "shows what it would write" },
    {
      line: "svc init --yes --model-routing local",
      about: "for scripts, with models on this machine",
    },
    {
      line: "svc init --yes --try-checks --acknowledge-host-execution",
      about: "for scripts: tries set-up and checks, with the full authority of your user",
    },
    {
      line: "svc init --model-routing cloud --cloud-provider openai --cloud-model gpt-5",
      about: "with a cloud model; its key is read from OPENAI_API_KEY",
    },
  ],
  effect: "writes_target",
  net: { to: "run the repo's own checks" },
  givenBy: { who: "person", because: "it writes roles, their rights and their guardrails" },
  modes: ["json", "plain", "yes", "dry-run"],
  flags: {
    repo,
    force: on("Replace generated files of an existing harness"),
    ...trialFlags,
    modelRouting: choice(ROUTINGS, "Where models run; defer leaves it open (the default)"),
    localBundle: choice(BUNDLES, "Bundle of local models (default: auto)"),
    cloudProvider: text(
      "name",
      "Provider of cloud models: openai, anthropic, openrouter, gemini, …",
    ),
    cloudModel: text("model", "Model as the provider calls it"),
    cloudEndpoint: text("url", "OpenAI-compatible endpoint (default: the provider's own)"),
    apiKeyEnv: text("name", "Variable that holds the provider's key; only its name is stored"),
  },
  result: (z) =>
    z.strictObject({
      ...reportShape(z),
      model_routing: z.enum(ROUTINGS),
      ignored: z.array(z.string()),
      project: z.strictObject({
        name: z.string(),
        version: z.string(),
        default_branch: z.string(),
        languages: z.array(z.string()),
        package_managers: z.array(z.string()),
        setup: z.array(z.strictObject({ name: z.string(), run: z.array(z.string()) })),
        checks: z.array(z.strictObject({ name: z.string(), run: z.array(z.string()) })),
        docs: z.array(z.string()),
        ci: z.array(z.string()),
      }),
      /** What PATH lacks for commands that nobody tried. */
      missing: z.array(
        z.strictObject({ program: z.string(), lines: z.array(z.string()), remedy: z.string() }),
      ),
      trial: trialShape(z).exactOptional(),
    }),

  async run(app: App, asked) {
    const routing = routingOf(asked);
    using target = await openHarnessTarget(app, asked.repo ?? app.cwd());
    let trial: Trial | undefined;
    const report = await initHarness(target, {
      ...asked,
      routing,
      routingGiven: asked.modelRouting !== undefined,
      async tryOut({ project, groups }) {
        const plan = { setup: project.setup, source: "files of the project", groups };
        return trial = await triedOrSaid(app, target, plan, asked);
      },
      agree: ({ project, changes }) =>
        consent(app, asked, {
          doing: "init",
          question: `Write ${counted(changes.length, "file")} into ${quoted(project.name)}?`,
          preview: changes.flatMap(({ path, change, diff = "" }) => [
            `${change} ${path}`,
            ...diff.trimEnd().split("\n").filter((line) => line !== ""),
          ]),
        }),
    });
    const missing = trial === undefined ? missingPrograms(report.project, target.programs) : [];
    return { ...report, missing, ...(trial !== undefined && { trial: trial.report }) };
  },

  show(result, page) {
    const { project, dry_run, model_routing, ignored, missing } = result;
    page.fields([
      ["project", project.name],
      ["branch", project.default_branch],
      ["languages", project.languages.join(", ") || "none found"],
      ["set-up", project.setup.map(({ run }) => run.join(" ")).join(", ") || "none needed"],
      ["checks", project.checks.map(({ run }) => run.join(" ")).join(", ") || "none found"],
      ["models", model_routing],
    ]);
    page.line();
    showReport(result, page);
    if (ignored.length > 0) {
      page.line(`note: .gitignore leaves out ${counted(ignored.length, "file")} of these`);
    }
    for (const { program, lines: [first = "", ...more], remedy } of missing) {
      const others = more.length === 0 ? "" : ` and ${more.length} more`;
      const cannot = `${quoted(first)}${others} cannot start, and tickets would wait for it`;
      page.line(`note: ${cannot}: PATH has no program "${program}"; ${remedy}`);
    }
    const add = ["git add -A", ...forced(ignored), "git commit"].join(" && ");
    page.next(
      dry_run ? "the same command without --dry-run" : `read .harness/manifest.yaml, then: ${add}`,
    );
  },
});
