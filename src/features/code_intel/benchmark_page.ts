/** Writes the report of a benchmark as Markdown. */
import type { z } from "zod";
import type { Immutable } from "svc/core/immutable.ts";
import { type BenchReport, DEPTHS, GROUPS, type SideReport, SIDES } from "./benchmark.ts";

export const REPORT_KIND = "svc code-intel benchmark";

export function factsShape(zod: typeof z) {
  const paths = zod.array(zod.string());
  return zod.strictObject({
    kind: zod.literal(REPORT_KIND),
    case: zod.string(),
    repo: zod.string(),
    /** HEAD; null before the first commit. */
    commit: zod.string().nullable(),
    clean: zod.boolean(),
    trials: zod.int(),
    changed_paths: paths,
    /** Expected, but given to both sides. */
    given: paths,
  });
}
export type BenchFacts = Immutable<z.infer<ReturnType<typeof factsShape>>>;

const shareText = (share: number | null | undefined) =>
  share === null || share === undefined ? "–" : share.toFixed(2);

const middle = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;

export function benchRows({ control, treatment }: BenchReport): string[][] {
  const both = (text: (side: SideReport) => string) => [text(control), text(treatment)];
  const groups = [...GROUPS, "all"] as const;
  return [
    ...groups.filter((group) => control[group].expected.length > 0).flatMap((group) =>
      DEPTHS.map((depth) => [
        `recall@${depth} of ${group} (${control[group].expected.length})`,
        ...both((side) => shareText(side[group].recall[depth])),
      ])
    ),
    ...DEPTHS.map((depth) => [
      `precision@${depth}`,
      ...both((side) => shareText(side.precision[depth])),
    ]),
    ["time, median ms", ...both(({ ms }) => String(middle(ms)))],
    [
      "time, least to most ms",
      ...both(({ ms }) => `${Math.min(...ms)}–${Math.max(...ms)}`),
    ],
    ["same in every trial", ...both(({ stable }) => stable ? "yes" : "no")],
  ];
}

/** A code span; characters that would end it are replaced. */
const code = (text: string) => `\`${text.replaceAll(/[`|\p{Cc}]/gu, "?")}\``;

const listOf = (paths: readonly string[]) =>
  paths.length === 0 ? "none" : paths.map(code).join(", ");

export function benchPage(facts: BenchFacts, report: BenchReport): string {
  const ranks = report.control.all.expected.map(({ path, rank }, at) => [
    ...[code(path), rank ?? "–", report.treatment.all.expected[at]?.rank ?? "–"],
  ]);
  const table = (head: readonly string[], rows: readonly (readonly unknown[])[]) => [
    `| ${head.join(" | ")} |`,
    `| ${head.map(() => "---").join(" | ")} |`,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ];
  return [
    `# ${REPORT_KIND}`,
    "",
    `- Case: ${code(facts.case)}`,
    `- Repo: ${code(facts.repo)}, commit ${facts.commit ?? "none"}${
      facts.clean ? "" : ", with changes that were not committed"
    }`,
    `- Changed paths, given to both sides: ${listOf(facts.changed_paths)}`,
    ...(facts.given.length === 0
      ? []
      : [`- Expected, and left out since they are given: ${listOf(facts.given)}`]),
    `- Trials: ${facts.trials}; no model took part`,
    "",
    "Control is a plain text search for the words of the case and the names of the changed paths; " +
    "treatment is what svc suggests with `--code-intel`, from the same. One case shows what " +
    "happened in this case.",
    "",
    ...table(["measure", ...SIDES], benchRows(report)),
    "",
    "## Ranks of the expected",
    "",
    ...table(["path", ...SIDES], ranks),
    ...SIDES.flatMap((side) => [
      ...["", `## First of the ${side}`, ""],
      ...report[side].ranked.map((path, at) => `${at + 1}. ${code(path)}`),
    ]),
    "",
  ].join("\n");
}
