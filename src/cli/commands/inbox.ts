import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, on, repo } from "svc/cli/flags.ts";
import type { Page } from "svc/cli/page/page.ts";
import type { Immutable } from "svc/core/immutable.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { inboxOf } from "svc/runtime/inbox/inbox_list.ts";
import { ofServe, openStoredPlace, serveDatabase } from "svc/runtime/session/stored_repo.ts";
import { actionShape } from "svc/runtime/views/action_shape.ts";
import type { Card } from "svc/runtime/views/card.ts";

type Item = Pick<Card, "actions" | "repo" | "since" | "ticket_id" | "title" | "why" | "zone">;

function showItem(page: Page, item: Immutable<Item>, repos: boolean): void {
  const { zone, ticket_id, title, why, actions, repo } = item;
  const tone = zone === "failing" ? "bad" : "warn";
  const where = repos && repo !== "" ? ` (${repo})` : "";
  page.line(
    `${page.tone(tone, zone === "failing" ? "broken" : "you")}  ${
      ticket_id === null ? "" : `${ticket_id} `
    }${title}${where}`,
  );
  page.line(`  ${why}`);
  for (const { label, command, href } of actions) {
    const how = command ?? href;
    if (how !== null) page.line(`  ${label}: ${how}`);
  }
}

export default command({
  about: "List what needs you, each with the commands that settle it",
  details:
    "The cards of the dashboard's zones Needs you and Failing, for the terminal: questions, " +
    "blocked tickets, tickets from outside that nobody vouches for, work in review that no role " +
    "judges, merges that wait for you, what is held back, and what is broken. Below them are your decisions of the last minutes, with the " +
    "command that takes each back.",
  examples: [
    { line: "svc inbox", about: "of the repo of the current folder" },
    { line: "svc inbox --all --db ~/.svc-harness/db/svc.db", about: "of all repos of svc serve" },
    { line: "svc inbox --json | jq -r '.cards[].actions[].command'", about: "for scripts" },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  flags: {
    repo,
    all: on("All repos that are registered in the database"),
    db: database("Database of the runtime (default: the repo's own)"),
  },
  result: (z) =>
    z.strictObject({
      /** Null where all are asked outside of a repo. */
      repo: z.string().nullable(),
      /** The database of `svc serve`, which has the repo too and was not asked. */
      not_asked: z.string().nullable(),
      cards: z.array(z.strictObject({
        key: z.string(),
        zone: z.enum(["needs_you", "failing"]),
        repo_id: z.string(),
        repo: z.string(),
        ticket_id: z.string().nullable(),
        job_id: z.string().nullable(),
        role: z.string().nullable(),
        title: z.string(),
        why: z.string(),
        since: z.string().nullable(),
        actions: z.array(actionShape(z)),
      })),
      undoable: z.array(z.strictObject({
        decision: z.string(),
        at: z.string(),
        ticket: z.string().nullable(),
        said: z.string(),
        command: z.string(),
      })),
    }),

  async run(app: App, { repo, db, all }) {
    await using stored = await openStoredPlace(app, { repo, db, all, cwd: app.cwd() });
    const { root, id, store } = stored;
    const place = { repo: root ?? null, not_asked: await serveDatabase(app, { root, db }) };
    if (store === undefined) return { ...place, cards: [], undoable: [] };
    const known = await listRepos(store.db);
    const repos = all ? known : known.filter((one) => one.id === id);
    const ports = { ...app, db: store.db, profile: "host" } as const;
    const inbox = await inboxOf(ports, repos, { named: all || (repo ?? app.cwd()) !== app.cwd() });
    return {
      ...place,
      cards: inbox.cards.map((card) => ({
        ...{ key: card.key, zone: card.zone === "failing" ? "failing" : "needs_you" } as const,
        ...{ repo_id: card.repo_id, repo: card.repo, ticket_id: card.ticket_id },
        ...{ job_id: card.job_id, role: card.role, title: card.title, why: card.why },
        ...{ since: card.since, actions: card.actions },
      })),
      undoable: [...inbox.undoable],
    };
  },

  show({ cards, undoable, not_asked }, page, { all, db }) {
    if (cards.length === 0) {
      page.line("Nothing needs you");
      if (not_asked !== null) page.line(page.tone("dim", ofServe(not_asked)));
      else if (!all && db !== undefined) {
        page.line(page.tone("dim", "only this repo; --all shows all repos of the database"));
      }
    }
    for (const card of cards) showItem(page, card, all);
    if (undoable.length === 0) return;
    page.line();
    page.line("decided a moment ago");
    for (const { said, command } of undoable) page.line(`  ${said}: ${command}`);
  },
});
