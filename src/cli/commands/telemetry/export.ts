import { counted } from "svc/core/counted.ts";
import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, on, repo } from "svc/cli/flags.ts";
import { Failure } from "svc/core/failure.ts";
import { NOTHING_TO_REPORT } from "svc/features/telemetry/make_report.ts";
import { exportReport, outboxCounts } from "svc/features/telemetry/outbox_store.ts";
import { openReported } from "svc/runtime/session/reported_database.ts";

export default command({
  about: "Queue an anonymous report of what ended since the last one; nothing is sent",
  details:
    "The report is what `svc telemetry preview` shows. It cannot contain raw traces, prompts, " +
    "contents of files, paths, remotes or raw errors. It waits in the outbox of the database, " +
    "which holds 64 reports; while that is full, the next report covers a longer time, of at most " +
    "30 days.",
  examples: [
    { line: "svc telemetry export --anonymous", about: "the repo of the current folder" },
    {
      line: "svc telemetry export --anonymous --db ~/.svc-harness/db/svc.db",
      about: "what svc serve did",
    },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "what is queued goes out with the next send" },
  modes: ["json", "plain"],
  flags: {
    anonymous: on("Required: only anonymous counts are queued, and nothing without this flag"),
    repo,
    db: database("Database that holds the jobs (default: the repo's own)"),
  },
  result: (z) =>
    z.strictObject({
      database: z.string().nullable(),
      outcome: z.enum(["queued", "nothing", "full"]),
      report_id: z.string().exactOptional(),
      jobs: z.int(),
      pending: z.int(),
    }),

  async run(app: App, { anonymous, repo, db }) {
    if (!anonymous) {
      throw new Failure("usage", "Cannot export: svc makes anonymous reports alone", {
        remedy: "svc telemetry export --anonymous",
      });
    }
    await using store = await openReported(app, { repo, db, cwd: app.cwd() });
    if (store === undefined) {
      return { database: null, outcome: "nothing" as const, jobs: 0, pending: 0 };
    }
    const plan = { now: app.clock.now(), target: app.runtime.target };
    const exported = await exportReport(store.db, plan);
    const { counts } = await outboxCounts(store.db);
    return {
      database: store.path,
      outcome: exported.kind,
      ...(exported.kind === "queued" && { report_id: exported.made.id }),
      jobs: exported.kind === "queued" ? exported.made.jobs : 0,
      pending: counts.pending,
    };
  },

  show({ outcome, report_id, jobs, pending }, page) {
    if (outcome === "queued") page.line(`Queued report ${report_id} of ${counted(jobs, "job")}`);
    else if (outcome === "full") {
      page.line(
        `The outbox is full, of ${counted(pending, "report")}; the next one covers a longer time`,
      );
    } else page.line(NOTHING_TO_REPORT);
    if (pending > 0) page.next("svc telemetry preview");
  },
});
