import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, repo, required, text } from "svc/cli/flags.ts";
import { JOB } from "svc/cli/jobs/job_text.ts";
import { userName } from "svc/cli/page/ticket.ts";
import { personText } from "svc/cli/person_text.ts";
import { tellJob } from "svc/features/jobs/note_store.ts";
import { openStoredJob } from "svc/runtime/session/stored_job.ts";

export default command({
  about: "Tell a running job something, which its role reads before its next turn",
  details:
    "The note is stored, and reaches the role in whichever process it runs. A waiting job gets it " +
    "before its first turn. If the job ends before its role has read the note, the next job of " +
    "its ticket gets it, and `svc explain` says so. What looks like a secret is left out. A job " +
    "takes at most 20 notes, of 4,000 characters each.",
  examples: [
    {
      line: 'svc jobs tell 0199c2f3a1b2 "leave src/api alone"',
      about: "the beginning or end of its id is enough",
    },
    { line: "svc jobs tell 0199c2f3a1b2 - --yes < note.md", about: "from standard input" },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "roles go by a note as by a person's word", asks: true },
  modes: ["json", "plain", "yes", "dry-run"],
  flags: {
    repo,
    db: database("Database of the runtime (default: the repo's own)"),
  },
  args: {
    job: JOB,
    note: required(text("text", "What to say; - reads it from standard input")),
  },
  result: (z) =>
    z.strictObject({
      job: z.string(),
      role: z.string(),
      ticket_id: z.string().nullable(),
      status: z.string(),
      note: z.string(),
      /** Something that looked like a secret was left out. */
      redacted: z.boolean(),
      dry_run: z.boolean(),
    }),

  async run(app: App, asked) {
    const { repo = app.cwd(), db, dryRun } = asked;
    await using stored = await openStoredJob(app, { repo, db, job: asked.job, doing: "tell" });
    const { job } = stored;
    const { text = "", redacted } = await personText(app, asked.note);
    const checkout = await app.git.open(stored.root, { signal: app.signal });
    const author = await userName(app, checkout);
    const { id, role, ticket_id, status } = job;
    const note = { job: id, author, text };
    const told = dryRun ? note : await tellJob(stored.store.db, note, app.clock.now());
    return { job: id, role, ticket_id, status, note: told.text, redacted, dry_run: dryRun };
  },

  show({ job, role, status, note, redacted, dry_run }, page) {
    const when = status === "running" ? "before its next turn" : "before its first turn";
    page.line(`${dry_run ? "Would tell" : "Told"} ${role}, job ${job}: it reads this ${when}`);
    page.text(note);
    if (redacted) page.line(page.tone("warn", "what looks like a secret was left out"));
    if (!dry_run) page.next(`svc jobs logs ${job} -f`);
  },
});
