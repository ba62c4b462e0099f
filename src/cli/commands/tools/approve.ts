import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, repo, required, text } from "svc/cli/flags.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { openStoredRepo } from "svc/runtime/session/stored_repo.ts";
import { approveTool } from "svc/features/tools/custom/approval_store.ts";

export default command({
  about: "Approve a tool of a repo, as its definition is now",
  details:
    "A repo may contain tools in .harness/tools; none runs before a person has approved it, or a " +
    "role with contributor trust has made it. You approve the content of the definition, and of " +
    "the program if that is in the repo: if either changes, a new approval is needed. A role can " +
    "use the tool if its tools in the manifest name it.",
  examples: [
    { line: "svc tools approve repo_format", about: "a tool of the repo of the current folder" },
    { line: "svc tools approve repo_format --dry-run", about: "shows what it would run" },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "what is approved runs as a tool of roles", asks: true },
  modes: ["json", "plain", "yes", "dry-run"],
  args: { name: required(text("name", "Name of the tool, such as repo_format")) },
  flags: {
    repo,
    db: database("Database that holds approvals (default: the repo's own)"),
  },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      name: z.string(),
      path: z.string(),
      about: z.string(),
      argv: z.array(z.string()),
      sha256: z.string(),
      changed: z.boolean(),
      database: z.string().nullable(),
      dry_run: z.boolean(),
    }),

  async run(app: App, { name, repo = app.cwd(), db, dryRun }) {
    await using stored = await openStoredRepo(app, { repo, db, make: !dryRun });
    const { customToolPath, loadCustomTool, checkedName } = await app.load(
      "src/features/tools/custom/file",
    );
    using folder = await app.folder(stored.root);
    const { tool, sha256 } = await loadCustomTool(folder, checkedName(name));
    const approval = { repo_id: stored.id, name, sha256, approved_by: "person" };
    const changed = dryRun || stored.store === undefined
      ? false
      : await approveTool(stored.store.db, { ...approval, approved_at: app.clock.now() });
    return {
      repo: stored.root,
      name,
      path: customToolPath(name),
      about: tool.about,
      argv: tool.argv,
      sha256,
      changed,
      database: stored.store?.path ?? null,
      dry_run: dryRun,
    };
  },

  show({ name, about, argv, sha256, changed, dry_run }, page, asked) {
    const did = dry_run ? "Would approve" : changed ? "Approved" : "Approved before:";
    page.line(`${did} ${name} (${sha256.slice(0, 12)})`);
    page.fields([["about", about], ["runs", argv.join(" ")]]);
    if (!dry_run) page.next(`svc tools list${samePlace(asked)}`);
  },
});
