/**
 * How fast the code tools are in a repo of 2,000 files, beside `git grep` in the same run:
 * `deno run -A bench/code_tools.ts`. Prints the first call, which starts the parser, and medians in ms.
 */
import { codeReferences } from "svc/features/tools/code_references.ts";
import { codeRelated } from "svc/features/tools/code_related.ts";
import { codeSymbols } from "svc/features/tools/code_symbols.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import { toolPlace } from "tests/kit/tool_place.ts";

const FILES = 2000;
const LINES = 2000;
const ROUNDS = 5;

/** One module of some 60 lines that uses the one before it. */
function module(number: number): string {
  const before = Math.max(0, number - 1);
  const folder = (file: number) => `pkg${file % 20}`;
  return [
    `import { build${before} } from "../${folder(before)}/m${before}.ts";`,
    `export interface Shape${number} { width: number; height: number }`,
    ...Array.from({ length: 10 }, (_, at) => [
      `/** Does step ${at} of ${number}. */`,
      `export function step${number}_${at}(shape: Shape${number}, times = ${at}): number {`,
      `  const run = [1, 2, 3].map((value) => value * times + shape.width);`,
      `  if (run.length > 2) return run.reduce((sum, value) => sum + value, 0);`,
      `  return shape.height;`,
      `}`,
    ]).flat(),
    `export class Build${number} { run() { return build${before}(); } }`,
    `export function build${number}(): number { return ${number}; }`,
  ].join("\n");
}

const files = Object.fromEntries(
  Array.from({ length: FILES }, (_, at) => [`pkg${at % 20}/m${at}.ts`, module(at)]),
);
const long = Array.from(
  { length: LINES / 5 },
  (_, at) =>
    `export function long${at}(value: number): number {\n  const next = value + ${at};\n  return next;\n}\n`,
).join("\n");

await using at = await toolPlace({ files: { ...files, "long.ts": long } });
const box = at.box([codeSymbols, codeReferences, codeRelated]);
const { signal } = new AbortController();

async function call(tool: AnyTool, args: unknown): Promise<number> {
  const start = performance.now();
  const { status, text } = await box.call(tool.name, args, { signal });
  if (status !== "ok") throw new Error(`${tool.name}: ${text}`);
  return performance.now() - start;
}

async function gitGrep(word: string): Promise<number> {
  const start = performance.now();
  const args = ["grep", "-I", "-n", "-w", "-e", word];
  await new Deno.Command("git", { args, cwd: at.repo.path, stdin: "null" }).output();
  return performance.now() - start;
}

async function median(work: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await work());
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!;
}

async function show(name: string, work: () => Promise<number>): Promise<void> {
  const first = await work();
  const usual = await median(work);
  console.log(`${name.padEnd(40)} ${first.toFixed(0).padStart(6)} ${usual.toFixed(1).padStart(8)}`);
}

const bytes = Object.values(files).reduce((sum, text) => sum + text.length, 0);
console.log(`${FILES} files, ${(bytes / 1e6).toFixed(1)} MB; ms of the first call, median of more`);
await show(`outline of ${LINES} lines`, () => call(codeSymbols, { path: "long.ts" }));
await show("symbol defined once", () => call(codeSymbols, { name: "build777" }));
await show("symbol defined in every file", () => call(codeSymbols, { name: "run" }));
await show("symbol by prefix", () => call(codeSymbols, { name: "step777" }));
await show("symbol that is nowhere", () => call(codeSymbols, { name: "nowhere" }));
await show("references, two files", () => call(codeReferences, { name: "build777" }));
await show("references, every file", () => call(codeReferences, { name: "shape" }));
await show("related", () => call(codeRelated, { path: "pkg17/m777.ts" }));
await show("git grep, plain, for the same name", () => gitGrep("build777"));
