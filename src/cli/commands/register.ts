import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, repo, text } from "svc/cli/flags.ts";
import { CHANGES, FIELDS, register } from "svc/features/repos/register.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { openShared } from "svc/store/placement.ts";

const SAID = {
  registered: "registered",
  updated: "registered before; updated",
  moved: "registered before at another place; moved",
  unchanged: "registered before; nothing changed",
} as const;

export default command({
  about: "Register a target repo, so that `svc serve` works on it",
  details:
    "Registers into the database that `svc serve` uses, ~/.svc-harness/db/svc.db, or with --db " +
    "into another outside every repo. Registering again updates what is given and tells what " +
    "changed; a repo that was moved is recognised by its git folder, or by its remote. Nothing in the repo is changed. " +
    "A `svc serve` that runs takes it in when it is started again.",
  examples: [
    { line: "svc register", about: "the repo of the current folder, on its branch" },
    { line: "svc register --repo ~/work/app --remote acme/app --branch main", about: "in full" },
    { line: "svc register --json | jq .repos", about: "all registered repos, for scripts" },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "services work on every registered repo" },
  modes: ["json", "plain"],
  flags: {
    repo,
    remote: text("owner/repo", "Name at the code host (default: of the remote `origin`, if any)"),
    host: text("name", "The code host (default: that of `origin`, else github.com)"),
    branch: text("name", "Branch that svc works on (default: the one that is checked out)"),
    db: database("Database to register in (default: ~/.svc-harness/db/svc.db)"),
  },
  result: (z) => {
    const registered = z.strictObject({
      id: z.string(),
      path: z.string(),
      host: z.string().nullable(),
      url: z.string().nullable(),
      node_id: z.string().nullable(),
      remote: z.string().nullable(),
      branch: z.string(),
      created_at: z.int(),
      updated_at: z.int(),
    });
    return z.strictObject({
      change: z.enum(CHANGES),
      repo: registered,
      changed: z.array(z.strictObject({
        field: z.enum(FIELDS),
        from: z.string().nullable(),
        to: z.string().nullable(),
      })),
      database: z.string(),
      repos: z.array(registered),
    });
  },

  async run({ clock, cwd, files, git, home, servers, signal }: App, asked) {
    const opened = await git.open(asked.repo ?? cwd(), { signal });
    await using store = await openShared({ files, clock, home, servers }, {
      repo: opened.root,
      db: asked.db,
    });
    const registration = await register({ db: store.db, files }, opened, asked, clock.now());
    return { ...registration, database: store.path, repos: await listRepos(store.db) };
  },

  show({ change, repo, changed, database, repos }, page) {
    page.line(page.tone(change === "unchanged" ? "dim" : "good", SAID[change]));
    page.fields([
      ["repo", repo.path],
      ["id", repo.id],
      ["host", repo.host ?? "none"],
      ["remote", repo.remote ?? "none"],
      ["branch", repo.branch],
      ["database", database],
      ...changed.map(({ field, from, to }) =>
        [`${field} was`, `${from ?? "none"} (now ${to ?? "none"})`] as const
      ),
    ]);
    page.line();
    page.heading(`${repos.length} registered in this database`);
    page.table(
      ["id", "host", "remote", "branch", "path"],
      repos.map(({ id, host, remote, branch, path }) => [
        id,
        host ?? "none",
        remote ?? "none",
        branch,
        path,
      ]),
    );
    page.line();
    page.next("svc serve; one that runs already takes the repo in when it is started again");
  },
});
