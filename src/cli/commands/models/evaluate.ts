import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { many, on, otherwise, path, repo, text, whole } from "svc/cli/flags.ts";
import { afterEvaluation, showEvaluation, showPlan } from "svc/cli/page/evaluation.ts";
import { repoAtHand } from "svc/cli/repo_at_hand.ts";
import { saveReport } from "svc/cli/save_report.ts";
import { Failure } from "svc/core/failure.ts";
import { fileStamp, rfc3339 } from "svc/core/time.ts";
import { VERSION } from "svc/core/version.ts";
import { evaluateModels } from "svc/features/evaluation/evaluate_models.ts";
import { plannedProbes, plannedRoutes, planShape } from "svc/features/evaluation/plan.ts";
import {
  type Evaluation,
  EVALUATION_KIND,
  evaluationPage,
  evaluationShape,
} from "svc/features/evaluation/report.ts";
import { isCloud, targetsFor } from "svc/features/evaluation/target.ts";
import { endpointRules } from "svc/features/models/choose/choose_model.ts";
import { NO_OVERRIDES } from "svc/features/models/choose/override_shape.ts";
import { readOverrides } from "svc/features/models/choose/overrides.ts";

/** Seconds that a probe may take: a long prompt on a processor alone takes minutes. */
const EVALUATE_TIMEOUT_S = 300;
const EVALUATE_TIMEOUT_BOUNDS_S = { min: 1, max: 7_200 };

interface Provenance {
  readonly revision: string | undefined;
  readonly sha256: string | undefined;
  readonly source: string | undefined;
}

/** @throws Failure `usage` */
function provenanceOf(asked: Provenance, models: number): Evaluation["provenance"] {
  const { revision = null, sha256 = null, source = null } = asked;
  const doing = "Cannot record where the model came from";
  if (sha256 !== null && !/^[0-9a-f]{64}$/i.test(sha256)) {
    throw new Failure("usage", `${doing}: --sha256 is not 64 hexadecimal digits`, {
      remedy: "sha256sum <file> prints it",
    });
  }
  const given = [revision, sha256, source].some((value) => value !== null);
  if (given && models > 1) {
    throw new Failure(
      "usage",
      `${doing}: --revision, --sha256 and --source are those of one model`,
      {
        remedy: "Evaluate it by itself, or leave them out",
      },
    );
  }
  return { revision, sha256: sha256?.toLowerCase() ?? null, source };
}

/** @throws Failure `answer_needed` without `--cloud` */
function mustBeAllowed(routes: ReturnType<typeof targetsFor>, cloud: boolean): void {
  const [first] = routes.filter(isCloud);
  if (first === undefined || cloud) return;
  throw new Failure(
    "answer_needed",
    `Cannot evaluate a model at "${first.endpoint}": it is a cloud, where each probe costs`,
    { remedy: "Add --cloud; without an endpoint and a provider svc shows what would be asked" },
  );
}

/** For a file's name. */
const slug = (model: string) =>
  model.split(/[^A-Za-z0-9.]/).filter((part) => /\w/.test(part)).join("-").slice(0, 60);

