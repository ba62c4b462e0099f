import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { quoted } from "svc/core/repo_path.ts";
import { database, repo, required, text } from "svc/cli/flags.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { Failure } from "svc/core/failure.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { repoWithId } from "svc/features/repos/repo_store.ts";
import { ticketId } from "svc/features/tickets/ticket_list.ts";
import { reviewWork } from "svc/runtime/inbox/review_work.ts";
import { openStoredRepo, orElsewhere } from "svc/runtime/session/stored_repo.ts";

export default command({
  about: "Show the work of a ticket in review: its commit, its diff, and how to approve it",
  examples: [{ line: "svc tickets review T-0007", about: "what would be merged" }],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  flags: { repo, db: database("Database of the runtime (default: the repo's own)") },
  args: { id: required(text("id", "The ticket", { suggest: "tickets" })) },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      ticket: z.string(),
      title: z.string(),
      branch: z.string(),
      into: z.string(),
      commit: z.string(),
      /** What svc saw of the checks on this very commit. */
      checks: z.string().nullable(),
      said: z.string().nullable(),
      diff: z.string(),
      diff_cut: z.boolean(),
    }),

  async run(app: App, { repo = app.cwd(), db, id }) {
    await using stored = await openStoredRepo(app, { repo, db });
    const row = stored.store && await repoWithId(stored.store.db, stored.id);
    if (stored.store === undefined || row === undefined) {
      throw new Failure(
        "environment",
        `Cannot show the work of ${ticketId(id)}: this database has no job of ${
          quoted(stored.root)
        }`,
        { remedy: await orElsewhere(app, "svc start", { root: stored.root, db }) },
      );
    }
    const ports = { ...app, db: stored.store.db };
    using opened = await new RepoOpener(ports).open(row, { signal: app.signal });
    const { diff, checks = null, said = null, ...work } = await reviewWork(
      ports,
      opened,
      ticketId(id),
    );
    return { repo: stored.root, ...work, checks, said, diff: diff.text, diff_cut: diff.cut };
  },

  show({ ticket, title, branch, into, commit, checks, said, diff, diff_cut }, page, asked) {
    page.heading(`${ticket} ${title}`);
    page.fields([
      ["branch", `${branch}, into ${into}`],
      ["commit", commit],
      ["checks", checks ?? "svc has not run them on this commit"],
      ...(said === null ? [] : [["said", said] as const]),
    ]);
    page.line();
    page.text(diff);
    if (diff_cut) page.line(page.tone("warn", "The diff is longer; this is its beginning"));
    const place = samePlace(asked);
    page.next(`svc tickets approve ${ticket} --commit ${commit}${place}`);
    page.next(`svc tickets send-back ${ticket} "…" --commit ${commit}${place}`);
  },
});
