/**
 * Notes of all history of a generated repo, beside the least that could do it (`git log` and a pattern for each
 * title), conventional-changelog and git-cliff, both from npm, side by side in one run. The goal: 1 s for 20,000
 * commits.
 *
 *   deno run -A --no-check bench/release_notes.ts [commits] [rounds]
 */
import { npm } from "tests/kit/npm_package.ts";
import { svcCommand } from "tests/kit/script.ts";

const commits = Number(Deno.args[0] ?? 20_000);
const rounds = Number(Deno.args[1] ?? 3);
const RELEASE_EVERY = 100;

/** As git-fast-import(1) reads them; every third commit has a body, every 50th breaks something. */
function imported(): string {
  const types = ["feat", "fix", "docs", "chore", "refactor", "perf", "test", "fix"];
  const parts: string[] = [];
  for (let at = 1; at <= commits; at++) {
    const title = `${types[at % types.length]}(part${at % 40})${
      at % 50 === 0 ? "!" : ""
    }: change ${at}`;
    const body = at % 3 === 0 ? `\n\nWhy it was needed, in words.\n\nCloses #${at}` : "";
    const text = `${title} (#${at})${body}\n`;
    const bytes = new TextEncoder().encode(text).length;
    const time = 1_500_000_000 + at * 3600;
    parts.push(
      `commit refs/heads/main\nmark :${at}\ncommitter Ada <ada@example.org> ${time} +0000\n` +
        `data ${bytes}\n${text}${at === 1 ? "" : `from :${at - 1}\n`}\n`,
    );
    if (at % RELEASE_EVERY === 0) {
      parts.push(`reset refs/tags/v0.${at / RELEASE_EVERY}.0\nfrom :${at}\n\n`);
    }
  }
  return parts.join("");
}

interface Timed {
  readonly ms: number;
  readonly out: string;
}

async function run(
  cwd: string,
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<Timed> {
  const [program, ...args] = words;
  const start = performance.now();
  const { success, stdout, stderr } = await new Deno.Command(program!, {
    args,
    cwd,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", ...env },
    stdout: "piped",
    stderr: "piped",
  }).output();
  const ms = performance.now() - start;
  if (!success) throw new Error(`${words.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return { ms, out: new TextDecoder().decode(stdout) };
}

async function least(repo: string): Promise<Timed> {
  const start = performance.now();
  const { out } = await run(repo, ["git", "log", "-z", "--format=%H%x00%B"]);
  const titles = out.split("\0").filter((text) => /^(\w+)(?:\(([^)]*)\))?(!)?: (.+)/.test(text));
  return { ms: performance.now() - start, out: titles.join("\n") };
}

const folder = await Deno.makeTempDir({ prefix: "svc-bench-" });
try {
  const [repo, tools] = [`${folder}/repo`, `${folder}/tools`];
  await Deno.mkdir(repo);
  await Deno.mkdir(tools);
  await run(repo, ["git", "init", "--quiet", "-b", "main"]);
  const child = new Deno.Command("git", {
    args: ["fast-import", "--quiet"],
    cwd: repo,
    stdin: "piped",
  }).spawn();
  const stdin = child.stdin.getWriter();
  await stdin.write(new TextEncoder().encode(imported()));
  await stdin.close();
  if (!(await child.status).success) throw new Error("git fast-import failed");
  await run(repo, ["git", "reset", "--quiet", "--hard", "main"]);
  await Deno.writeTextFile(`${tools}/package.json`, '{"private":true}');
  await npm(
    tools,
    ...["install", "--silent", "--no-audit", "--no-fund", "conventional-changelog@8.1.3"],
    ...["conventional-changelog-conventionalcommits@10.4.1", "git-cliff@2.14.2"],
  );
  const bin = (name: string) => `${tools}/node_modules/.bin/${name}`;
  const svc = (...words: string[]) =>
    run(repo, [...svcCommand({ unpacks: true }), ...words, "--dry-run", "--plain"], {
      SVC_HOME: `${folder}/home`,
    });
  const preset = `${tools}/node_modules/conventional-changelog-conventionalcommits/src/index.js`;
  const rows: Record<string, () => Promise<Timed>> = {
    "git log and a pattern": () => least(repo),
    "svc release backfill-notes": () => svc("release", "backfill-notes"),
    "svc release notes": () => svc("release", "notes"),
    "conventional-changelog": () =>
      run(repo, [bin("conventional-changelog"), "-r", "0", "-p", preset, "--stdout"]),
    "git-cliff": () => run(repo, [bin("git-cliff"), "--offline"]),
  };
  const best: Record<string, Timed> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of Object.entries(rows)) {
      const timed = await measure();
      if (best[name] === undefined || timed.ms < best[name].ms) best[name] = timed;
    }
  }
  console.log(`${commits} commits, a tag every ${RELEASE_EVERY}, best of ${rounds}`);
  const base = best["git log and a pattern"]!.ms;
  for (const [name, { ms, out }] of Object.entries(best)) {
    const lines = out.split("\n").length;
    const times = `${(ms / base).toFixed(1)} x`.padStart(8);
    console.log(
      `${name.padEnd(28)} ${(ms / 1000).toFixed(2).padStart(6)} s ${times} ${lines} lines`,
    );
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
