import { counted } from "svc/core/counted.ts";
import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, otherwise, repo, whole } from "svc/cli/flags.ts";
import { openStoredRepo } from "svc/runtime/session/stored_repo.ts";
import {
  CODE_EVIDENCE_SAMPLES,
  SCORE_WINDOW_DAYS,
  SCORE_WINDOW_MAX_DAYS,
} from "svc/core/bounds.ts";
import {
  codeMetrics,
  metricsShape,
  readMetrics,
  type Sampled,
  type SideMetrics,
} from "svc/features/code_intel/metrics.ts";

const FEW = "insufficient data";

const medianText = ({ samples, median }: Sampled) => `${median ?? FEW} (n ${samples})`;

const successText = ({ judged, successes, success }: SideMetrics) =>
  success === null
    ? `${FEW} (${successes} of ${judged})`
    : `${success.lower}–${success.upper} % (${successes} of ${judged})`;

const percent = (share: number | null) =>
  share === null ? FEW : `${Math.round(share * 1000) / 10} %`;

const MEASURES: readonly (readonly [name: string, text: (side: SideMetrics) => string])[] = [
  ["jobs", ({ jobs }) => String(jobs)],
  ["success, 95 % interval", successText],
  ["turns to first edit", ({ turns_to_first_edit }) => medianText(turns_to_first_edit)],
  ["reads before it", ({ reads_to_first_edit }) => medianText(reads_to_first_edit)],
  ["turns", ({ turns }) => medianText(turns)],
  ["tokens", ({ tokens }) => medianText(tokens)],
];

export default command({
  about: "Summarize what was seen of jobs with code-graph assistance and without",
  details:
    "For each ended job svc stores which files its prompt named, which its commits changed, and when " +
    "it first edited a file. Success means the same as in svc scores: judged by others. Jobs were " +
    "not assigned at random: those with --code-intel may have had easier or harder work, so a " +
    "difference here does not prove that the flag made it; svc code-intel benchmark compares like " +
    `with like. With fewer than ${CODE_EVIDENCE_SAMPLES} samples there is no figure. Runs with ` +
    "scripted models are left out.",
  examples: [
    { line: "svc code-intel metrics", about: "the repo of the current folder" },
    {
      line: "svc code-intel metrics --window-days 7 --db ~/.svc-harness/db/svc.db",
      about: "the last week, as svc serve counts it",
    },
    { line: "svc code-intel metrics --json | jq .offered.recall", about: "for scripts" },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  flags: {
    repo,
    db: database("Database that holds the jobs (default: the repo's own)"),
    windowDays: otherwise(
      whole("days", "How far back jobs count", { min: 1, max: SCORE_WINDOW_MAX_DAYS }),
      SCORE_WINDOW_DAYS,
    ),
  },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      database: z.string().nullable(),
      window_days: z.int().min(0),
      minimum_samples: z.int().min(0),
      ...metricsShape(z).shape,
    }),

  async run(app: App, asked) {
    const { repo = app.cwd(), db } = asked;
    await using stored = await openStoredRepo(app, { repo, db });
    const { root, id: repoId, store } = stored;
    const { windowDays: days } = asked;
    const found = store === undefined
      ? codeMetrics([])
      : await readMetrics(store.db, { repoId, now: app.clock.now(), days });
    return {
      repo: root,
      database: store?.path ?? null,
      window_days: days,
      minimum_samples: CODE_EVIDENCE_SAMPLES,
      ...found,
    };
  },

  show({ repo, window_days, assisted, unassisted, offered, roles, fixture }, page) {
    if (fixture > 0) {
      page.line(`Left out: ${fixture} by a scripted model, which is not evidence`);
    }
    if (assisted.jobs + unassisted.jobs === 0) {
      return page.line(`No evidence of the last ${window_days} days in ${repo}: ${FEW}`);
    }
    page.table(
      ["median of jobs", "with --code-intel", "without"],
      MEASURES.map(([name, text]) => [name, text(assisted), text(unassisted)]),
    );
    page.line();
    const { precision, recall, hits, changed, jobs } = offered;
    page.fields([
      [
        "offered",
        `${counted(offered.offered, "file")} to ${counted(jobs, "job")} that changed ${
          counted(changed, "file")
        }`,
      ],
      ["precision", `${percent(precision)} (${hits} of ${offered.offered} offered were changed)`],
      ["recall", `${percent(recall)} (${hits} of ${changed} changed were offered)`],
      ["time", `${medianText(offered.ms)} ms`],
    ]);
    if (roles.length > 1) {
      page.line();
      page.table(
        ["role", "with", "without", "turns to first edit with", "without"],
        roles.map(({ role, assisted, unassisted }) => [
          ...[role, String(assisted.jobs), String(unassisted.jobs)],
          ...[assisted, unassisted].map((side) => medianText(side.turns_to_first_edit)),
        ]),
      );
    }
    page.line(
      page.tone("dim", "Jobs were not assigned at random: a difference does not prove its cause"),
    );
  },
});
