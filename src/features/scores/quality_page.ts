/** The quality score as Markdown. Pure and without a time, so that the same facts give the same bytes. */
import { SCORE_CAUSES, SCORE_SAMPLES } from "svc/core/bounds.ts";
import { type ByteText, byteText } from "svc/core/marked_block.ts";
import type { AreaGrades } from "./grades.ts";
import { LAYERS } from "./layers.ts";
import { NOTES_BEGIN, NOTES_END } from "./manual_notes.ts";
import type { CauseCount, RoleScore } from "./role_scores.ts";

export interface Quality {
  readonly scores: readonly RoleScore[];
  readonly days: number;
  readonly areas: readonly AreaGrades[];
}

const CAUSES_A_LAYER = 3;

/** The repo chooses names and titles. */
const plain = (text: string) => text.replaceAll(/[\\`*[\]<>|]/g, "\\$&");

const signed = (points: number) => points > 0 ? `+${points}` : String(points);

type NamedCause = Omit<CauseCount, "category"> & { readonly category: string };

export function causesText(causes: readonly NamedCause[]): string {
  return causes.slice(0, SCORE_CAUSES).map(({ category, count, tickets }) =>
    `${category} ×${count}${tickets.length === 0 ? "" : ` (${tickets.join(", ")})`}`
  ).join(", ");
}

export function scoreText({ score, upper }: Pick<RoleScore, "score" | "upper">): string {
  return score === null ? "insufficient data" : `${score} (to ${upper})`;
}

const DASHES = 3;

/** Its columns are aligned, as Prettier wants them. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, at) =>
    Math.max(DASHES, ...[head, ...rows].map((cells) => cells[at]!.length))
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)];
}

/** An outcome from a fixture says nothing about a model. */
function heading(scores: readonly RoleScore[]): string {
  const samples = scores.reduce((sum, one) => sum + one.samples, 0);
  const fixture = scores.reduce((sum, one) => sum + one.fixture, 0);
  if (fixture === 0) return "# Quality score";
  return fixture === samples
    ? "# Quality score (made on fixture evidence)"
    : `# Quality score (made on fixture evidence: ${fixture} of ${samples} outcomes)`;
}

function roleLines({ scores, days }: Quality): string[] {
  const rows = scores.map((one) => [
    plain(one.role),
    scoreText(one),
    `${one.samples} (${one.successes} good, ${one.failures} not)`,
    one.trend === null ? "–" : signed(one.trend),
    causesText(one.categories) || "–",
  ]);
  return [
    "## Roles",
    "",
    `Outcomes of the last ${days} days, each judged by another role, by svc's own checks or by a`,
    "person. A score is the lower end of the 95 % interval of the share that was good, times 100;",
    `with fewer than ${SCORE_SAMPLES} outcomes there is none.`,
    "",
    ...(rows.length === 0
      ? ["No role has worked here yet."]
      : table(["role", "score", "outcomes", "trend", "largest causes of failure"], rows)),
  ];
}

function areaLines({ areas }: Quality): string[] {
  const rows = areas.map(({ name, files, lines, layers }) => [
    plain(name),
    ...LAYERS.map((layer) => layers[layer]?.grade ?? "–"),
    ...[String(files), String(lines)],
  ]);
  return [
    "## Areas",
    "",
    "Grades from A to F by what `svc scan` measures of the files and of their history.",
    "",
    ...table(["area", ...LAYERS, "files", "lines"], rows),
  ];
}

function causeLines({ areas }: Quality): string[] {
  const lines = areas.flatMap(({ name, layers }) =>
    LAYERS.flatMap((layer) => {
      const { grade = "A", causes = [] } = layers[layer] ?? {};
      if (grade === "A" || grade === "B") return [];
      const shown = causes.slice(0, CAUSES_A_LAYER)
        .map(({ probe, text }) => `  - ${probe}: ${plain(text)}`);
      const rest = causes.length - shown.length;
      const more = rest > 0 ? [`  - and ${rest} more: \`svc scan\``] : [];
      return [`- ${plain(name)}, ${layer}: ${grade}`, ...shown, ...more];
    })
  );
  return ["## What lowers the grades", "", ...(lines.length === 0 ? ["Nothing."] : lines)];
}

export function qualityPage(quality: Quality, notes: ByteText): ByteText {
  const before = [
    heading(quality.scores),
    "",
    "<!-- Written by `svc scores export`: all but the notes at the end is replaced each time. -->",
    "",
    ...roleLines(quality),
    "",
    ...areaLines(quality),
    "",
    ...causeLines(quality),
    "",
    "## Notes",
    "",
    NOTES_BEGIN,
    "",
  ].join("\n");
  return `${byteText(new TextEncoder().encode(before))}${notes}${NOTES_END}\n`;
}
