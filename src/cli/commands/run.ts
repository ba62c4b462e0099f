import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, on, path, repo, required, text, whole } from "svc/cli/flags.ts";
import { profileFlags, profileOf, sandboxFlags } from "svc/cli/profile_flags.ts";
import { sayFollowed, sayScaffolded } from "svc/cli/page/harness_report.ts";
import { checkLogFile } from "svc/cli/log_file.ts";
import { resumeLine } from "svc/cli/run/line.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import {
  nextStep,
  runExit,
  type RunShown,
  shownShape,
  showPreview,
  showRun,
} from "svc/cli/run/report.ts";
import { watchRun } from "svc/cli/run/watch.ts";
import { type Budget, budgetOf } from "svc/core/budget.ts";
import { Failure } from "svc/core/failure.ts";
import { checkModelEndpoint } from "svc/cli/model_endpoint.ts";
import { confineRun } from "svc/runtime/run/confine_run.ts";
import { withOwnServer } from "svc/runtime/start/with_own_server.ts";
import { previewShape, type RunPreview } from "svc/runtime/run/report_shape.ts";

function typedBudget(typed: string | undefined): Budget | undefined {
  const budget = typed === undefined ? undefined : budgetOf(typed);
  if (typed === undefined || budget !== undefined) return budget;
  const why = "it is neither a number of tokens nor an amount in US dollars";
  throw new Failure("usage", `Cannot read --budget "${typed}": ${why}`, {
    remedy: "Give tokens such as 200000, 200k or 1m, or money such as 2usd or '$2' (in quotes)",
  });
}

/** @throws Failure `usage` for a flag that --resume takes from the earlier job */
function refuseBesideResume(
  { role, resume, ticket, task, dryRun }: {
    readonly role: string;
    readonly resume: string | undefined;
    readonly ticket: string | undefined;
    readonly task: string | undefined;
    readonly dryRun: boolean;
  },
): void {
  if (resume === undefined) return;
  const given = { "--ticket": ticket, "--task": task, "--dry-run": dryRun || undefined };
  const [other] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (other === undefined) return;
  const remedy = dryRun
    ? "What is sent is the conversation in its trace: svc run printed its path"
    : `svc run ${role} --resume ${resume}: it goes on with the work that it had`;
  throw new Failure("usage", `Cannot run --resume with ${other}`, { remedy });
}

export default command({
  about: "Run one role against one repo, as one job",
  details:
    "In observer profile, the default, nothing in the repo changes: the role looks and reports, " +
    "and svc only names what would follow. In host profile the role works in a work tree of its " +
    "own on a branch svc/…; commits and checks count, not the role's word. Without --ticket, a " +
    "role that works on tickets takes the first that it can. svc names the next role, but does " +
    "not start it. Exit status: 0 the role did its work, 1 it could not, 3 refused, 5 no model or " +
    "harness.",
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
  givenBy: { who: "person", because: "it starts an agent, and spends for it" },
  modes: ["json", "plain", "dry-run"],
  args: { role: required(text("role", "A role of the manifest", { suggest: "roles" })) },
  flags: {
    repo,
    ticket: text("id", "Ticket to work on", { suggest: "tickets" }),
    task: text("text", "What to do, instead of a ticket"),
    resume: text(
      "job",
      "Resume this job of the role where it was cut off; its id, or the end of it",
    ),
    modelEndpoint: text(
      "url",
      "OpenAI-compatible endpoint for this run, above every route; #name picks a model",
    ),
    maxTurns: whole("n", "Most turns (default: the role's, or 50)", { min: 1, max: 1000 }),
    budget: text(
      "amount",
      "Most that may be spent: uncached tokens in and out, such as 200k, or money, such as 2usd " +
        "(default: the role's, or 500k; none where the model costs nothing)",
    ),
    noInit: on("Never write a harness; without one, use svc's own roles"),
    db: database("Database of the runtime (default: the repo's own)"),
    codeIntel: on("Name in the prompt which files, definitions and tests may concern the work"),
    debug: on("Stream what the model writes and what tools answer"),
    trace: on("The same as --debug"),
    logFile: path("file", "Write the command log here; outside the repo"),
    ...profileFlags,
    ...sandboxFlags,
  },
  result: (z) => z.union([shownShape(z), previewShape(z)]),

  ahead: [
    "src/runtime/run/requested_run",
    "src/runtime/run/report_run",
    "src/features/settings/config_file",
    "src/features/models/client/client",
    "src/features/models/local/preflight",
  ],

  async confine(app: App, asked) {
    typedBudget(asked.budget);
    refuseBesideResume(asked);
    const profile = profileOf(asked);
    checkModelEndpoint(app, asked);
    await checkLogFile(asked);
    const confinement = await confineRun(app, {
      ...asked,
      repo: asked.repo ?? app.cwd(),
      profile,
      scaffolded: (files) => sayScaffolded(app, files),
      followed: (from) => sayFollowed(app, from),
      asks: (what) => app.progress.update(what),
    });
    return await withOwnServer(app, confinement, asked);
  },

  async run(app: App, asked): Promise<RunShown | RunPreview> {
    const request = {
      ...asked,
      repo: asked.repo ?? app.cwd(),
      profile: profileOf(asked),
      budget: typedBudget(asked.budget),
    };
    const { requestedRun } = await app.load("src/runtime/run/requested_run");
    using watch = asked.dryRun
      ? undefined
      : watchRun(app, { ...asked, debug: asked.debug || asked.trace });
    const report = await requestedRun(app, request, {
      ...watch,
      resumeLine: (job) => resumeLine(asked.role, asked, job),
      goOnLine: `svc jobs resume${samePlace(asked)}`,
    });
    return report.dry_run ? report : { ...report, next: nextStep(report, asked) };
  },

  exit: (result) => result.dry_run ? 0 : runExit(result),

  show(result, page) {
    if (result.dry_run) showPreview(result, page);
    else showRun(result, page);
  },
});
