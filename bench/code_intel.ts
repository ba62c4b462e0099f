/**
 * Replays histories: of each commit its words and one of its files are given, and the tree before it
 * is searched for what else it changed. Prints recall of svc's hint, of a plain text search and of
 * the code graph alone, and what the hint costs: `make bench-code-intel`. Histories come from npm
 * and Debian and are kept in `bench/.cache`. `make bench-code-intel-learn` learns the weights instead,
 * on other histories than those judged; with names only these are replayed.
 */
import { casesOf } from "./code_intel/cases.ts";
import { fetched } from "./code_intel/fetch.ts";
import { type HistorySource, JUDGED, LEARNED } from "./code_intel/histories.ts";
import { learned, mean, recall } from "./code_intel/learn.ts";
import { replay, type Replayed, VARIANTS } from "./code_intel/measure.ts";
import { LEARNED_WEIGHTS } from "svc/features/code_intel/weights.ts";
import { TOKEN_CHARS } from "svc/core/bounds.ts";

const cache = decodeURIComponent(new URL("./.cache/code_intel", import.meta.url).pathname);

const SIDES = ["text", "graph", "hint"] as const;
const DEPTHS = [5, 10] as const;

/** Fewer cases say little; they are shown and stay out of the means. */
const FEW = 5;

interface Row {
  readonly name: string;
  readonly cases: readonly Replayed[];
}

const shareOf = (cases: readonly Replayed[], side: typeof SIDES[number], depth: number) =>
  mean(cases.map((one) => recall(one.expected, one[side], depth)));

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;

function cells({ name, cases }: Row): string[] {
  const shares = DEPTHS.flatMap((depth) => SIDES.map((side) => shareOf(cases, side, depth)));
  const cost = [
    median(cases.map(({ textMs }) => textMs)),
    median(cases.map(({ hintMs }) => hintMs)),
    median(cases.map(({ hintBytes }) => hintBytes / TOKEN_CHARS)),
  ];
  return [
    ...[name, String(cases.length), ...shares.map((share) => share.toFixed(2))],
    ...cost.map((value) => value.toFixed(0)),
  ];
}

function meanRow(rows: readonly Row[]): string[] {
  const told = rows.filter(({ cases }) => cases.length >= FEW);
  const shares = DEPTHS.flatMap((depth) =>
    SIDES.map((side) => mean(told.map(({ cases }) => shareOf(cases, side, depth))))
  );
  return ["mean", "", ...shares.map((share) => share.toFixed(2)), "", "", ""];
}

function print(variant: string, rows: readonly Row[]): void {
  const heads = [
    ...["history", "cases", ...DEPTHS.flatMap((depth) => SIDES.map((side) => `${side} @${depth}`))],
    ...["text ms", "hint ms", "tokens"],
  ];
  const lines = [heads, heads.map(() => "---"), ...rows.map(cells), meanRow(rows)];
  console.log(`\n${variant}:\n`);
  for (const line of lines) console.log(`| ${line.join(" | ")} |`);
  const told = rows.filter(({ cases }) => cases.length >= FEW);
  for (const depth of DEPTHS) {
    const side = (one: typeof SIDES[number]) =>
      mean(told.map(({ cases }) => shareOf(cases, one, depth)));
    const below = told.filter(({ cases }) =>
      shareOf(cases, "hint", depth) < shareOf(cases, "text", depth) - 0.005
    );
    const names = below.map(({ name }) => name).join(", ") || "none";
    const times = (side("hint") / side("text")).toFixed(2);
    console.log(`\n@${depth}: ${times} × text; below text: ${names}`);
  }
}

async function replayed(source: HistorySource): Promise<Replayed[]> {
  const root = await fetched(cache, source);
  const found: Replayed[] = [];
  for (const one of await casesOf(root, source.kind)) found.push(...await replay(root, one));
  return found;
}

const learns = Deno.args.includes("learn");
const names = Deno.args.filter((arg) => arg !== "learn");
const sources = (learns ? LEARNED : JUDGED)
  .filter(({ name }) => names.length === 0 || names.includes(name));
await Deno.mkdir(cache, { recursive: true });
const all: { name: string; cases: Replayed[] }[] = [];
for (const source of sources) {
  const started = performance.now();
  try {
    all.push({ name: source.name, cases: await replayed(source) });
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    console.error(`${source.name} (${source.kind}): ${seconds} s`);
  } catch (thrown) {
    console.error(
      `${source.name} is left out: ${thrown instanceof Error ? thrown.message : thrown}`,
    );
  }
}
if (learns) {
  const weights = learned(all.map(({ cases }) => cases), LEARNED_WEIGHTS, console.error);
  console.log(JSON.stringify(weights, null, 2));
} else {
  for (const variant of VARIANTS) {
    const rows = all.map(({ name, cases }) => ({
      name,
      cases: cases.filter((one) => one.variant === variant),
    }));
    print(variant, rows.filter(({ cases }) => cases.length > 0));
  }
}
