import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, database, otherwise, repo, whole } from "svc/cli/flags.ts";
import { DISPOSITIONS } from "svc/core/disposition.ts";
import { statesOf } from "svc/core/machine.ts";
import { rfc3339 } from "svc/core/time.ts";
import { jobMachine } from "svc/features/jobs/job_machine.ts";
import { recentJobs } from "svc/features/jobs/job_views.ts";
import { openStoredRepo } from "svc/runtime/session/stored_repo.ts";

const STATES = statesOf(jobMachine);

export default command({
  about: "List jobs of the repo, the newest first",
  examples: [
    { line: "svc jobs list --status running", about: "what works now" },
    { line: "svc jobs list --json | jq -r '.jobs[].id'", about: "for scripts" },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads what is stored" },
  modes: ["json", "plain"],
  flags: {
    repo,
    status: choice(STATES, "Only jobs in this state"),
    limit: otherwise(whole("number", "At most so many", { min: 1, max: 1000 }), 20),
    db: database("Database of the runtime (default: the repo's own)"),
  },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      jobs: z.array(z.strictObject({
        id: z.string(),
        role: z.string(),
        ticket_id: z.string().nullable(),
        status: z.enum(STATES),
        disposition: z.enum(DISPOSITIONS).nullable(),
        created_at: z.string(),
      })),
    }),

  async run(app: App, { repo = app.cwd(), status, limit, db }) {
    await using stored = await openStoredRepo(app, { repo, db });
    const { root, id: repo_id, store } = stored;
    const filter = { repo_id, ...(status !== undefined && { status }) };
    const jobs = store === undefined ? [] : await recentJobs(store.db, filter, limit);
    return {
      repo: root,
      jobs: jobs.map(({ id, role, ticket_id, status, disposition, created_at }) => ({
        ...{ id, role, ticket_id, status, disposition },
        created_at: rfc3339(created_at),
      })),
    };
  },

  show({ jobs }, page) {
    if (jobs.length === 0) page.line("No jobs");
    else {
      page.table(
        ["id", "role", "ticket", "state", "ended as", "created"],
        jobs.map(({ id, role, ticket_id, status, disposition, created_at }) => [
          ...[id, role, ticket_id ?? "-", status, disposition ?? "-", created_at],
        ]),
      );
    }
  },
});
