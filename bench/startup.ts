/**
 * Start-up as ratios within one run: svc against a bare `deno run` of a one-line file, interleaved,
 * medians. From source, and the portable build when `dist/svc` exists.
 *
 *   deno run -A bench/startup.ts [rounds]
 */

const root = decodeURIComponent(new URL("..", import.meta.url).pathname);
const rounds = Number(Deno.args[0] ?? 21);
const deno = Deno.execPath();

interface Line {
  readonly name: string;
  readonly argv: readonly string[];
  /** Most times the bare run's median; undefined: shown only. */
  readonly goal?: number;
}

async function wallMs([program, ...args]: readonly string[]): Promise<number> {
  const start = performance.now();
  const { code } = await new Deno.Command(program!, { args, stdout: "null", stderr: "null" })
    .output();
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with exit status ${code}`);
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

const folder = await Deno.makeTempDir({ prefix: "svc-bench-" });
await Deno.writeTextFile(`${folder}/bare.ts`, 'console.log("svc 0.0.0");\n');
await Deno.writeTextFile(`${folder}/bare.js`, 'console.log("svc 0.0.0");\n');
const source = [deno, "run", "-A", "--quiet", `${root}main.ts`];
const built = `${root}dist/svc`;
const hasBuilt = await Deno.stat(built).then(() => true, () => false);
const bare: Line = {
  name: "bare deno run",
  argv: [deno, "run", "-A", "--quiet", `${folder}/bare.ts`],
};
const lines: Line[] = [
  bare,
  { name: "source: svc version", argv: [...source, "version"], goal: 2 },
  { name: "source: svc --help", argv: [...source, "--help"], goal: 2 },
  {
    name: "source: svc guardrails secret-scan --help",
    argv: [...source, "guardrails", "secret-scan", "--help"],
    goal: 2,
  },
  ...(hasBuilt
    ? [
      { name: "portable: svc version", argv: [built, "version"], goal: 1.3 },
      { name: "portable: svc --help", argv: [built, "--help"], goal: 1.8 },
      {
        name: "portable: svc guardrails secret-scan --help",
        argv: [built, "guardrails", "secret-scan", "--help"],
        goal: 1.8,
      },
    ]
    : []),
];

const times = new Map<Line, number[]>(lines.map((line) => [line, []]));
for (const line of lines) await wallMs(line.argv); // warm-up, unpacks the portable build
for (let round = 0; round < rounds; round++) {
  for (const line of round % 2 === 0 ? lines : [...lines].reverse()) {
    times.get(line)!.push(await wallMs(line.argv));
  }
}
await Deno.remove(folder, { recursive: true });

const floor = median(times.get(bare)!);
console.log(`${rounds} rounds, interleaved; median wall ms and ratio to the bare run`);
for (const line of lines) {
  const ms = median(times.get(line)!);
  const ratio = ms / floor;
  const verdict = line.goal === undefined
    ? ""
    : ` (goal ≤ ${line.goal}: ${ratio <= line.goal ? "met" : "missed"})`;
  console.log(`${ms.toFixed(1).padStart(8)}  ${ratio.toFixed(2)}×  ${line.name}${verdict}`);
}
if (!hasBuilt) console.log("next: make portable, then again, for the built program's figures");
