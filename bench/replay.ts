/**
 * Real fixes on real projects, from npm and Debian: `svc init`, a ticket, and `svc start` with a
 * scripted team that makes the recorded change. Prints a table; the exit code is 1 when a case that
 * ran did not end as it should. `bench/replay.ts [case…]`
 */
import type { ReplayCase } from "./replay/case.ts";
import { CASES } from "./replay/cases.ts";
import { play, type Played } from "./replay/play.ts";
import { tried } from "./replay/source.ts";

async function missing(programs: readonly string[]): Promise<string[]> {
  const found = await Promise.all(programs.map(async (program) => {
    const command = program.includes(" ") ? program : `command -v ${program}`;
    return (await tried("/", ["sh", "-c", command])).ok;
  }));
  return programs.filter((_, at) => !found[at]);
}

type Row = readonly [ReplayCase, Played | string];

const HEADS = [
  "case",
  "kind",
  "init found",
  "verdict",
  "jobs",
  "turns",
  "tokens",
  "s",
  "own s",
  "own s a job",
];

function cells([one, played]: Row): string[] {
  if (typeof played === "string") return [one.name, one.kind, "", played, "", "", "", "", "", ""];
  const { found, verdict, faults, figures: { jobs, turns, tokens, seconds, own } } = played;
  const ended = verdict === "done" && faults.length > 0 ? "done, but see below" : verdict;
  const each = jobs === 0 ? 0 : own / jobs;
  return [
    ...[one.name, one.kind, found, ended, `${jobs}`, `${turns}`, `${tokens}`],
    ...[seconds, own, each].map((value) => value.toFixed(1)),
  ];
}

function table(rows: readonly Row[]): string {
  const lines = [HEADS, HEADS.map(() => "---"), ...rows.map(cells)];
  const widths = HEADS.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  return lines.map((line) =>
    `| ${
      line.map((text, at) => text === "---" ? "-".repeat(widths[at]!) : text.padEnd(widths[at]!))
        .join(" | ")
    } |`
  ).join("\n");
}

const asked = Deno.args.length === 0 ? CASES : CASES.filter(({ name }) => Deno.args.includes(name));
const shared = await Deno.makeTempDir({ prefix: "svc-replay-shared-" });
const rows: Row[] = [];
try {
  for (const one of asked) {
    const absent = await missing(one.needs);
    const row: Row = absent.length > 0 ? [one, `skipped: no ${absent.join(", ")}`] : [
      one,
      await play(one, shared).catch((thrown) => `not played: ${(thrown as Error).message}`),
    ];
    rows.push(row);
    const [, played] = row;
    console.error(`${one.name}: ${typeof played === "string" ? played : played.verdict}`);
    if (typeof played !== "string") played.faults.forEach((line) => console.error(`  ${line}`));
  }
} finally {
  await Deno.remove(shared, { recursive: true });
}
console.log(table(rows));
const skipped = rows.filter(([, played]) => typeof played === "string" && /^skipped/.test(played));
const good = rows.filter(([, played]) =>
  typeof played !== "string" && played.verdict === "done" && played.faults.length === 0
);
console.log(`\n${good.length} of ${rows.length - skipped.length} done; ${skipped.length} skipped`);
if (good.length < rows.length - skipped.length) Deno.exit(1);
