import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, on, repo } from "svc/cli/flags.ts";
import { reportingLine } from "svc/features/settings/reporting.ts";
import { makeReport, NOTHING_TO_REPORT } from "svc/features/telemetry/make_report.ts";
import {
  pendingReports,
  reportState,
  settledReports,
} from "svc/features/telemetry/outbox_store.ts";
import { OUTBOX_STATES, type OutboxState } from "svc/features/telemetry/outbox_table.ts";
import { openReported, ownReporting } from "svc/runtime/session/reported_database.ts";

const STATES = {
  pending: "waits in the outbox",
  next: "would be queued by an export",
  sent: "was sent",
  refused: "was refused by the collector",
} as const;

export default command({
  about: "Show the exact bytes of each report that would go, and change nothing",
  details:
    "A report counts ended jobs by standard role, by how they ended, by failure category, by " +
    "duration and by whether the model is local; a role of your own is `custom`. Its only times " +
    "are days. It contains no name, path, remote, prompt, trace, file or error text: only what is " +
    "on the published list can be in it (assets/schema/telemetry-report.schema.json). The waiting " +
    "reports are shown first, then the one that `svc telemetry export` would queue now.",
  examples: [
    { line: "svc telemetry preview", about: "the repo of the current folder" },
    { line: "svc telemetry preview --sent", about: "what has gone already" },
    { line: "svc telemetry preview --json | jq -r '.reports[].body'", about: "the bytes alone" },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  flags: {
    repo,
    db: database("Database that holds the jobs (default: the repo's own)"),
    sent: on("Show the reports that were sent or refused instead, newest first, at most 32"),
  },
  result: (z) =>
    z.strictObject({
      sends: z.boolean(),
      summary: z.string(),
      database: z.string().nullable(),
      reports: z.array(z.strictObject({
        report_id: z.string(),
        state: z.enum([...OUTBOX_STATES, "next"]),
        bytes: z.int(),
        body: z.string(),
      })),
    }),

  async run(app: App, { repo, db, sent }) {
    const reporting = await ownReporting(app);
    await using store = await openReported(app, { repo, db, cwd: app.cwd() });
    const stored = store === undefined
      ? []
      : await (sent ? settledReports : pendingReports)(store.db);
    const next = sent ? undefined : store && await makeReport(store.db, {
      state: await reportState(store.db),
      now: app.clock.now(),
      target: app.runtime.target,
    });
    const shown = (report_id: string, state: OutboxState | "next", body: string) => ({
      report_id,
      state,
      bytes: new TextEncoder().encode(body).byteLength,
      body,
    });
    return {
      sends: reporting.silent === undefined,
      summary: reportingLine(reporting),
      database: store?.path ?? null,
      reports: [
        ...stored.map(({ report_id, state, body }) => shown(report_id, state, body)),
        ...(next === undefined ? [] : [shown(next.id, "next", next.body)]),
      ],
    };
  },

  show({ sends, summary, reports }, page, { sent }) {
    page.line(page.tone(sends ? "warn" : "good", summary));
    if (reports.length === 0) {
      page.line(
        sent ? "No report was sent yet" : NOTHING_TO_REPORT,
      );
    }
    for (const { state, bytes, body } of reports) {
      page.heading(`${bytes} bytes, ${STATES[state]}:`);
      page.line(body);
    }
    if (reports.some(({ state }) => state === "next")) {
      page.next("svc telemetry export --anonymous");
    } else if (reports.length > 0 && !sent) page.next("svc telemetry send");
  },
});
