import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, repo } from "svc/cli/flags.ts";
import { ageText } from "svc/cli/jobs/job_text.ts";
import { placeShape, showPlace } from "svc/cli/page/place.ts";
import { repoAtHand } from "svc/cli/repo_at_hand.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { rfc3339 } from "svc/core/time.ts";
import { openFollowed } from "svc/features/repos/follow_move.ts";
import { placeStatus } from "svc/runtime/service/place_status.ts";
import { FILE, findScoped, openShared } from "svc/store/placement.ts";
import type { Store } from "svc/store/open.ts";
import { isServerAddress } from "svc/core/server_address.ts";

/** The databases that a person here may mean: the repo's own, and the one that svc serve shares. */
async function storesHere(
  app: App,
  { root, db }: { readonly root: string | undefined; readonly db: string | undefined },
): Promise<Store[]> {
  const stores: Store[] = [];
  if (db !== undefined && root === undefined) {
    const there = isServerAddress(db) || await app.files.stat(db) !== undefined;
    return there ? [await openShared(app, { db })] : [];
  }
  if (root !== undefined && await findScoped(app, { repo: root, db }) !== undefined) {
    stores.push(await openFollowed(app, { repo: root, db }));
  }
  const shared = `${app.home.sharedDb}/${FILE}`;
  if (db === undefined && await app.files.stat(shared) !== undefined) {
    stores.push(await openShared(app, {}));
  }
  return stores;
}

export default command({
  about: "Show whether svc runs here, what it works on, and what needs you",
  details: "Looks into the repo's own database and into the shared one of svc serve, for running " +
    "services and their dashboards, pauses, jobs, tickets, and what comes next. It contacts no " +
    "service and opens no port, so it works without one too. A service that was killed is not " +
    "shown; for one on another machine svc cannot tell whether it still runs.",
  examples: [
    { line: "svc status", about: "of the repo of the current folder, and of svc serve" },
    {
      line: "svc status --json | jq -r '.places[].services[].dashboard_url'",
      about: "for scripts",
    },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads what is stored" },
  modes: ["json", "plain"],
  flags: {
    repo,
    db: database("Database of the runtime (default: the repo's own, and that of svc serve)"),
  },
  result: (z) =>
    z.strictObject({
      as_of: z.string(),
      repo: z.string().nullable(),
      /** A service runs on one of the databases. */
      running: z.boolean(),
      places: z.array(
        placeShape(z).extend({
          /** The database that svc serve shares; otherwise the one of the repo, or the one that was named. */
          shared: z.boolean(),
        }),
      ),
    }),

  async run(app: App, asked) {
    const root = (await repoAtHand(app, asked.repo))?.root;
    await using parts = new AsyncDisposableStack();
    const stores = await storesHere(app, { root, db: asked.db });
    stores.forEach((store) => parts.use(store));
    const shared = `${app.home.sharedDb}/${FILE}`;
    const places = await Promise.all(
      stores.map(async (store) => ({
        ...await placeStatus(app, store),
        shared: store.path === shared,
      })),
    );
    return {
      as_of: rfc3339(app.clock.now()),
      repo: root ?? null,
      running: places.some(({ services }) => services.length > 0),
      places,
    };
  },

  show({ as_of, repo, running, places }, page) {
    const age = (at: string) => ageText(Date.parse(as_of) - Date.parse(at));
    for (const place of places) showPlace(page, place, age);
    if (!running) page.line("No svc runs here");
    // The counts cover all repos of a shared database, and no other command reads that database by itself.
    const of = (place: typeof places[number]) =>
      repo === null || place.shared ? ` --all --db ${shellWord(place.database)}` : "";
    const needy = places.filter(({ needs_you }) => needs_you > 0);
    // A start says by itself what is broken.
    const needing = needy.find(({ services }) => services.length > 0) ?? needy[0] ??
      (running ? places.find(({ failing }) => failing > 0) : undefined);
    if (needing !== undefined) return page.next(`svc inbox${of(needing)}`);
    const served = places.find(({ services }) => services.length > 0);
    if (served !== undefined) return page.next(`svc jobs list${of(served)}`);
    page.next(repo === null ? "svc register --repo <path>, or in a repo: svc start" : "svc start");
  },
});
