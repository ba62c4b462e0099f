/**
 * What the sandbox adds to one program: ms for /bin/true in bubblewrap as jobs run it, against the same without, one after
 * the other, by network.
 *
 *   deno run -A bench/sandbox.ts [rounds]
 */
import { ExecutionSettings } from "svc/features/settings/execution_settings.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { denoProcesses, type Run } from "svc/platform/process/process.ts";
import { openBubblewrap } from "svc/platform/sandbox/sandbox.ts";

const rounds = Number(Deno.args[0] ?? 100);
const folder = await Deno.makeTempDir();
const tree = `${folder}/tree`;
await new Deno.Command("git", { args: ["init", "--quiet", tree] }).output();
const env = { HOME: Deno.env.get("HOME") ?? "/root", PATH: Deno.env.get("PATH") ?? "" };
const network = { checks: "loopback", set_up: "full", commands: "none" };
const rules = ExecutionSettings.parse({ sandbox: "bubblewrap", network });
const plain = denoProcesses();
const opened = performance.now();
const sandbox = await openBubblewrap({ files: denoFiles(), run: plain.run }, {
  ...{ rules, folder, user: { env, own: [], databases: [] } },
});
console.log(`opened and tried: ${(performance.now() - opened).toFixed(1)} ms`);
const contained = denoProcesses({}, () => Promise.resolve(sandbox));

const command: Run = { program: "/bin/true", args: [], cwd: tree, env, tag: "bench" };
const within = (step: "checks" | "commands" | "set_up") => () =>
  contained.run({ ...command, contain: { step, tree, commonDir: `${tree}/.git` } });
const ways = {
  "without": () => plain.run(command),
  "network full": within("set_up"),
  "network loopback": within("checks"),
  "network none": within("commands"),
};

const times: Record<string, number[]> = {};
for (let round = 0; round < rounds; round++) {
  for (const [name, run] of Object.entries(ways)) {
    const { durationMs, code } = await run();
    if (code !== 0) throw new Error(`${name}: exit ${code}`);
    (times[name] ??= []).push(durationMs);
  }
}
const middle = (all: readonly number[]) => all.toSorted((a, b) => a - b)[all.length >> 1]!;
const base = middle(times.without!);
for (const [name, all] of Object.entries(times)) {
  const ms = middle(all);
  console.log(
    `${name.padEnd(17)} ${ms.toFixed(1)} ms, least ${Math.min(...all).toFixed(1)}: ` +
      `${(ms - base).toFixed(1)} ms more, ${(ms / base).toFixed(1)} times`,
  );
}
await Deno.remove(folder, { recursive: true });
