import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, database, on, otherwise, repo, text, whole } from "svc/cli/flags.ts";
import { ageText, shortId, whyText } from "svc/cli/jobs/job_text.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { costText, tokensText } from "svc/core/cost.ts";
import { Failure } from "svc/core/failure.ts";
import { statesOf } from "svc/core/machine.ts";
import { quoted } from "svc/core/repo_path.ts";
import { rfc3339 } from "svc/core/time.ts";
import { jobMachine } from "svc/features/jobs/job_machine.ts";
import { jobWordsOf } from "svc/features/jobs/job_views.ts";
import { isAbandoned } from "svc/features/jobs/owner.ts";
import { nodeNames } from "svc/features/nodes/node_store.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { ticketId } from "svc/features/tickets/ticket_list.ts";
import { ofServe, openStoredPlace, serveDatabase } from "svc/runtime/session/stored_repo.ts";
import { factsNow } from "svc/runtime/views/facts_now.ts";
import { jobItem, jobShape } from "svc/runtime/views/job_item.ts";
import { newestJobs } from "svc/runtime/views/jobs_view.ts";
import { scopeOf } from "svc/runtime/views/view_ports.ts";

const STATES = statesOf(jobMachine);

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `90m`, `12h`, `7d`, or a time such as `2026-11-20`. @returns epoch ms @throws Failure `usage` */
export function sinceTime(typed: string, now: number): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(typed) ?? [];
  const at = count === undefined
    ? /^\d{4}-\d\d-\d\d/.test(typed) ? Date.parse(typed) : NaN
    : now - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (Number.isFinite(at)) return at;
  throw new Failure("usage", `Cannot list jobs since ${quoted(typed)}: that is no time`, {
    remedy: "Give an age such as 90m, 12h or 7d, or a time such as 2026-11-20",
  });
}

export default command({
  about: "List jobs of the repo, the newest first",
  details:
    "Shows each job with its age, state, role, ticket, model, tokens, cost, and why it is in that " +
    "state. The id is the end of the whole id, and is enough to name the job. The repo's own " +
    "database has the jobs of svc start and svc run; --db names the shared one of svc serve.",
  examples: [
    { line: "svc jobs list --status running", about: "what works now" },
    { line: "svc jobs list --ticket T-0007 --since 7d", about: "what was done about a ticket" },
    {
      line: 'svc jobs list --search "timed out" --limit 100',
      about: "in role, ticket, model, reason",
    },
    { line: "svc jobs list --json | jq -r '.jobs[].id'", about: "for scripts" },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads what is stored" },
  modes: ["json", "plain"],
  flags: {
    repo,
    all: on("All repos that are registered in the database"),
    status: choice(STATES, "Only jobs in this state"),
    role: text("role", "Only jobs of this role", { suggest: "roles" }),
    ticket: text("id", "Only jobs on this ticket", { suggest: "tickets" }),
    search: text("words", "Only jobs whose description has all of these words"),
    since: text("time", "Only jobs queued since: 90m, 12h, 7d, or a time such as 2026-11-20"),
    limit: otherwise(whole("number", "At most this many", { min: 1, max: 1000 }), 20),
    db: database("Database of the runtime (default: the repo's own)"),
  },
  result: (z) =>
    z.strictObject({
      /** Null where all are asked outside of a repo. */
      repo: z.string().nullable(),
      /** The database of `svc serve`, which has the repo too and was not asked. */
      not_asked: z.string().nullable(),
      jobs: z.array(
        jobShape(z).extend({
          /** Why it is in its state, for people. */
          why: z.string(),
        }),
      ),
      /** Ages are counted until then. */
      as_of: z.string(),
      /** More fit than `--limit` takes. */
      more: z.boolean(),
    }),

  async run(app: App, asked) {
    const { repo, db, all, status, role, ticket, search, since, limit } = asked;
    const now = app.clock.now();
    const from = since === undefined ? undefined : sinceTime(since, now);
    const ticket_id = ticket === undefined ? undefined : ticketId(ticket);
    const words = search === undefined ? undefined : jobWordsOf(search);
    await using stored = await openStoredPlace(app, { repo, db, all, cwd: app.cwd() });
    const { root, id, store } = stored;
    const place = { repo: root ?? null, not_asked: await serveDatabase(app, { root, db }) };
    if (store === undefined) return { ...place, as_of: rfc3339(now), jobs: [], more: false };
    const filter = {
      ...(status !== undefined && { status }),
      ...(role !== undefined && { role }),
      ...(ticket_id !== undefined && { ticket_id }),
      ...(from !== undefined && { since: from }),
      ...(words !== undefined && { words }),
    };
    const known = await listRepos(store.db);
    const nodes = await nodeNames(store.db);
    const scope = scopeOf(all ? known : known.filter((one) => one.id === id), nodes);
    const jobs = await newestJobs({ db: store.db }, scope, filter, limit + 1);
    const service = await factsNow({ ...app, db: store.db });
    return {
      ...place,
      jobs: await Promise.all(
        jobs.slice(0, limit).map(async (job) => {
          const abandoned = await isAbandoned(job, app.identities);
          return { ...jobItem(job, scope, now), why: whyText(job, { service, abandoned }) };
        }),
      ),
      as_of: rfc3339(now),
      more: jobs.length > limit,
    };
  },

  show({ jobs, more, as_of, not_asked }, page, { repo, all, limit, db }) {
    const [newest] = jobs;
    if (newest === undefined) {
      page.line("No jobs");
      return not_asked === null ? undefined : page.line(page.tone("dim", ofServe(not_asked)));
    }
    const now = Date.parse(as_of);
    const team = jobs.some(({ node }) => node !== undefined);
    page.table(
      [
        ...["id", "age", "state", ...all ? ["repo"] : [], "role", "ticket"],
        ...[...team ? ["node"] : [], "model", "tokens"],
        ...["cost", "why"],
      ],
      jobs.map((job) => [
        ...[shortId(job.id), ageText(now - Date.parse(job.created_at)), job.status],
        ...all ? [job.repo] : [],
        ...[job.role, job.ticket_id ?? "-"],
        ...[...team ? [job.node ?? "-"] : [], job.model ?? "-"],
        ...[
          tokensText(job.tokens_in + job.tokens_out),
          job.cost_basis === null ? "-" : costText(job),
        ],
        job.why,
      ]),
    );
    if (more) page.line(page.tone("dim", `more fit: --limit ${Math.min(1000, limit * 5)}`));
    page.next(`svc jobs show ${shortId(newest.id)}${samePlace({ repo, db })}`);
  },
});
