/** A program with one command that works until it is asked to stop, for tests of Ctrl-C. */
import { perform } from "svc/cli/perform.ts";
import { type AnyCommand, command } from "svc/cli/command.ts";
import { report } from "svc/cli/report.ts";
import { Failure } from "svc/core/failure.ts";
import type { App } from "svc/app.ts";
import { denoEntrance } from "svc/platform/entrance.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { onInterrupt } from "svc/platform/process/interrupt.ts";
import { wire } from "svc/wire.ts";

const [manner = "clean", graceMs = "8000", ...args] = Deno.args;

/** Runs a command, one in a session of its own and one without an environment, and says their pids. */
async function started(app: App): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const script =
    "setsid sleep 600 & apart=$!; env -i /bin/sleep 600 & echo $$ $apart $!; exec sleep 600";
  denoProcesses().run({
    ...{ program: "/bin/sh", args: ["-c", script], cwd: "/", tag: "waiting" },
    env: { PATH: "/usr/bin:/bin" },
    onOutput: (chunk) => resolve(new TextDecoder().decode(chunk)),
  }).catch(() => {});
  app.stdout.write(await promise);
}

const waiting: AnyCommand = command({
  about: "Wait",
  examples: [],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: [],
  flags: {},
  result: (z) => z.unknown(),
  async run(app: App) {
    if (manner === "starts") await started(app);
    app.stdout.write("working\n");
    if (manner === "deaf" || manner === "starts") {
      return await new Promise<never>(() => setInterval(() => {}, 1000));
    }
    await app.clock.sleep(60_000, app.signal);
    if (manner === "hurried") {
      app.stdout.write("asked\n");
      await app.clock.sleep(60_000, app.hurry);
      app.stdout.write("hurries\n");
      return await new Promise<never>(() => setInterval(() => {}, 1000));
    }
    app.stdout.write("cleaned up\n");
    if (manner === "throws") throw new Error("the work was cut short");
  },
  show() {},
});

const entrance = denoEntrance(new URL("../../main.ts", import.meta.url).href);
const hurried = manner === "hurried";
const leave = () => entrance.stdout.write("left\n");
const interrupt = onInterrupt(Number(graceMs), hurried ? { hurryMs: 300, leave } : undefined);
const app = await wire(entrance, { command: "wait", quiet: true, plain: false, interrupt });
const given = { json: false, plain: false, yes: false, dryRun: false, rest: [] };
try {
  Deno.exit(await perform({ path: "wait", command: waiting, given }, app, interrupt));
} catch (thrown) {
  Deno.exit(await report(entrance, args, Failure.from(thrown)));
}
