import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, repo } from "svc/cli/flags.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { WORKTREE_KEEP_MS } from "svc/runtime/engine/engine_plan.ts";
import { counted } from "svc/core/counted.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { workedOnIn } from "svc/features/repos/registered_here.ts";
import { removeUnneeded, unneededIn } from "svc/runtime/engine/clean_by_hand.ts";
import { openCheckout, orElsewhere } from "svc/runtime/session/stored_repo.ts";
import { openToRead } from "svc/store/open.ts";
import { findScoped, openShared } from "svc/store/placement.ts";

/** The repo's own database may be there without it, as after `svc checks run`. */
async function unknown(app: App, root: string, db: string | undefined): Promise<Failure> {
  const why = "this database has no job of it";
  return new Failure("not_found", `Cannot clean up ${quoted(root)}: ${why}`, {
    remedy: await orElsewhere(app, "Nothing is to be done here", { root, db }),
  });
}

export default command({
  about: "Remove merged svc/… branches and work trees that nothing needs; shows them first",
  details:
    "Without --yes it only shows what it would remove. It removes a branch if all its commits are " +
    "in the repo's branch, however they came there, and no work tree, open ticket or job needs " +
    "it; and a work tree if its job has ended and its time is over. What was not committed in it " +
    "is kept in refs/svc/leftovers. If the repo was registered by its URL, merged branches are " +
    "removed from the remote too. Branches of other names, unmerged work and what a service uses " +
    "stay. For old traces, logs and records, see svc prune.",
  examples: [
    { line: "svc cleanup", about: "shows what would go in the repo of the current folder" },
    { line: "svc cleanup --yes", about: "removes it" },
    { line: "svc cleanup --json | jq '.branches[]'", about: "for scripts" },
  ],
  effect: "writes_target",
  givenBy: { who: "person", because: "it removes branches and work trees" },
  modes: ["json", "plain", "yes", "dry-run"],
  flags: {
    repo,
    db: database("Database of the runtime (default: the repo's own)"),
  },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      dry_run: z.boolean(),
      trees: z.array(z.string()),
      branches: z.array(z.string()),
      remote_branches: z.array(z.string()),
      kept: z.array(z.strictObject({ branch: z.string(), why: z.string() })),
    }),

  async run(app: App, asked) {
    const checkout = await openCheckout(app, { repo: asked.repo ?? app.cwd(), db: asked.db });
    const { root } = checkout;
    const removes = asked.yes && !asked.dryRun;
    const found = await findScoped(app, { repo: root, db: asked.db });
    if (found === undefined) throw await unknown(app, root, asked.db);
    // What was found of a server is its address as it is shown, which leaves parts of a login out.
    const server = asked.db !== undefined && isServerAddress(asked.db);
    await using store = removes || server
      ? await openShared(app, { db: server ? asked.db : found, repo: root })
      : await openToRead(app, found);
    const row = store && await workedOnIn(store.db, checkout);
    if (store === undefined || row === undefined) throw await unknown(app, root, asked.db);
    const ports = { ...app, db: store.db, profile: "host" as const };
    using opened = await new RepoOpener(ports).open(row, { signal: app.signal });
    const work = removes ? removeUnneeded : unneededIn;
    const { trees, branches, remote, kept } = await work(ports, opened, WORKTREE_KEEP_MS);
    return {
      repo: root,
      dry_run: !removes,
      trees: [...trees],
      branches: [...branches],
      remote_branches: [...remote],
      kept: kept.map((each) => ({ ...each })),
    };
  },

  show({ dry_run, trees, branches, remote_branches, kept }, page, asked) {
    const what = [
      ...trees.map((tree) => ["work tree", tree]),
      ...branches.map((branch) => ["branch", branch]),
      ...remote_branches.map((branch) => ["branch at the remote", branch]),
    ];
    if (what.length === 0) page.line("There is nothing to remove.");
    else page.table([dry_run ? "would go" : "removed", "name"], what);
    if (kept.length > 0) {
      page.line(
        `${counted(kept.length, "branch", "branches")} of svc ${
          kept.length === 1 ? "stays" : "stay"
        }:`,
      );
      page.table(["branch", "why"], kept.map(({ branch, why }) => [branch, why]));
    }
    if (dry_run && what.length > 0) page.next(`svc cleanup --yes${samePlace(asked)}`);
  },
});
