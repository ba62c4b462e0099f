/**
 * Puts each break of `tests/breaks` into a copy of the checkout, runs the tests that cite its
 * promises, and lists what no test noticed. Arguments: `<text>…`, of which a break's ids or file
 * must hold one; none takes all.
 */
import { BREAKS } from "tests/breaks/all.ts";
import type { Break } from "tests/breaks/break.ts";
import { type Citation, readCitations } from "./requirements.ts";
import { root } from "./modules.ts";
import { watched } from "./watched.ts";

/** A test that hangs on a break has noticed it; it is ended with the programs that it started. */
const TEST_BOUND_MS = 240_000;
const COPIES = Math.min(navigator.hardwareConcurrency, 4);
/** Not what JSON.parse says of a text. */
const DOES_NOT_LOAD =
  /SyntaxError(?!.*JSON)|Module not found|is not exported|does not provide an export/;
/** What is generated from these, the program reads instead. */
const GENERATED_FROM =
  /^src\/(?:dashboard|cli|store\/migrations|features\/(?:tools|guardrails\/secret_rules))\//;

async function sh(cwd: string, script: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("sh", {
    args: ["-c", script, "sh", ...args],
    cwd,
  }).output();
  if (!success) throw new Error(`${script}: ${new TextDecoder().decode(stderr)}`);
}

/** The files of the checkout as they are now, and what was installed for them. */
async function copyInto(folder: string): Promise<void> {
  await sh(
    root,
    'git ls-files -coz --exclude-standard | tar --null --ignore-failed-read -T - -cf - 2>/dev/null | tar -xf - -C "$1"',
    folder,
  );
  for (const path of ["node_modules", "src/dashboard/node_modules", ".deno"]) {
    const there = await Deno.stat(root + path).then(() => true, () => false);
    if (there) {
      await sh(root, 'cp -al "$1" "$2" 2>/dev/null || cp -a "$1" "$2"', path, `${folder}/${path}`);
    }
  }
  // Some tests read the checkout's own history.
  await sh(
    folder,
    "git init -q && git add -A && git -c user.name=t -c user.email=t@t commit -qm copy",
  );
}

/** A script proves all its ids in one run. */
const testOf = ({ file, id }: Citation) => file.endsWith(".txtar") ? file : `${file} ${id}`;

type Verdict = "green" | "red" | "does not load";

/** Runs the tests of a file that cite an id. */
async function runTest(folder: string, { file, id }: Citation): Promise<Verdict> {
  const script = file.endsWith(".txtar");
  const name = script ? file.slice(file.lastIndexOf("/") + 1) : id;
  const filter = `/${name.replaceAll(/[.]/g, "\\.")}${script ? "$" : "[,\\]]"}/`;
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "-A", "--no-check", `--filter=${filter}`],
      script ? "tests/scripts/scripts_test.ts" : file,
    ],
    cwd: folder,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1" },
  });
  const { code, stdout, stderr } = await watched(command, { silence: TEST_BOUND_MS });
  const output = stdout + stderr;
  if (/^ok \| 0 passed/m.test(output)) return "does not load";
  if (code === 0) return "green";
  return DOES_NOT_LOAD.test(output) ? "does not load" : "red";
}

/** What is wrong with a break, or undefined when each of its promises has a test that noticed. */
async function tried(
  folder: string,
  { ids, file, find, put }: Break,
  citations: readonly Citation[],
  whole: (citation: Citation) => Promise<Verdict>,
): Promise<string | undefined> {
  const path = `${folder}/${file}`;
  const text = await Deno.readTextFile(path);
  const proofs = ids.map((id) => citations.filter((each) => each.counts && each.id === id));
  const gen = () => sh(folder, '"$1" run -A tools/gen.ts', Deno.execPath());
  for (const citation of proofs.flat()) {
    const verdict = await whole(citation);
    if (verdict !== "green") return `${citation.file} is ${verdict} without it`;
  }
  await Deno.writeTextFile(path, text.replace(find, () => put));
  try {
    if (GENERATED_FROM.test(file)) await gen();
    const ran = new Map<string, Verdict>();
    for (const [at, tests] of proofs.entries()) {
      const verdicts: Verdict[] = [];
      for (const citation of tests) {
        const test = testOf(citation);
        const verdict = ran.get(test) ?? await runTest(folder, citation);
        ran.set(test, verdict);
        verdicts.push(verdict);
        if (verdict === "red") break; // one is enough
      }
      if (verdicts.includes("does not load")) return `${file} does not load with it`;
      if (!verdicts.includes("red")) return `nothing noticed it (${ids[at]})`;
    }
  } finally {
    await Deno.writeTextFile(path, text);
    if (GENERATED_FROM.test(file)) await gen();
  }
}

const chosen = BREAKS.filter(({ ids, file }) =>
  Deno.args.length === 0 || Deno.args.some((text) => [...ids, file].some((t) => t.includes(text)))
);
const { citations } = await readCitations(root);
const cited = citations.filter(({ file }) => !file.startsWith("tests/breaks/"));
const parent = await Deno.makeTempDir({ prefix: "svc-breaks-" });
const wholeVerdicts = new Map<string, Promise<Verdict>>();
const faults: string[] = [];
const queue = chosen.entries();
try {
  await Promise.all(Array.from({ length: Math.min(COPIES, chosen.length) }, async (_, at) => {
    const folder = `${parent}/${at}`;
    await Deno.mkdir(folder);
    await copyInto(folder);
    const whole = (citation: Citation) => {
      const key = testOf(citation);
      const verdict = wholeVerdicts.get(key) ?? runTest(folder, citation);
      wholeVerdicts.set(key, verdict);
      return verdict;
    };
    for (const [nth, each] of queue) {
      const wrong = await tried(folder, each, cited, whole);
      const said = `${each.ids.join(" ")} (${each.file})`;
      console.log(`${nth + 1}/${chosen.length} ${wrong ? `✗ ${wrong}:` : "✓"} ${said}`);
      if (wrong) faults.push(`${wrong}: ${said}`);
    }
  }));
} finally {
  await Deno.remove(parent, { recursive: true });
}
if (faults.length > 0) console.log(`\n${faults.join("\n")}`);
console.log(
  `${chosen.length} breaks, ${chosen.length - faults.length} noticed, ${faults.length} not`,
);
Deno.exit(faults.length === 0 && chosen.length > 0 ? 0 : 1);
