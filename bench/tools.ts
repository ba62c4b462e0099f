/**
 * How fast the file tools are in a repo of 50,000 files, beside `git ls-files`, `git grep` and ripgrep
 * in the same run: `deno run -A bench/tools.ts`. Prints medians in ms, and whether a search takes at
 * most twice as long as ripgrep.
 */
import { fileList } from "svc/features/tools/file_list.ts";
import { fileRead } from "svc/features/tools/file_read.ts";
import { glob } from "svc/features/tools/glob.ts";
import { grep } from "svc/features/tools/grep.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import { toolPlace } from "tests/kit/tool_place.ts";

const FILES = 50_000;
const ROUNDS = 7;
/** A tool's time as a multiple of ripgrep's that is still fine. */
const AIM = 2;
const WORDS = ["alpha", "beta", "const", "return", "function", "import", "value", "index", "await"];
const KINDS = ["ts", "js", "md", "py", "json"];

function fill(root: string): void {
  let state = 7;
  const roll = (sides: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * sides);
  };
  const line = () => Array.from({ length: 3 + roll(6) }, () => WORDS[roll(WORDS.length)]).join(" ");
  for (let file = 0; file < FILES; file++) {
    const folder = `${root}/pkg${file % 50}/mod${Math.floor(file / 50) % 40}`;
    if (file < 2000) Deno.mkdirSync(folder, { recursive: true });
    const lines = Array.from({ length: 20 + roll(60) }, line);
    if (file % 997 === 0) lines.push(`needle_in_hay(${file})`);
    Deno.writeTextFileSync(`${folder}/f${file}.${KINDS[file % 5]}`, `${lines.join("\n")}\n`);
  }
}

async function median(work: () => Promise<unknown>): Promise<number> {
  await work();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!;
}

await using at = await toolPlace({ commit: false });
const root = at.repo.path;
fill(root);
await at.repo.commit("many files");

const box = at.box([fileRead, fileList, glob, grep]);
const { signal } = new AbortController();
const call = (tool: AnyTool, args: unknown) => async () => {
  const { status, text } = await box.call(tool.name, args, { signal });
  if (status !== "ok") throw new Error(`${tool.name}: ${text}`);
};
const run = (program: string, ...args: string[]) => async () => {
  const { code, stderr } = await new Deno.Command(program, { args, cwd: root, stdin: "null" })
    .output();
  if (code !== 0) throw new Error(`${program}: ${new TextDecoder().decode(stderr)}`);
};
const hasRipgrep = await run("rg", "--version")().then(() => true, () => false);

async function compare(
  name: string,
  tool: () => Promise<void>,
  peers: Record<string, () => Promise<void>>,
) {
  const mine = await median(tool);
  const others: string[] = [];
  for (const [peer, work] of Object.entries(peers)) {
    const theirs = await median(work);
    const times = mine / theirs;
    const verdict = peer === "ripgrep" ? times <= AIM ? ", met" : `, missed ${AIM}x` : "";
    others.push(`${peer} ${theirs.toFixed(1)} (${times.toFixed(2)}x${verdict})`);
  }
  console.log([`${name.padEnd(28)} ${mine.toFixed(1).padStart(8)}`, ...others].join("   "));
}

console.log(`${FILES} files; medians of ${ROUNDS} in ms, and svc as a multiple of each other`);
if (!hasRipgrep) console.log("ripgrep is not installed: its column is left out");
const ripgrep = (...args: string[]) => hasRipgrep ? { ripgrep: run("rg", ...args) } : {};
const search = (pattern: string) => ({
  ...ripgrep("--line-number", "--regexp", pattern),
  "git grep": run("git", "grep", "-I", "-n", "-P", "-e", pattern),
});

await compare(
  "grep, plain word",
  call(grep, { pattern: "needle_in_hay" }),
  search("needle_in_hay"),
);
await compare(
  "grep, expression",
  call(grep, { pattern: "needle_\\w+\\(\\d+\\)" }),
  search("needle_\\w+\\(\\d+\\)"),
);
await compare("grep, in one package", call(grep, { pattern: "needle", path: "pkg47" }), {
  ...ripgrep("--line-number", "needle", "pkg47"),
});
await compare("grep, in one file", call(grep, { pattern: "alpha", path: "pkg47/mod0/f47.md" }), {
  ...ripgrep("--line-number", "alpha", "pkg47/mod0/f47.md"),
});
await compare("grep, far too common", call(grep, { pattern: "const" }), search("const"));
await compare("glob", call(glob, { pattern: "pkg7/**/*.md" }), {
  ...ripgrep("--files", "--glob", "pkg7/**/*.md"),
  "git ls-files": run("git", "ls-files", "--cached", "--others", "--exclude-standard"),
});
await compare("file_list", call(fileList, {}), {
  "git ls-files": run("git", "ls-files", "--cached", "--others", "--exclude-standard"),
});
await compare("file_read", call(fileRead, { path: "pkg7/mod0/f7.md" }), {
  cat: run("cat", "pkg7/mod0/f7.md"),
});

const OPENS = 2000;
const start = performance.now();
for (let open = 0; open < OPENS; open++) await at.session.tree.folder.stat("pkg7/mod0/f7.md");
const walk = (performance.now() - start) / OPENS * 1000;
const plainStart = performance.now();
for (let open = 0; open < OPENS; open++) await Deno.lstat(`${root}/pkg7/mod0/f7.md`);
const plain = (performance.now() - plainStart) / OPENS * 1000;
console.log(`contained look, three levels: ${walk.toFixed(0)} us; by path: ${plain.toFixed(0)} us`);
