import { counted } from "svc/core/counted.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, on, otherwise, repo, whole } from "svc/cli/flags.ts";
import { openStoredRepo } from "svc/runtime/session/stored_repo.ts";
import { SCORE_WINDOW_DAYS, SCORE_WINDOW_MAX_DAYS } from "svc/core/bounds.ts";
import { writeDebt, writeQuality } from "svc/features/scores/export_quality.ts";
import { GRADES } from "svc/features/scores/grades.ts";
import { LAYERS } from "svc/features/scores/layers.ts";
import { oldPage, QUALITY_PATH, readQuality } from "svc/features/scores/read_quality.ts";

export default command({
  about: "Write docs/QUALITY_SCORE.md: scores of roles, grades of areas, your notes",
  details:
    "Scores come from stored outcomes, grades from what svc scan measures. The whole page is " +
    "written again, except for the text between the two markers for manual notes, which stays " +
    "byte for byte; if nothing has changed, the page stays the same. Nothing is committed except " +
    "the tickets of --create-intervention-debt: one for each cause that keeps a role from " +
    "succeeding, and one for each area with a grade of D or F, unless such a ticket is open.",
  examples: [
    { line: "svc scores export", about: "the repo of the current folder" },
    { line: "svc scores export --dry-run --json", about: "what it would write" },
    {
      line: "svc scores export --window-days 7 --create-intervention-debt",
      about: "of the last week, with tickets for what is poor",
    },
  ],
  effect: "writes_target",
  givenBy: {
    who: "person",
    because: "roles work on its tickets as on a person's",
    with: ["createInterventionDebt"],
  },
  modes: ["json", "plain", "dry-run"],
  flags: {
    repo,
    db: database("Database that holds the jobs (default: the repo's own)"),
    windowDays: otherwise(
      whole("days", "How far back outcomes count", { min: 1, max: SCORE_WINDOW_MAX_DAYS }),
      SCORE_WINDOW_DAYS,
    ),
    createInterventionDebt: on("Write backlog tickets for poor scores and grades, each only once"),
  },
  result: (z) => {
    const grade = z.enum(GRADES);
    return z.strictObject({
      repo: z.string(),
      path: z.string(),
      database: z.string().nullable(),
      change: z.enum(["added", "updated", "unchanged"]),
      window_days: z.int(),
      roles: z.array(z.strictObject({
        role: z.string(),
        score: z.number().nullable(),
        samples: z.int(),
      })),
      areas: z.array(z.strictObject({
        area: z.string(),
        files: z.int(),
        lines: z.int(),
        grades: z.partialRecord(z.enum(LAYERS), grade),
      })),
      tickets: z.strictObject({
        created: z.array(z.strictObject({
          id: z.string(),
          path: z.string(),
          title: z.string(),
          priority: z.string(),
          source: z.string(),
        })),
        deduplicated: z.int(),
        commit: z.string().exactOptional(),
      }).exactOptional(),
      dry_run: z.boolean(),
    });
  },

  async run(app: App, asked) {
    const { signal, clock, files, home, readTree } = app;
    const { dryRun, windowDays: days } = asked;
    const { repo = app.cwd(), db } = asked;
    await using stored = await openStoredRepo(app, { repo, db });
    const { root, id: repoId, manifest, store } = stored;
    using checkout = await openCheckout(app, root);
    const { folder } = checkout;
    // Read first, so that a page that cannot be written fails before the long scan.
    const old = await oldPage(folder);
    const quality = await readQuality({
      repo: checkout.git,
      folder,
      files,
      home,
      readTree,
      clock,
      signal,
      dryRun,
      progress: (text) => app.progress.update(text),
      async parseManifest(text) {
        const { readManifest } = await app.load("src/features/harness/manifest");
        return readManifest(text);
      },
    }, { db: store?.db, repoId, roles: Object.keys(manifest?.roles ?? {}), days });
    const change = await writeQuality(folder, quality, { old, dryRun });
    const tickets = asked.createInterventionDebt
      ? await writeDebt(checkout, quality, { dryRun })
      : undefined;
    return {
      repo: root,
      path: QUALITY_PATH,
      database: store?.path ?? null,
      change,
      window_days: days,
      roles: quality.scores.map(({ role, score, samples }) => ({ role, score, samples })),
      areas: quality.areas.map(({ name, files, lines, layers }) => ({
        area: name,
        files,
        lines,
        grades: Object.fromEntries(
          Object.entries(layers).map(([layer, { grade }]) => [layer, grade]),
        ),
      })),
      ...(tickets && { tickets }),
      dry_run: dryRun,
    };
  },

  show({ path, change, areas, roles, tickets, dry_run }, page) {
    const would = dry_run ? "Would write" : "Wrote";
    page.line(change === "unchanged" ? `${path} is as it should be` : `${would} ${path}`);
    page.table(
      ["area", ...LAYERS],
      areas.map(({ area, grades }) => [
        area,
        ...LAYERS.map((layer) => grades[layer] ?? "–"),
      ]),
    );
    const scored = roles.filter(({ score }) => score !== null).length;
    page.line(`${counted(roles.length, "role")}, ${scored} with enough outcomes for a score`);
    if (tickets === undefined) return;
    for (const { id, title } of tickets.created) {
      page.line(`${dry_run ? "Would create" : "Created"} ${id} ${title}`);
    }
    if (tickets.created.length === 0) page.line("No ticket to create");
    if (tickets.deduplicated > 0) page.line(`${tickets.deduplicated} are open already`);
  },
});
