import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { on, path, repo, required, text, whole } from "svc/cli/flags.ts";
import { profileFlags, profileOf } from "svc/cli/profile_flags.ts";
import { confineRun, harnessFor, refuseMixed } from "svc/cli/run_parts.ts";
import { resumeLine } from "svc/cli/run_line.ts";
import { previewShape, showPreview } from "svc/cli/run_preview.ts";
import { nextStep, runExit, runShape, type RunShown, showRun } from "svc/cli/run_report.ts";
import { watchRun } from "svc/cli/run_watch.ts";
import { Failure } from "svc/core/failure.ts";
import { repoId } from "svc/core/ids.ts";
import { tokenCount } from "svc/core/token_count.ts";
import { repoAt } from "svc/features/repos/repo_store.ts";
import type { RunPreview } from "svc/runtime/run/preview_run.ts";
import { openStore, openToRead, type Store } from "svc/store/open.ts";

function budgetOf(typed: string | undefined): number | undefined {
  const budget = typed === undefined ? undefined : tokenCount(typed);
  if (typed === undefined || budget !== undefined) return budget;
  throw new Failure("usage", `Cannot read --budget "${typed}": it is no number of tokens`, {
    remedy: "Give one such as 200000, 200k or 1m",
  });
}

/** A dry run changes no database, and makes none. */
async function storeFor(
  app: App,
  { dryRun }: { readonly dryRun: boolean },
): Promise<Store | undefined> {
  if (app.database === undefined) return undefined;
  return dryRun ? await openToRead(app, app.database) : await openStore(app, app.database);
}

export default command({
  about: "Run one role against one repo, as one job",
  details:
    "Observer profile, the default, changes nothing in the repo: the role looks and reports, and " +
    "what would follow is only named. In host profile it works in a work tree of its own on a " +
    "branch svc/…; commits and checks count, not the role's word. Without --ticket a role that " +
    "works on tickets takes the first that it can. The next role is named, never started. " +
    "Exit status: 0 the role did its work, 1 it could not, 3 refused, 5 no model or harness.",
  examples: [
    { line: "svc run engineer --dry-run", about: "the exact prompt, tools, model and limits" },
    { line: "svc run qa --ticket T-0007", about: "looks and reports, changes nothing" },
    {
      line: "svc run engineer --execution-profile host --acknowledge-host-execution",
      about: "works on the first ticket that can be started",
    },
    {
      line: 'svc run engineer --no-init --task "Explain how login works" --model-endpoint ' +
        "http://127.0.0.1:11434/v1",
      about: "in a repo without a harness, which stays without one",
    },
  ],
  effect: "runs_agents",
  modes: ["json", "plain", "dry-run"],
  args: { role: required(text("role", "A role of the manifest", { suggest: "roles" })) },
  flags: {
    repo,
    ticket: text("id", "Ticket to work on", { suggest: "tickets" }),
    task: text("text", "What to do, where there is no ticket"),
    resume: text("job", "Go on where this job of the role was cut off; its id, or the end of it"),
    modelEndpoint: text(
      "url",
      "OpenAI-compatible endpoint for this run, above every route; #name picks a model",
    ),
    maxTurns: whole("n", "Most turns (default: the role's, or 50)", { min: 1, max: 1000 }),
    budget: text("tokens", "Most tokens in and out, such as 200k (default: the role's, or 500k)"),
    noInit: on("Never write a harness; without one, use svc's own roles"),
    db: path("file", "Database of the runtime (default: the repo's own)"),
    codeIntel: on("Name files, definitions and tests in the prompt that have to do with the work"),
    debug: on("Stream what the model writes and what tools answer"),
    trace: on("The same as --debug"),
    logFile: path("file", "Write the command log here; outside the repo"),
    ...profileFlags,
  },
  result: (z) => z.union([runShape(z), previewShape(z)]),

  ahead: [
    "src/runtime/run/report_run",
    "src/runtime/job/harness_source",
    "src/features/harness/manifest",
    "src/features/settings/config_file",
    "src/features/models/client/client",
    "src/features/models/local/preflight",
  ],

  async confine(app: App, asked) {
    budgetOf(asked.budget);
    refuseMixed(asked);
    return await confineRun(app, asked, profileOf(asked));
  },

  async run(app: App, asked): Promise<RunShown | RunPreview> {
    const profile = profileOf(asked);
    const limits = { maxTurns: asked.maxTurns, budget: budgetOf(asked.budget) };
    const { root, branch } = await app.git.open(asked.repo ?? app.cwd(), { signal: app.signal });
    const found = await harnessFor(app, { root, branch }, asked);
    await using store = await storeFor(app, asked);
    const known = store && await repoAt(store.db, root);
    const view = {
      id: known?.id ?? await repoId(root),
      root,
      remote: known?.remote ?? null,
      branch: known?.branch ?? branch ?? found.manifest.project.default_branch,
      manifest: found.manifest,
      problem: undefined,
    };
    const ports = { ...app, home: app.home, profile };
    const plan = { ...found, view, profile };
    if (asked.dryRun) {
      const { previewRun } = await app.load("src/runtime/run/preview_run");
      return await previewRun({ ...ports, db: store?.db }, plan, { ...asked, ...limits });
    }
    const { reportRun } = await app.load("src/runtime/run/report_run");
    using watch = watchRun(app, { ...asked, debug: asked.debug || asked.trace });
    const report = await reportRun({ ...ports, db: store!.db }, plan, {
      ...asked,
      ...limits,
      ...watch,
      resumeLine: (job) => resumeLine(asked.role, asked, job),
    });
    return { ...report, next: nextStep(report, asked) };
  },

  exit: (result) => result.dry_run ? 0 : runExit(result),

  show(result, page) {
    if (result.dry_run) showPreview(result, page);
    else showRun(result, page);
  },
});
