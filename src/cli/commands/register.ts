import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, repo, text } from "svc/cli/flags.ts";
import { Failure } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { gitUrl } from "svc/core/git_url.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import { rfc3339 } from "svc/core/time.ts";
import { ownNode } from "svc/features/nodes/own_node.ts";
import {
  CHANGES,
  FIELDS,
  register,
  type Registration,
  type RegistrationRequest,
} from "svc/features/repos/register.ts";
import { inFile, registerUrl } from "svc/features/repos/register_url.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { Store } from "svc/store/open.ts";
import { openShared } from "svc/store/placement.ts";
import { serverOf } from "svc/store/server_adapter.ts";

const SAID = {
  registered: "registered",
  updated: "registered before; updated",
  moved: "registered before at another place; moved",
  unchanged: "registered before; nothing changed",
} as const;

interface UrlRequest extends RegistrationRequest {
  readonly url: string;
  readonly repo?: string | undefined;
  readonly db?: string | undefined;
}

const dated = ({ created_at, updated_at, ...repo }: RegisteredRepo) => ({
  ...repo,
  created_at: rfc3339(created_at),
  updated_at: rfc3339(updated_at),
});

async function shown({ repo, ...registration }: Registration, { db, path }: Store) {
  const repos = await listRepos(db);
  return { ...registration, repo: dated(repo), database: path, repos: repos.map(dated) };
}

async function byUrl(app: App, asked: UrlRequest) {
  if (asked.repo !== undefined) {
    throw new Failure("usage", "Cannot register a folder and a URL at once", {
      remedy: "Give --url or --repo",
    });
  }
  const { url } = gitUrl(asked.url);
  if (asked.db === undefined || !isServerAddress(asked.db)) throw inFile(url);
  await using store = await openShared(app, { db: asked.db });
  const { remotes, clock } = app;
  const registration = await registerUrl({ db: store.db, remotes }, url, asked, clock.now());
  return await shown(registration, store);
}

export default command({
  about: "Register a target repo, so that `svc serve` works on it",
  details:
    "Registers into the database that `svc serve` uses, ~/.svc-harness/db/svc.db, or with --db " +
    "into another outside every repo. Registering again updates what you give and says what " +
    "changed; a repo that was moved is recognised by its git folder, or by its remote. Nothing in " +
    "the repo is changed. Restart a running `svc serve` so that it takes the repo in. On a " +
    "database server, only this machine works on a folder; --url shares a repo: each machine of " +
    "the team clones it, and pushes what svc does. A URL holds no password: svc asks git's " +
    "credential helper, and ssh uses its agent and keys.",
  examples: [
    { line: "svc register", about: "the repo of the current folder, on its branch" },
    { line: "svc register --repo ~/work/app --remote acme/app --branch main", about: "in full" },
    {
      line:
        "svc register --url https://github.com/acme/app --db postgres://team@db.example.org/svc",
      about: "for all machines of a team",
    },
    { line: "svc register --json | jq .repos", about: "all registered repos, for scripts" },
  ],
  effect: "writes_home",
  net: { to: "ask the remote of --url for its branches", withFlag: "url" },
  givenBy: { who: "person", because: "services work on every registered repo" },
  modes: ["json", "plain"],
  flags: {
    repo,
    url: text("url", "Git URL that each machine clones it from, in place of a folder"),
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
      created_at: z.iso.datetime(),
      updated_at: z.iso.datetime(),
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

  async run(app: App, asked) {
    const { clock, cwd, files, git, signal } = app;
    if (asked.url !== undefined) return await byUrl(app, { ...asked, url: asked.url });
    const opened = await git.open(asked.repo ?? cwd(), { signal });
    await using store = await openShared(app, { repo: opened.root, db: asked.db });
    const node = serverOf(store.db) === undefined ? undefined : await ownNode(app);
    const registration = await register({ db: store.db, files, node }, opened, asked, clock.now());
    return await shown(registration, store);
  },

  show({ change, repo, changed, database, repos }, page) {
    page.line(page.tone(change === "unchanged" ? "dim" : "good", SAID[change]));
    page.fields([
      ["repo", repo.url ?? repo.path],
      ...(repo.url === null ? [] : [["clone", repo.path] as const]),
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
      ["id", "host", "remote", "branch", "path or URL"],
      repos.map(({ id, host, remote, branch, path, url }) => [
        id,
        host ?? "none",
        remote ?? "none",
        branch,
        url ?? path,
      ]),
    );
    page.line();
    page.next(
      repo.url === null
        ? "svc serve; one that runs already takes the repo in when it is started again"
        : `svc serve --db ${shellWord(database)} on each machine; those that run take the repo in`,
    );
  },
});
