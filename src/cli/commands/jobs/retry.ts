import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, repo } from "svc/cli/flags.ts";
import { JOB } from "svc/cli/jobs/job_text.ts";
import { ownersLife } from "svc/features/jobs/owner.ts";
import { livingServices } from "svc/features/jobs/service_store.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { retryJob } from "svc/runtime/service/retry_job.ts";
import { openStoredJob } from "svc/runtime/session/stored_job.ts";

export default command({
  about: "Queue an ended job once more, with the same inputs",
  details:
    "The new job has the role, ticket or task, branch, trust and profile of the old one, and " +
    "begins afresh. Two identical requests queue one job. svc refuses, and says what to do, if a " +
    "retry makes no sense: the ticket is done, blocked or assigned to another role, another job " +
    "does the work, an earlier decision is not in git yet, or its role or model is held back. A " +
    "running svc takes the job up; otherwise the job waits for the next `svc start`.",
  examples: [
    { line: "svc jobs retry 6d302285", about: "the beginning or end of its id is enough" },
    { line: "svc jobs retry 6d302285 --yes --json | jq -r .job", about: "for scripts" },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "it starts an agent again", asks: true },
  modes: ["json", "plain", "yes"],
  flags: {
    repo,
    db: database("Database of the runtime (default: the repo's own)"),
  },
  args: { job: JOB },
  result: (z) =>
    z.strictObject({
      /** Id of the new job. */
      job: z.string(),
      retry_of: z.string(),
      role: z.string(),
      ticket_id: z.string().nullable(),
      profile: z.string(),
      /** A retry was queued before, and no second one is added. */
      existed: z.boolean(),
      /** A service that takes it up runs here. */
      service: z.boolean(),
    }),

  async run(app: App, asked) {
    const { repo = app.cwd(), db: typed } = asked;
    const named = { repo, db: typed, job: asked.job, doing: "retry" };
    await using stored = await openStoredJob(app, named);
    const { job, store: { db } } = stored;
    const { id, role, ticket_id, profile } = job;
    using opened = await new RepoOpener({ ...app, db }).open(stored.repo, { signal: app.signal });
    const retried = await retryJob({ db, clock: app.clock, profile }, opened, job);
    const services = await livingServices(db, ownersLife(app.identities));
    return {
      ...{ ...retried, retry_of: id, role, ticket_id, profile },
      service: services.some((one) => one.profile === profile),
    };
  },

  show({ job, retry_of, role, ticket_id, existed, service, profile }, page) {
    const what = `${role}${ticket_id === null ? "" : ` on ${ticket_id}`}, job ${job}`;
    page.line(existed ? `Queued already: ${what}` : `Queued ${what}, which repeats ${retry_of}`);
    const host = profile === "host" ? " --execution-profile host --acknowledge-host-execution" : "";
    page.next(service ? `svc jobs logs ${job} -f` : `svc start${host}`);
  },
});
