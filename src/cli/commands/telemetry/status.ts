import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, repo } from "svc/cli/flags.ts";
import { rfc3339 } from "svc/core/time.ts";
import { REPORTING_ENV, reportingLine } from "svc/features/settings/reporting.ts";
import { outboxCounts, reportState } from "svc/features/telemetry/outbox_store.ts";
import { openReported, ownReporting } from "svc/runtime/session/reported_database.ts";

const timeOf = (at: number | null) => at === null ? null : rfc3339(at);

const SOURCES = { environment: "environment", config: "~/.svc/config.yaml", default: "default" };

export default command({
  about: "Show whether anonymous reports are sent, where to, and how many wait",
  details:
    "Off by default: nothing leaves this machine until telemetry.reporting is `anonymous` and " +
    "telemetry.endpoint is set in ~/.svc/config.yaml, or SVC_TELEMETRY_REPORTING and " +
    "SVC_TELEMETRY_ENDPOINT say so. Those variables, SVC_TELEMETRY_TOKEN and " +
    "SVC_TELEMETRY_INTERVAL override the config. The token itself is never shown.",
  examples: [
    { line: "svc telemetry status", about: "the repo of the current folder" },
    { line: "svc telemetry status --db ~/.svc-harness/db/svc.db", about: "as svc serve has it" },
    { line: "svc telemetry status --json | jq .sends", about: "for scripts" },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  flags: {
    repo,
    db: database("Database that holds the jobs (default: the repo's own)"),
  },
  result: (z) => {
    const from = z.enum(["environment", "config", "default"]);
    const time = z.string().nullable();
    return z.strictObject({
      sends: z.boolean(),
      summary: z.string(),
      reporting: z.strictObject({ value: z.enum(["off", "anonymous"]), from }),
      endpoint: z.strictObject({ value: z.string().nullable(), from }),
      token: z.strictObject({ set: z.boolean(), from }),
      interval: z.strictObject({ value: z.string(), from }),
      database: z.string().nullable(),
      pending: z.int(),
      /** These two count what the outbox still holds. */
      sent: z.int(),
      refused: z.int(),
      reported_until: time,
      last_queued_at: time,
      last_sent_at: time,
      failures: z.int(),
      retry_at: time,
    });
  },

  async run(app: App, { repo, db }) {
    const reporting = await ownReporting(app);
    await using store = await openReported(app, { repo, db, cwd: app.cwd() });
    const outbox = store && await outboxCounts(store.db);
    const state = store && await reportState(store.db);
    const { from } = reporting;
    return {
      sends: reporting.silent === undefined,
      summary: reportingLine(reporting),
      reporting: { value: reporting.reporting, from: from.reporting },
      endpoint: { value: reporting.endpoint ?? null, from: from.endpoint },
      token: { set: reporting.token !== undefined, from: from.token },
      interval: { value: reporting.interval, from: from.interval },
      database: store?.path ?? null,
      ...(outbox?.counts ?? { pending: 0, sent: 0, refused: 0 }),
      reported_until: timeOf(state?.reported_until ?? null),
      last_queued_at: timeOf(outbox?.lastQueuedAt ?? null),
      last_sent_at: timeOf(outbox?.lastSentAt ?? null),
      failures: state?.failures ?? 0,
      retry_at: timeOf(state?.retry_at ?? null),
    };
  },

  show(found, page) {
    const { sends, summary, reporting, endpoint, token, interval, database } = found;
    page.line(page.tone(sends ? "warn" : "good", summary));
    const said = (value: string, setting: keyof typeof REPORTING_ENV) => {
      const { from } = found[setting];
      return `${value} (${from === "environment" ? REPORTING_ENV[setting] : SOURCES[from]})`;
    };
    page.fields([
      ["reporting", said(reporting.value, "reporting")],
      ["endpoint", said(endpoint.value ?? "none", "endpoint")],
      ["token", said(token.set ? "set" : "none", "token")],
      ["interval", said(interval.value, "interval")],
      ["database", database ?? "none yet: no job has run here"],
      ["reports waiting", String(found.pending)],
      ["last sent", found.last_sent_at ?? "never"],
    ]);
    if (found.retry_at !== null) {
      page.line(`${found.failures} tries failed; a service tries again at ${found.retry_at}`);
    }
    if (found.refused > 0) page.line(`Reports that the collector refused: ${found.refused}`);
    page.next(found.pending > 0 && sends ? "svc telemetry send" : "svc telemetry preview");
  },
});
