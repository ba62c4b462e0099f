import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { many, on, path, repo, text } from "svc/cli/flags.ts";
import { checkModelEndpoint } from "svc/cli/model_endpoint.ts";
import { profileFlags, profileOf } from "svc/cli/profile_flags.ts";
import { repoAtHand } from "svc/cli/repo_at_hand.ts";
import { saveReport } from "svc/cli/save_report.ts";
import { fileStamp } from "svc/core/time.ts";
import { SMOKE_HEAD, smokePage, smokeRows, smokeShape } from "svc/runtime/smoke/report.ts";
import { smokeTest } from "svc/runtime/smoke/smoke.ts";

export default command({
  about: "Let each role do a small task in a repo made for it, and judge what comes of it",
  details:
    "For each task svc makes a repo in a temporary folder, with the roles of the current repo " +
    "(svc's own if it has no harness), and runs the role as svc run does: with the model that it " +
    "is routed to, or that of --model-endpoint. The right outcome is known beforehand: an " +
    "engineer mends a sum, qa approves a right change and sends a wrong one back, a planner " +
    "writes a ticket, an orchestrator chooses the one that can be started. In observer profile, " +
    "the default, each role only has to find a fault. Repos, database, traces and work trees are " +
    "removed at the end, also after Ctrl-C. Exit status: 0 all passed, 1 some did not, 5 none " +
    "ran.",
  examples: [
    { line: "svc validation agent-smoke", about: "whether each role can look and report" },
    {
      line: "svc validation agent-smoke --execution-profile host --acknowledge-host-execution",
      about: "whether each role can do its work",
    },
    {
      line: "svc validation agent-smoke --role engineer --role qa --model-endpoint " +
        "http://127.0.0.1:11434/v1#qwen3:4b --save-report",
      about: "two roles with a model to be tried, and a report in the repo",
    },
  ],
  effect: "writes_target",
  net: { to: "ask the models of the roles" },
  givenBy: { who: "person", because: "it starts agents, and spends for them" },
  modes: ["json", "plain"],
  flags: {
    repo,
    role: many(text("role", "A role of the manifest (default: all)", {
      suggest: "roles",
    })),
    modelEndpoint: text(
      "url",
      "OpenAI-compatible endpoint for all roles, above every route; #name picks a model",
    ),
    saveReport: on("Save the report, as Markdown and as JSON"),
    reportDir: path(
      "folder",
      "With --save-report: where it goes (default: docs/validation/reports of the repo)",
    ),
    ...profileFlags,
  },
  result: (z) =>
    z.strictObject({
      ...smokeShape(z).shape,
      saved: z.strictObject({ markdown: z.string(), json: z.string() }).nullable(),
    }),

  async run(app: App, asked) {
    const profile = profileOf(asked);
    checkModelEndpoint(app, asked);
    const opened = await repoAtHand(app, asked.repo);
    using folder = opened && await app.folder(opened.root);
    const report = await smokeTest(app, {
      ...{ repo: opened, folder, roles: asked.role, profile, modelEndpoint: asked.modelEndpoint },
      tell: (line) => app.progress.update(line),
    });
    if (!asked.saveReport) return { ...report, saved: null };
    const label = report.evidence === "live" ? "" : `${report.evidence}-`;
    const name = `${label}agent-smoke-${fileStamp(app.clock.now())}`;
    const place = { root: opened?.root, reportDir: asked.reportDir };
    const texts = { name, markdown: smokePage(report), json: report };
    return { ...report, saved: await saveReport(app, place, texts) };
  },

  exit({ roles }) {
    if (roles.every(({ verdict }) => verdict === "passed")) return 0;
    return roles.every(({ verdict }) => verdict === "not_run") ? 5 : 1;
  },

  show(report, page, { modelEndpoint, reportDir }) {
    const { roles, advice, saved, evidence, profile } = report;
    if (evidence === "fixture") {
      page.line(page.tone("warn", "FIXTURE: a scripted endpoint, no live evidence"));
    }
    page.table(SMOKE_HEAD, smokeRows(report));
    const passed = roles.filter(({ verdict }) => verdict === "passed").length;
    page.line(
      `${passed} of ${roles.length} roles passed` +
        (profile === "observer" ? ", in observer profile: what they can only look at" : ""),
    );
    for (const line of advice) page.line(`${page.tone("warn", "to change:")} ${line}`);
    if (saved !== null) page.line(`Wrote ${saved.markdown} and ${saved.json}`);
    else if (reportDir !== undefined) page.line("Nothing was saved: add --save-report");
    const at = modelEndpoint === undefined ? "" : ` --endpoint ${modelEndpoint}`;
    if (passed < roles.length) page.next(`svc models evaluate${at}`);
    else if (profile === "host") {
      page.next("svc start --execution-profile host --acknowledge-host-execution");
    } else {
      page.next(
        "svc validation agent-smoke --execution-profile host --acknowledge-host-execution",
      );
    }
  },
});
