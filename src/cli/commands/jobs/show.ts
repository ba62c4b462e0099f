import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, repo } from "svc/cli/flags.ts";
import { JOB, whyText } from "svc/cli/jobs/job_text.ts";
import { costText } from "svc/core/cost.ts";
import { counted } from "svc/core/counted.ts";
import { duration } from "svc/core/time.ts";
import { isAbandoned } from "svc/features/jobs/owner.ts";
import { notesOf } from "svc/features/jobs/note_store.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { tracePath } from "svc/runtime/job/trace_path.ts";
import { retryOf } from "svc/runtime/service/retry_job.ts";
import { openStoredJob } from "svc/runtime/session/stored_job.ts";
import { factsNow } from "svc/runtime/views/facts_now.ts";
import { jobPageShape } from "svc/runtime/views/job_view.ts";
import { openReads } from "svc/runtime/views/open_reads.ts";

/** Lines that begin with one sign, but for the names of files. */
const count = (diff: string, sign: "+" | "-") =>
  diff.split("\n").filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3)))
    .length;

const diffStat = (diff: string | null) =>
  diff === null ? null : {
    files: diff.split("\n").filter((line) => line.startsWith("diff --git ")).length,
    added: count(diff, "+"),
    removed: count(diff, "-"),
  };

/** Whole seconds are too coarse for a job that has ended at once. */
function tookText(
  { started_at, finished_at, duration_secs }: {
    readonly started_at: string | null;
    readonly finished_at: string | null;
    readonly duration_secs: number | null;
  },
): string | null {
  if (started_at !== null && finished_at !== null) {
    return duration(Math.max(0, Date.parse(finished_at) - Date.parse(started_at)));
  }
  return duration_secs === null ? null : duration(duration_secs * 1000);
}

export default command({
  about: "Show everything of one job: state, decision, checks, changes, tokens, cost, trace",
  details:
    "Shows the same as the job's page in the dashboard, except for the turns: svc jobs logs has " +
    "those. svc explain tells what followed the job, and why.",
  examples: [
    { line: "svc jobs show 6d302285", about: "the beginning or end of its id is enough" },
    { line: "svc jobs show 6d302285 --json | jq -r .trace.path", about: "for scripts" },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads what is stored" },
  modes: ["json", "plain"],
  flags: {
    repo,
    db: database("Database of the runtime (default: the repo's own)"),
  },
  args: { job: JOB },
  result: (z) =>
    jobPageShape(z).omit({ turns: true, diff: true }).extend({
      why: z.string(),
      /** The job that this one repeats. */
      retry_of: z.string().nullable(),
      notes: z.array(z.strictObject({ author: z.string(), text: z.string(), read: z.boolean() })),
      diff_stat: z.strictObject({ files: z.int(), added: z.int(), removed: z.int() }).nullable(),
      trace: z.strictObject({ path: z.string(), bytes: z.int().nullable() }),
    }),

  async run(app: App, asked) {
    const { repo = app.cwd(), db: typed } = asked;
    const named = { repo, db: typed, job: asked.job, doing: "show", reads: true, cwd: app.cwd() };
    await using stored = await openStoredJob(app, named);
    const { job, repo: own, store: { db } } = stored;
    const reads = openReads({ ...app, db, profile: job.profile }, {
      service: { status: () => Promise.reject(new Error("a job is read without a service")) },
      repos: () => listRepos(db),
    });
    const { turns: _, diff, ...found } = (await reads.job({ id: job.id, turns: "none" }))!;
    const at = job.trace_path ?? tracePath(app.home, { id: own.id, root: own.path }, job.id);
    return {
      ...found,
      why: whyText(job, {
        service: await factsNow({ ...app, db }),
        abandoned: await isAbandoned(job, app.identities),
      }),
      retry_of: retryOf(job),
      notes: (await notesOf(db, job.id)).map(({ author, text, read_by }) => ({
        ...{ author, text, read: read_by !== null },
      })),
      diff_stat: diffStat(diff),
      trace: { path: at, bytes: (await app.files.stat(at))?.size ?? null },
    };
  },

  show(found, page) {
    const { job, task, branch, decisions, checks, denials, notes, diff_stat, trace } = found;
    const field = (name: string, value: string | null) =>
      value === null ? [] : [[name, value] as const];
    const tokens = `${job.tokens_in} in (${job.tokens_cached} cached), ${job.tokens_out} out`;
    const used = `${counted(job.turns, "turn")}, ${counted(job.tool_calls, "call")}`;
    page.heading(
      `${job.role}${job.ticket_id === null ? "" : ` on ${job.ticket_id}`}: ${job.status}`,
    );
    page.fields([
      ["job", job.id],
      ["repo", job.repo],
      ["why", found.why],
      ...field("task", task),
      ["asked for by", found.retry_of === null ? job.trigger : `a retry of ${found.retry_of}`],
      ["attempts", `${job.attempt} of ${job.max_attempts}`],
      ["queued", job.created_at],
      ...field("began", job.started_at),
      ...field("ended", job.finished_at),
      ...field("took", tookText(job)),
      ...field("node", job.node ?? null),
      ...field("model", job.model),
      ...job.turns === 0 ? [] : [["used", used] as const],
      ...job.turns === 0 ? [] : [["tokens", tokens] as const],
      ...field("cost", job.cost_basis === null ? null : costText(job)),
      ...field("branch", branch),
      ...field("commit", job.commit),
      ...diff_stat === null ? [] : [
        [
          "changes",
          `${diff_stat.files} files, +${diff_stat.added} -${diff_stat.removed}`,
        ] as const,
      ],
      ...checks.map(({ name, outcome, duration_secs }) =>
        [`check ${name}`, `${outcome} (${duration_secs} s)`] as const
      ),
      ...decisions.map(({ rule, move, next_role, stop }) =>
        [
          "decided",
          [rule, move, next_role === null ? null : `then ${next_role}`, stop]
            .filter((part) => part !== null).join("; "),
        ] as const
      ),
      ...denials.map(({ tool, reason }) => [`denied ${tool}`, reason] as const),
      ...notes.map(({ author, text, read }) =>
        ["note", `${author}, ${read ? "read" : "not read yet"}: ${text}`] as const
      ),
      ["trace", trace.bytes === null ? `${trace.path} (not there)` : trace.path],
    ]);
    for (const what of found.missing) page.line(page.tone("warn", what));
    page.next(`svc jobs logs ${job.id}${job.status === "running" ? " -f" : ""}`);
  },
});
