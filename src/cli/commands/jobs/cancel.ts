import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, repo, text } from "svc/cli/flags.ts";
import { JOB } from "svc/cli/jobs/job_text.ts";
import { userName } from "svc/cli/page/ticket.ts";
import { CANCELLED_BY } from "svc/features/jobs/ended_by_hand.ts";
import { isAbandoned } from "svc/features/jobs/owner.ts";
import { personText } from "svc/cli/person_text.ts";
import { cancelNow, cancelReason } from "svc/runtime/service/job_asks.ts";
import { openStoredJob } from "svc/runtime/session/stored_job.ts";

export default command({
  about: "End one job: if it runs it is stopped, if it waits it never starts",
  details:
    "The worker of a running job learns of it through the database within a second, in whichever " +
    "process it runs; branch, work tree and ticket stay as they are. The reason is stored with " +
    "the job, and `svc explain` shows it. A job whose process is gone ends when svc starts again.",
  examples: [
    { line: "svc jobs cancel 6d302285", about: "the beginning or end of its id is enough" },
    { line: 'svc jobs cancel 6d302285 --reason "wrong ticket" --yes', about: "for scripts" },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "it ends work that others wait for", asks: true },
  modes: ["json", "plain", "yes", "dry-run"],
  flags: {
    repo,
    reason: text("text", "Why; it is stored with the job"),
    db: database("Database of the runtime (default: the repo's own)"),
  },
  args: { job: JOB },
  result: (z) =>
    z.strictObject({
      job: z.string(),
      role: z.string(),
      ticket_id: z.string().nullable(),
      /** `requested`: its worker ends it now; `cancelled`: it had not begun. */
      outcome: z.enum(["cancelled", "requested", "would_cancel"]),
      /** The process that ran it died, so that nobody ends it before svc starts again. */
      abandoned: z.boolean(),
      reason: z.string(),
      /** Something that looked like a secret was left out. */
      redacted: z.boolean(),
      dry_run: z.boolean(),
    }),

  async run(app: App, asked) {
    const { repo = app.cwd(), db, dryRun } = asked;
    await using stored = await openStoredJob(app, { repo, db, job: asked.job, doing: "cancel" });
    const { job: { id, role, ticket_id }, store } = stored;
    const abandoned = await isAbandoned(stored.job, app.identities);
    const { text: why, redacted } = await personText(app, asked.reason);
    const author = await userName(app, await app.git.open(stored.root, { signal: app.signal }));
    const reason = cancelReason(`${CANCELLED_BY} ${author}`, why);
    const ports = { db: store.db, clock: app.clock };
    const outcome = dryRun ? "would_cancel" as const : await cancelNow(ports, id, reason);
    return { job: id, role, ticket_id, outcome, abandoned, reason, redacted, dry_run: dryRun };
  },

  show({ job, role, ticket_id, outcome, abandoned, redacted }, page) {
    const what = `${role}${ticket_id === null ? "" : ` on ${ticket_id}`}, job ${job}`;
    if (outcome === "would_cancel") return page.line(`Would cancel ${what}`);
    page.line(
      outcome === "cancelled"
        ? `Cancelled ${what}: it had not begun`
        : abandoned
        ? `The process of ${what} died: it ends when svc starts again`
        : `Asked the worker of ${what} to end: it stops within seconds`,
    );
    if (redacted) page.line(page.tone("warn", "what looks like a secret was left out"));
    if (outcome === "cancelled") page.next(`svc jobs retry ${job}`);
    else page.next(abandoned ? "svc start" : `svc jobs logs ${job} -f`);
  },
});
