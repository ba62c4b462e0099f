/** Times `svc guardrails secret-scan --staged` as a whole process on a repo with 50 staged files. */
import { positives } from "./secret_corpus.ts";

const FILES = 50;
const ROUNDS = 9;

/** Milliseconds of the process: least, median and most of some rounds. */
export async function stagedMs(here: string): Promise<[min: number, median: number, max: number]> {
  const repo = await Deno.makeTempDir({ prefix: "svc-bench-staged-" });
  const home = await Deno.makeTempDir({ prefix: "svc-bench-home-" });
  const git = async (...args: string[]) => {
    const { success, stderr } = await new Deno.Command("git", { args: ["-C", repo, ...args] })
      .output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  };
  await git("init", "--quiet");
  for (const [n, { text }] of positives(3, 1).slice(0, FILES).entries()) {
    await Deno.writeTextFile(`${repo}/f${n}.txt`, text + "const x = compute(1, 2);\n".repeat(200));
  }
  await git("add", "--all");
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const from = performance.now();
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--quiet",
        `${here}../main.ts`,
        "guardrails",
        "secret-scan",
        "--staged",
        "--repo",
        repo,
        "--json",
      ],
      env: { HOME: home },
      stdout: "null",
      stderr: "null",
    }).output();
    if (code !== 1) throw new Error(`svc found nothing to report in ${repo}: exit status ${code}`);
    if (round > 0) times.push(performance.now() - from); // the first fills the caches
  }
  await Deno.remove(repo, { recursive: true });
  await Deno.remove(home, { recursive: true });
  times.sort((a, b) => a - b);
  return [times[0]!, times[times.length >> 1]!, times.at(-1)!];
}
