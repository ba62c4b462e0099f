import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, repo } from "svc/cli/flags.ts";
import { reportingLine } from "svc/features/settings/reporting.ts";
import { outboxCounts } from "svc/features/telemetry/outbox_store.ts";
import { sendReports } from "svc/features/telemetry/send_reports.ts";
import { openReported, ownReporting } from "svc/runtime/session/reported_database.ts";

export default command({
  about: "Send the reports that wait, if you have turned reporting on",
  details:
    "Makes no connection unless telemetry.reporting is `anonymous` and telemetry.endpoint is set. " +
    "Each report is one POST to the endpoint with /v1/anonymous-telemetry/reports appended, over " +
    "https or to this machine; no redirect is followed. If sending fails, that is a warning with " +
    "exit status 0, and the report waits: svc start and svc serve send waiting reports by " +
    "themselves, every telemetry.interval (24h), and wait longer after each failure.",
  examples: [
    { line: "svc telemetry send", about: "what waits in the repo's database" },
    { line: "svc telemetry send --json | jq .warnings", about: "for scripts" },
  ],
  effect: "writes_home",
  net: { to: "post anonymous reports to the endpoint of your config" },
  givenBy: { who: "person", because: "it sends something from this machine" },
  modes: ["json", "plain"],
  flags: {
    repo,
    db: database("Database that holds the jobs (default: the repo's own)"),
  },
  result: (z) =>
    z.strictObject({
      sends: z.boolean(),
      summary: z.string(),
      database: z.string().nullable(),
      sent: z.int(),
      refused: z.int(),
      pending: z.int(),
      warnings: z.array(z.string()),
    }),

  async run(app: App, { repo, db }) {
    const reporting = await ownReporting(app);
    await using store = await openReported(app, { repo, db, cwd: app.cwd() });
    const sends = reporting.silent === undefined;
    const facts = { sends, summary: reportingLine(reporting), database: store?.path ?? null };
    if (!sends || store === undefined) {
      const pending = store === undefined ? 0 : (await outboxCounts(store.db)).counts.pending;
      return { ...facts, sent: 0, refused: 0, pending, warnings: [] };
    }
    const { warning, ...counts } = await sendReports({ ...app, db: store.db }, reporting);
    if (warning !== undefined) app.log.write("warn", `telemetry: ${warning}`);
    return { ...facts, ...counts, warnings: warning === undefined ? [] : [warning] };
  },

  show({ sends, summary, sent, refused, pending, warnings }, page) {
    page.line(summary);
    page.line(`Reports sent: ${sent}; waiting: ${pending}`);
    if (refused > 0) page.line(`Refused, and not tried again: ${refused}`);
    for (const text of warnings) page.line(page.tone("warn", `Warning: ${text}`));
    if (warnings.length > 0) page.next("svc telemetry status");
    else if (!sends) page.next("svc telemetry preview");
  },
});
