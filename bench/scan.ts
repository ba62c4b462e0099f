/**
 * `svc scan` on a generated repo, first and second run, beside `git status` and `git grep` on the same
 * repo; from source, or the build that `SVC_BIN` names. The goals: 3 s for the first run on 10,000
 * files, 0.5 s for the second; the first on 30,000 files in three times what `git grep` takes.
 *
 *   deno run -A bench/scan.ts [files] [rounds]
 */

const root = decodeURIComponent(new URL("..", import.meta.url).pathname);
const files = Number(Deno.args[0] ?? 10_000);
const rounds = Number(Deno.args[1] ?? 3);
const GOAL = 3;
const built = Deno.env.get("SVC_BIN");
const svc: readonly [string, ...string[]] = built === undefined
  ? [Deno.execPath(), "run", "-A", "--quiet", `${root}main.ts`]
  : [built];

async function run(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const start = performance.now();
  const { code, stderr } = await new Deno.Command(program, {
    args: [...args],
    env: { GIT_CONFIG_GLOBAL: "/dev/null", ...env },
    stdout: "null",
    stderr: "piped",
  }).output();
  if (code !== 0) {
    throw new Error(`${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  }
  return performance.now() - start;
}

const CODE = Array.from(
  { length: 120 },
  (_, at) =>
    `export function part${at}(left: number, right: number): number {\n` +
    `  // adds what the caller measured; see docs/page${at}.md\n  return left + right * ${at};\n}\n`,
);

function textOf(at: number): string {
  const length = 10 + at % 60; // 1 to 11 kB, 5 kB on average
  if (at % 10 === 9) {
    return `# Page ${at}\n\nSee [the next](page${at + 10}.md).\n\n${"Words. ".repeat(300)}\n`;
  }
  const todo = at % 100 === 0 ? "// TODO: measure this\n" : "";
  return `import { one } from "./one.ts";\n\n${todo}${CODE.slice(0, length).join("\n")}`;
}

const folder = await Deno.makeTempDir({ prefix: "svc-bench-" });
try {
  const repo = `${folder}/repo`;
  const env = { SVC_HOME: `${folder}/home` };
  let bytes = 0;
  for (let at = 0; at < files; at++) {
    const place = at % 10 === 9 ? `docs/d${at % 40}` : `src/p${at % 200}`;
    await Deno.mkdir(`${repo}/${place}`, { recursive: true });
    const text = textOf(at);
    bytes += text.length;
    await Deno.writeTextFile(
      `${repo}/${place}/${at % 10 === 9 ? `page${at}.md` : `part${at}.ts`}`,
      text,
    );
  }
  await run("git", ["-C", repo, "init", "--quiet"]);
  await run("git", ["-C", repo, "add", "--all"]);
  const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
  await run("git", ["-C", repo, ...author, "commit", "--quiet", "--message", "first"]);
  const [program, ...first] = svc;
  const scan = () => run(program, [...first, "scan", "--repo", repo], env);
  const rows: Record<string, number[]> = {
    "git status": [],
    "git grep": [],
    "first scan": [],
    "second scan": [],
  };
  await run(program, [...first, "version"], env);
  for (let round = 0; round < rounds; round++) {
    rows["git status"]!.push(await run("git", ["-C", repo, "status", "--porcelain"]));
    rows["git grep"]!.push(await run("git", ["-C", repo, "grep", "--line-number", "TODO"]));
    await Deno.remove(`${env.SVC_HOME}/cache`, { recursive: true }).catch(() => {});
    rows["first scan"]!.push(await scan());
    rows["second scan"]!.push(await scan());
  }
  console.log(`${files} files, ${(bytes / 1e6).toFixed(1)} MB, best of ${rounds}`);
  for (const [name, times] of Object.entries(rows)) {
    console.log(`${name.padEnd(12)} ${(Math.min(...times) / 1000).toFixed(2).padStart(6)} s`);
  }
  const ratio = Math.min(...rows["first scan"]!) / Math.min(...rows["git grep"]!);
  console.log(
    `first scan: ${ratio.toFixed(1)} times git grep; goal ${GOAL}: ${
      ratio <= GOAL ? "met" : "missed"
    }`,
  );
} finally {
  await Deno.remove(folder, { recursive: true });
}
