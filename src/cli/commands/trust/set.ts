import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, database, required, text } from "svc/cli/flags.ts";
import { openStoredRepo, repoTyped, roleOf } from "svc/runtime/session/stored_repo.ts";
import { Failure } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { rfc3339 } from "svc/core/time.ts";
import { TRUST_LEVELS } from "svc/core/permission.ts";
import { repoAt } from "svc/features/repos/repo_store.ts";
import { plannedTrust, setTrust, trustOf } from "svc/features/trust/trust_store.ts";
import { openToRead } from "svc/store/open.ts";

/** The id of a repo that `svc serve` works on, with a trust of its own; undefined where it does not. */
async function idOfServe(app: App, root: string): Promise<string | undefined> {
  const path = `${app.home.sharedDb}/svc.db`;
  if (await app.files.stat(path) === undefined) return undefined;
  await using store = await openToRead(app, path);
  return store && (await repoAt(store.db, root))?.id;
}

export default command({
  about: "Override what a role may do on a repo, with the reason on record",
  details:
    "The level applies from the next tool call on, also in a running job, and stays when the " +
    "manifest changes later. contributor has an effect only in the acknowledged host profile. A " +
    "repo given as a path is set in its own database, which svc start uses; one given by its " +
    "registered id, name or remote in the shared one, which svc serve uses.",
  examples: [
    {
      line: 'svc trust set engineer . contributor --reason "20 tickets without rework"',
      about: "the repo of the current folder",
    },
    {
      line: 'svc trust set qa app observer --reason "looks, never writes" --dry-run',
      about: "what would change for the registered repo app",
    },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "it says what a role may do" },
  modes: ["json", "plain", "dry-run"],
  args: {
    role: required(text("role", "A role of the repo's manifest", { suggest: "roles" })),
    repo: required(
      text("repo", "Its path, or id, name or remote as registered", { suggest: "repos" }),
    ),
    level: required(choice(TRUST_LEVELS, "What the role may do there")),
  },
  flags: {
    reason: text("text", "Why, for the record (default: who set it, and when)"),
    db: database("Database that holds the trust (default: see above)"),
  },
  result: (z) => {
    const level = z.enum(TRUST_LEVELS);
    return z.strictObject({
      repo: z.string(),
      repo_id: z.string(),
      role: z.string(),
      from: level,
      to: level,
      changed: z.boolean(),
      reason: z.string(),
      who: z.string(),
      database: z.string().nullable(),
      /** The repo's id in the database of `svc serve`, which has a trust of its own and was not changed. */
      unchanged_for_serve: z.string().nullable(),
      dry_run: z.boolean(),
    });
  },

  async run(app: App, asked) {
    const { role, level, db, dryRun } = asked;
    const action = `Cannot set the trust of ${JSON.stringify(role)}`;
    const who = app.env.get("USER") || app.env.get("LOGNAME") || "unknown";
    const now = app.clock.now();
    const reason = asked.reason?.trim() ?? `no reason given: set by ${who} at ${rfc3339(now)}`;
    if (reason === "") {
      throw new Failure("usage", `${action}: --reason is blank`, {
        remedy: 'Say why: --reason "20 tickets without rework"',
      });
    }
    const named = await repoTyped(app, { repo: asked.repo, db, cwd: app.cwd() });
    await using stored = await openStoredRepo(app, { ...named, db, make: !dryRun });
    const { root, id, store } = stored;
    const manifestLevel = roleOf(stored, role).trust;
    const change = { repoId: id, role, level, manifestLevel, reason, who };
    const before = store === undefined
      ? { level: manifestLevel, source: "manifest" } as const
      : await trustOf(store.db, id, role, manifestLevel);
    const { changed, ...trust } = dryRun || store === undefined
      ? plannedTrust(before, change, now)
      : await setTrust(store.db, change, now);
    return {
      repo: root,
      repo_id: id,
      role,
      from: trust.before.level,
      to: trust.after.level,
      changed,
      reason,
      who,
      database: store?.path ?? null,
      unchanged_for_serve: named.shared || db !== undefined
        ? null
        : await idOfServe(app, root) ?? null,
      dry_run: dryRun,
    };
  },

  show({ repo, role, from, to, changed, reason, database, unchanged_for_serve, dry_run }, page) {
    if (!changed) {
      page.line(`${role} is set to ${to} on ${repo} already; nothing changed`);
    } else {
      const arrow = from === to ? `${to}, as the manifest has it` : `${from} → ${to}`;
      page.line(`${dry_run ? "Would set" : "Set"} ${role} on ${repo}: ${arrow}`);
    }
    if (database !== null) page.line(page.tone("dim", `database: ${database}`));
    if (to === "contributor") {
      page.line("It has an effect only with --execution-profile host --acknowledge-host-execution");
    }
    if (unchanged_for_serve === null) return;
    page.line(page.tone("warn", "svc serve works on this repo too, with a trust of its own"));
    page.next(
      `svc trust set ${role} ${unchanged_for_serve} ${to} --reason ${shellWord(reason)}`,
    );
  },
});
