import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, on, repo, whole } from "svc/cli/flags.ts";
import { JobReader } from "svc/cli/jobs/follow.ts";
import { JOB, whyText } from "svc/cli/jobs/job_text.ts";
import { type ShownStep, shownStepShape, showStep } from "svc/cli/jobs/shown_step.ts";
import { openPage } from "svc/cli/page/open_page.ts";
import { DISPOSITIONS } from "svc/core/disposition.ts";
import { inertJson } from "svc/core/plain_text.ts";
import { redactedJson } from "svc/core/redact.ts";
import { isAbandoned } from "svc/features/jobs/owner.ts";
import { openStoredJob } from "svc/runtime/session/stored_job.ts";
import { factsNow } from "svc/runtime/views/facts_now.ts";

export default command({
  about: "Show what a job did, step by step: prompt, turns, tool calls with their output",
  details:
    "With -f it follows the job while it runs, in whichever process, and ends when the job does. " +
    "It only reads, so stopping it, even by force, does no harm. A turn is shown once its calls " +
    "are answered. Long texts are cut unless --full is given; the trace is read in pieces, so " +
    "that its size does not matter. Exit status: 0 also for a job that failed; 130 after Ctrl-C.",
  examples: [
    { line: "svc jobs logs 6d302285", about: "the beginning or end of its id is enough" },
    { line: "svc jobs logs 6d302285 -f --tail 5", about: "the last steps, and what comes" },
    {
      line: "svc jobs logs 6d302285 --json | jq -r '.steps[].calls[].tool'",
      about: "for scripts",
    },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads what is stored" },
  modes: ["json", "plain"],
  stream: "with -f each step as it comes, and last the job's state",
  flags: {
    repo,
    follow: on("Go on until the job ends; -f for short", { short: "f" }),
    tail: whole("number", "Show only this many of the newest steps", {
      min: 0,
      max: 100_000,
    }),
    full: on("Cut no text"),
    db: database("Database of the runtime (default: the repo's own)"),
  },
  args: { job: JOB },
  result: (z) =>
    z.strictObject({
      job: z.string(),
      role: z.string(),
      ticket_id: z.string().nullable(),
      /** `removed`: while it was followed. */
      status: z.enum(["pending", "running", "completed", "failed", "removed"]),
      disposition: z.enum(DISPOSITIONS).nullable(),
      why: z.string(),
      /** The process that ran it died. */
      abandoned: z.boolean(),
      /** Steps of the whole trace. */
      total: z.int(),
      /** Without -f; with it each is a line before this one. */
      steps: z.array(shownStepShape(z)),
      missing: z.array(z.string()),
    }),

  async run(app: App, asked) {
    const { repo = app.cwd(), db, follow, tail, full, json } = asked;
    await using stored = await openStoredJob(app, {
      ...{ repo, db, job: asked.job, doing: "show", reads: true, cwd: app.cwd() },
    });
    const { job, store } = stored;
    const page = openPage(app, asked, app.redact);
    const steps: ShownStep[] = [];
    const tell = (step: ShownStep) => {
      if (!json) return showStep(page, step, full);
      if (!follow) return void steps.push(step);
      const line = { ok: true, event: "step", ...step };
      app.stdout.write(`${inertJson(redactedJson(line, app.redact))}\n`);
    };
    const reader = new JobReader(app, stored, { tail, on: tell });
    const seen = follow ? await reader.follow(job.id) : {
      ...await reader.read(job, true),
      ...{ job, abandoned: await isAbandoned(job, app.identities) },
    };
    const { id, role, ticket_id } = job;
    return {
      ...{ job: id, role, ticket_id, abandoned: seen.abandoned, total: seen.total },
      status: seen.job?.status ?? "removed" as const,
      disposition: seen.job?.disposition ?? null,
      why: seen.job === undefined ? "its records were removed" : whyText(seen.job, {
        service: await factsNow({ ...app, db: store.db }),
        abandoned: seen.abandoned,
      }),
      steps,
      missing: seen.missing,
    };
  },

  show({ job, role, status, why, abandoned, missing }, page, { follow }) {
    for (const what of missing) page.line(page.tone("warn", what));
    page.line(`${page.tone("strong", `${role}, job ${job}`)}: ${status}, ${why}`);
    if (abandoned) page.next("svc start");
    else if (status === "running" && !follow) page.next(`svc jobs logs ${job} -f`);
    else if (status === "completed" || status === "failed") page.next(`svc jobs show ${job}`);
  },
});
