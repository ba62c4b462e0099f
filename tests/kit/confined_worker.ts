/** What the Worker of confined_program.ts does: one task by name. */
import { denoEntrance } from "svc/platform/entrance.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { reachRepos } from "svc/platform/confined/reached_repo.ts";
import { onWorkerMessage, postToMain } from "svc/platform/confined/worker_side.ts";

type App = ReturnType<typeof reachRepos>;
const { stdout, input } = denoEntrance(import.meta.url);
const stop = new AbortController();

const TASKS: Readonly<Record<string, (app: App, repo: string) => Promise<number>>> = {
  /** Answers each line of standard input, until it ends. */
  async lines() {
    let rest = "";
    for await (const text of input().pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) stdout.write(`got ${line}\n`);
    }
    return 7;
  },

  /** Waits for input that never comes, until it is asked to stop. */
  async waits() {
    const reader = input().getReader();
    stdout.write("1\n");
    reader.read();
    await new Promise((resolve) => stop.signal.addEventListener("abort", resolve));
    return 130;
  },

  /** Runs a program that ends only when it is asked to, and tells its number. */
  async program(app, repo) {
    const { cancelled } = await app.processes.run({
      ...{
        program: "/bin/sh",
        args: ["-c", "echo $$; sleep 60"],
        cwd: repo,
        env: { PATH: "/bin" },
      },
      signal: stop.signal,
      onOutput: (chunk) => stdout.write(new TextDecoder().decode(chunk)),
    });
    stdout.write(`cancelled ${cancelled}\n`);
    return 130;
  },

  /** Takes the lock, starts a program, and dies. */
  async dies(app, repo) {
    await app.lockRepo(await app.git.open(repo), {
      doing: "die",
      clock: {
        now: () => 0,
        monotonic: () => 0,
        processor: () => 0,
        sleep: () => Promise.resolve(),
      },
    });
    const begun = Promise.withResolvers<void>();
    app.processes.run({
      ...{
        program: "/bin/sh",
        args: ["-c", "echo $$; sleep 60"],
        cwd: repo,
        env: { PATH: "/bin" },
      },
      onOutput(chunk) {
        stdout.write(new TextDecoder().decode(chunk));
        begun.resolve();
      },
    });
    await begun.promise;
    setTimeout(() => {
      throw new Error("the Worker dies");
    });
    return await new Promise<never>(() => {});
  },

  /** Microseconds of a brokered read of a small file, as median and 99th of a hundred. */
  async speed(app, repo) {
    using folder = await app.folder(repo);
    const took: number[] = [];
    for (let round = 0; round < 3000; round++) {
      const from = performance.now();
      await folder.read("a", { maxBytes: 4096 });
      took.push((performance.now() - from) * 1000);
    }
    const sorted = took.slice(500).sort((a, b) => a - b);
    const at = (part: number) => Math.round(sorted[Math.floor(sorted.length * part)]!);
    stdout.write(`median ${at(0.5)} us, 99 % ${at(0.99)} us\n`);
    return 0;
  },
};

onWorkerMessage(async ({ data, ports }) => {
  if ("stop" in data) return stop.abort();
  const app = reachRepos(ports[0]!, denoFiles());
  postToMain({ exit: await TASKS[data.task]!(app, data.repo) });
});
