import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, on, repo } from "svc/cli/flags.ts";
import { openStoredRepo, type StoredRepo } from "svc/runtime/session/stored_repo.ts";
import { TRUST_LEVELS } from "svc/core/permission.ts";
import { rfc3339 } from "svc/core/time.ts";
import { trustChanges, trustFrom, trustRecords } from "svc/features/trust/trust_store.ts";

const SOURCES = ["manifest", "override", "demotion"] as const;

/** Roles in the manifest's order, then overrides of roles that it no longer names. */
async function roleRows({ id, manifest, store }: StoredRepo) {
  const records = store === undefined ? [] : await trustRecords(store.db, id);
  const byRole = new Map(records.map((record) => [record.role, record]));
  const named = Object.entries(manifest?.roles ?? {});
  const gone = records.filter(({ role }) => !Object.hasOwn(manifest?.roles ?? {}, role));
  const all = [
    ...named.map(([role, { trust }]) => ({ role, manifest: trust })),
    ...gone.map(({ role }) => ({ role, manifest: null })),
  ];
  return all.map(({ role, manifest }) => {
    const record = byRole.get(role);
    const { level, source } = trustFrom(record, manifest ?? "observer");
    return {
      role,
      manifest,
      level,
      source,
      reason: record?.reason ?? null,
      set_by: record?.set_by ?? null,
      since: record === undefined ? null : rfc3339(record.set_at),
    };
  });
}

export default command({
  about: "Show what each role may do on a repo, and why",
  details:
    "A role starts at the level that the manifest gives it; svc trust set overrides that for one " +
    "repo. If three jobs of a role within 24 h end because the policy denied what they tried, it " +
    "loses contributor; nothing gives it back automatically. The execution profile limits all of " +
    "this: in observer profile every role only reads. A database holds the trust of the runs that " +
    "use it: svc start uses the repo's own, svc serve the shared one (--db " +
    "~/.svc-harness/db/svc.db).",
  examples: [
    { line: "svc trust", about: "roles of the repo of the current folder" },
    { line: "svc trust --repo ~/work/app --history", about: "with every change" },
    { line: "svc trust --json | jq '.roles[] | {role, level}'", about: "for scripts" },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  flags: {
    repo,
    db: database("Database that holds the trust (default: the repo's own)"),
    history: on("Show every change as well, newest first"),
  },
  result: (z) => {
    const level = z.enum(TRUST_LEVELS);
    return z.strictObject({
      repo: z.string(),
      repo_id: z.string(),
      database: z.string().nullable(),
      harness: z.boolean(),
      roles: z.array(z.strictObject({
        role: z.string(),
        manifest: level.nullable(),
        level,
        source: z.enum(SOURCES),
        reason: z.string().nullable(),
        set_by: z.string().nullable(),
        since: z.iso.datetime().nullable(),
      })),
      history: z.array(z.strictObject({
        id: z.int(),
        at: z.iso.datetime(),
        who: z.string(),
        repo_id: z.string(),
        role: z.string(),
        from_level: level,
        to_level: level,
        reason: z.string(),
        automatic: z.boolean(),
      })).exactOptional(),
    });
  },

  async run(app: App, asked) {
    const { repo = app.cwd(), db } = asked;
    await using stored = await openStoredRepo(app, { repo, db });
    const { root, id, manifest, store } = stored;
    const changes = store === undefined ? [] : await trustChanges(store.db, id);
    const history = changes.map((change) => ({
      ...change,
      at: rfc3339(change.at),
      automatic: change.automatic === 1,
    }));
    return {
      repo: root,
      repo_id: id,
      database: store?.path ?? null,
      harness: manifest !== undefined,
      roles: await roleRows(stored),
      ...(asked.history && { history }),
    };
  },

  show({ repo, harness, roles, history }, page) {
    if (!harness) page.line(`${repo} has no harness: no role is named; svc init makes one`);
    if (roles.length > 0) {
      page.table(
        ["role", "manifest", "in force", "by", "since", "why"],
        roles.map(({ role, manifest, level, source, set_by, since, reason }) => [
          role,
          manifest ?? "not named",
          level,
          set_by === null || source === "demotion" ? source : `${source} of ${set_by}`,
          since ?? "",
          reason ?? "",
        ]),
      );
      page.line(page.tone("dim", "In observer profile every role only reads, whatever is listed"));
    }
    if (history === undefined) return;
    page.line();
    if (history.length === 0) return page.line("No change so far");
    page.table(
      ["when", "who", "role", "from", "to", "why"],
      history.map(({ at, who, role, from_level, to_level, reason, automatic }) => [
        at,
        automatic ? "svc (automatic)" : who,
        ...[role, from_level, to_level, reason],
      ]),
    );
  },
});
