import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, on, otherwise, repo, text } from "svc/cli/flags.ts";
import { endWaiver, waiveChecks, waiverOf } from "svc/features/checks/waiver_store.ts";
import { openStoredRepo } from "svc/runtime/session/stored_repo.ts";

export default command({
  about: "Let approved work be merged although no check judges it",
  details:
    "With the merge policy `local` and no check in project.checks of the manifest, only roles " +
    "have looked at what svc merges, so approved work waits for your permission. It also waits " +
    "if each check is red on the branch already, since none judges the work then. This command " +
    "gives the permission, for one repo, until you take it back. It changes nothing for work " +
    "that a green check has judged.",
  examples: [
    { line: "svc checks waive --reason 'notes only'", about: "the repo of the current folder" },
    { line: "svc checks waive --end", about: "takes the word back" },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "its word lets work in that no check judges", asks: true },
  modes: ["json", "plain", "yes", "dry-run"],
  flags: {
    repo,
    reason: otherwise(text("text", "Why, for the record"), "a person said so"),
    end: on("Take the permission back: approved work waits again"),
    db: database("Database of the runtime (default: the repo's own)"),
  },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      repo_id: z.string(),
      waived: z.boolean(),
      changed: z.boolean(),
      /** The checks that the manifest names; while one of them is green, the waiver has no effect. */
      checks: z.array(z.string()),
      database: z.string().nullable(),
      dry_run: z.boolean(),
    }),

  async run(app: App, { repo = app.cwd(), reason, end, db, dryRun }) {
    await using stored = await openStoredRepo(app, { repo, db, make: !dryRun });
    const { root, id, store, manifest } = stored;
    const before = store !== undefined && await waiverOf(store.db, id) !== undefined;
    if (!dryRun && store !== undefined) {
      const waiver = { repo_id: id, reason, waived_at: app.clock.now() };
      await (end ? endWaiver(store.db, id) : waiveChecks(store.db, waiver));
    }
    return {
      repo: root,
      repo_id: id,
      waived: !end,
      changed: before === end,
      checks: (manifest?.project.checks ?? []).map(({ name }) => name),
      database: store?.path ?? null,
      dry_run: dryRun,
    };
  },

  show({ waived, changed, checks, dry_run }, page) {
    const what = waived ? "approved work is merged unchecked" : "approved work waits for your word";
    page.line(`${dry_run ? "Would say" : changed ? "Said" : "Said before"}: ${what}`);
    if (checks.length > 0) {
      const names = checks.join(", ");
      page.line(`It counts only where each check is red on the branch already: ${names}`);
    }
    page.next("svc start continues with what waits");
  },
});