export default command({
  about: "Probe what a model can do as an agent, and score it; or show the probes",
  details:
    "The probes: the shape of a call, arguments with quotes and line ends, an exact edit of a " +
    "file of 200 lines, a refusal, two calls in one reply, facts in long prompts up to the stated " +
    "window, an answer without a call, and speed. Each is scored from 0 to 100. They change " +
    "nothing on this machine. Without an endpoint and a provider no model is asked: the plan is " +
    "shown. Several models, given by repeating --endpoint <url>#<model> or --model, are compared " +
    "in a table. Results of a scripted endpoint are labelled fixture and are not live evidence. " +
    "Exit status: 0 evaluated, whatever the scores; 1 some model could not be opened; 5 the only " +
    "one could not.",
  examples: [
    { line: "svc models evaluate", about: "what would be asked, and of which models" },
    {
      line: "svc models evaluate --endpoint http://127.0.0.1:8080/v1 --save-report",
      about: "a server on this machine, with a report in Markdown and JSON",
    },
    {
      line: "svc models evaluate --provider ollama --model qwen3-coder:30b --model qwen3:4b",
      about: "two models, compared",
    },
    {
      line: "svc models evaluate --provider openai --model gpt-5 --cloud",
      about: "a cloud, which costs",
    },
  ],
  effect: "writes_target",
  net: { to: "ask the models that it evaluates" },
  givenBy: { who: "person", because: "it asks a model a lot, and spends for it" },
  modes: ["json", "plain"],
  flags: {
    endpoint: many(
      text("url", "Endpoint of the model; #name picks one; several are compared"),
    ),
    model: many(text("model", "Model as the provider calls it; several are compared")),
    provider: text("name", "Provider of the model; one that svc knows needs no --endpoint"),
    apiKeyEnv: text("name", "Variable that holds the key (default: the provider's own)"),
    repo,
    reportDir: path(
      "folder",
      "With --save-report: where it goes (default: docs/validation/reports of the repo, else ~/.svc/reports)",
    ),
    saveReport: on("Save the report, as Markdown and as JSON"),
    revision: text("revision", "Revision of the model, for the report"),
    sha256: text("digest", "SHA-256 of the model's file, for the report"),
    source: text("text", "Where the model came from, such as a URL, for the report"),
    cloud: on("Allow asking a cloud model, which costs money"),
    timeout: otherwise(
      whole("seconds", "Time limit of one probe", EVALUATE_TIMEOUT_BOUNDS_S),
      EVALUATE_TIMEOUT_S,
    ),
  },
  result: (z) =>
    z.discriminatedUnion("mode", [
      planShape(z),
      z.strictObject({
        mode: z.literal("run"),
        ...evaluationShape(z).shape,
        saved: z.strictObject({ markdown: z.string(), json: z.string() }).nullable(),
      }),
    ]),

  async run(app: App, asked) {
    const settings = await app.settings();
    const rules = endpointRules(settings, app.home.config);
    const opened = await repoAtHand(app, asked.repo);
    using folder = opened && await app.folder(opened.root);
    const { endpoint, model, provider } = asked;
    if (endpoint.length === 0 && provider === undefined) {
      if (model.length > 0) {
        throw new Failure("usage", "Cannot evaluate a model: it is not said where it is", {
          remedy: "Name --endpoint <url>, or --provider <name>",
        });
      }
      const routes = await plannedRoutes(folder, rules);
      return { mode: "plan" as const, repo: opened?.root ?? null, ...plannedProbes(), routes };
    }
    const overrides = folder ? (await readOverrides(folder)).overrides : NO_OVERRIDES;
    const routes = targetsFor(asked, { rules, overrides });
    const provenance = provenanceOf(asked, routes.length);
    mustBeAllowed(routes, asked.cloud);
    const found = await evaluateModels(app, {
      ...{ routes, rules, folder, repo: opened, timeoutMs: asked.timeout * 1000 },
      sampling: settings.models.sampling,
      prices: settings.models.prices,
      server: settings.models.server,
      tell: (line) => app.progress.update(line),
    });
    const fixture = found.models.some(({ evidence }) => evidence === "fixture");
    const now = app.clock.now();
    const report: Evaluation = {
      kind: EVALUATION_KIND,
      svc: VERSION,
      at: rfc3339(now),
      evidence: fixture ? "fixture" : found.models.length === 0 ? "none" : "live",
      repo: opened?.root ?? null,
      timeout_seconds: asked.timeout,
      provenance,
      ...found,
    };
    if (!asked.saveReport) return { mode: "run" as const, ...report, saved: null };
    const which = found.models.length === 1 ? slug(found.models[0]!.model) : "compared";
    const label = fixture ? "fixture-" : "";
    const saved = await saveReport(app, { root: opened?.root, reportDir: asked.reportDir }, {
      name: `${label}models-evaluate-${fileStamp(now)}-${which}`,
      markdown: evaluationPage(report),
      json: report,
    });
    return { mode: "run" as const, ...report, saved };
  },

  exit: (result) => result.mode === "run" && result.unopened.length > 0 ? 1 : 0,

  show(result, page, { reportDir }) {
    if (result.mode === "plan") return showPlan(result, page);
    showEvaluation(result, page);
    if (result.saved !== null) page.line(`Wrote ${result.saved.markdown} and ${result.saved.json}`);
    else if (reportDir !== undefined) page.line("Nothing was saved: add --save-report");
    const next = afterEvaluation(result);
    if (next !== undefined) page.next(next);
  },
});
