import type { App } from "svc/app.ts";
import { consent } from "svc/cli/ask.ts";
import { command } from "svc/cli/command.ts";
import { choice, on, repo, text } from "svc/cli/flags.ts";
import { openSite, reportShape, showReport } from "svc/cli/page/harness_report.ts";
import { Failure } from "svc/core/failure.ts";
import { detect } from "svc/features/harness/detect.ts";
import { readMetadata } from "svc/features/harness/metadata.ts";
import { BUNDLES, routingOf, ROUTINGS } from "svc/features/harness/model_routing.ts";
import { carryOut, pending, repair } from "svc/features/harness/operate.ts";
import { planInit } from "svc/features/harness/plan_init.ts";
import { quoted } from "svc/core/repo_path.ts";

function cutShort(operation: string): Failure {
  return new Failure("conflict", `Cannot plan init: svc ${operation} was cut short here`, {
    remedy: "svc update harness finishes or undoes it",
  });
}

export default command({
  about: "Scaffold a harness into a git checkout: roles, rules, tickets, docs, model routing",
  details:
    "Looks at the repo first and writes the check commands that it finds into the manifest. Files " +
    "that are there stay as they are; --force replaces generated ones in .harness/, shows each " +
    "difference and keeps a copy in ~/.svc/journal/backups. Nothing is committed. A run that is cut " +
    "short is finished or undone by the next one.",
  examples: [
    { line: "svc init", about: "into the repo of the current folder; asks before it writes" },
    { line: "svc init --dry-run", about: "shows what it would write" },
    {
      line: "svc init --yes --model-routing local",
      about: "for scripts, with models on this machine",
    },
    {
      line: "svc init --model-routing cloud --cloud-provider openai --cloud-model gpt-5",
      about: "with a cloud model; its key is read from OPENAI_API_KEY",
    },
  ],
  effect: "writes_target",
  modes: ["json", "plain", "yes", "dry-run"],
  flags: {
    repo,
    force: on("Replace generated files of a harness that is there"),
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
      project: z.strictObject({
        name: z.string(),
        version: z.string(),
        default_branch: z.string(),
        languages: z.array(z.string()),
        package_managers: z.array(z.string()),
        checks: z.array(z.strictObject({ name: z.string(), run: z.array(z.string()) })),
        docs: z.array(z.string()),
        ci: z.array(z.string()),
      }),
    }),

  async run(app: App, asked) {
    const given = routingOf(asked);
    using opened = await openSite(app, asked.repo);
    const { site } = opened;
    const makePlan = async () => {
      const project = await detect(site);
      // With --force a damaged record of the files is no obstacle: it is written anew.
      const before = await readMetadata(site).catch((thrown) => {
        if (asked.force && thrown instanceof Failure) return undefined;
        throw thrown;
      });
      const routingGiven = asked.modelRouting !== undefined;
      const routing = routingGiven ? given : before?.routing ?? given;
      const draft = await planInit(site, {
        project,
        routing,
        routingGiven,
        force: asked.force,
        before,
      });
      return Object.assign(draft, { project, routing });
    };
    const report = { repo: site.repo.root, dry_run: asked.dryRun };
    if (asked.dryRun) {
      const [unfinished] = await pending(site);
      if (unfinished !== undefined) throw cutShort(unfinished.operation);
      const { changes, kept, project, routing } = await makePlan();
      return {
        ...report,
        project,
        model_routing: routing.mode,
        changes,
        kept,
        earlier: [],
      };
    }
    const repaired = await repair(site, "init");
    const finished = repaired.some(({ operation, outcome }) =>
      operation === "init" && outcome === "finished"
    );
    if (finished && !asked.force) {
      const { project, routing } = (await readMetadata(site))!;
      const model_routing = routing.mode;
      return { ...report, project, model_routing, changes: [], kept: [], earlier: repaired };
    }
    const preview = await makePlan();
    consent(app, asked, {
      doing: "init",
      question: `Write ${preview.changes.length} files into ${quoted(preview.project.name)}?`,
      preview: preview.changes.flatMap(({ path, change, diff = "" }) => [
        `${change} ${path}`,
        ...diff.trimEnd().split("\n").filter((line) => line !== ""),
      ]),
    });
    const { plan, earlier, backups } = await carryOut(site, "init", makePlan);
    const { changes, kept, project, routing } = plan;
    return {
      ...report,
      project,
      model_routing: routing.mode,
      changes,
      kept,
      earlier: [...repaired, ...earlier],
      ...(backups !== undefined && { backups }),
    };
  },

  show(result, page) {
    const { project, dry_run, model_routing } = result;
    page.fields([
      ["project", project.name],
      ["branch", project.default_branch],
      ["languages", project.languages.join(", ") || "none found"],
      ["checks", project.checks.map(({ run }) => run.join(" ")).join(", ") || "none found"],
      ["models", model_routing],
    ]);
    page.line();
    showReport(result, page);
    page.next(
      dry_run
        ? "the same command without --dry-run"
        : "read .harness/manifest.yaml, then: git add -A && git commit",
    );
  },
});
