import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { sandboxFlags } from "svc/cli/profile_flags.ts";
import { triedSandbox } from "svc/cli/tried_sandbox.ts";
import { Failure } from "svc/core/failure.ts";

export default command({
  about: "Try to leave the sandbox that programs of jobs run in, and report what held",
  details:
    "Makes a repo of its own in the svc home, removes it afterwards, and checks from outside what " +
    "each attempt achieved. Exit status: 0 the sandbox held in all, 1 it did not.",
  examples: [{ line: "svc internal sandbox --sandbox bubblewrap", about: "each must hold" }],
  effect: "writes_home",
  net: { to: "start programs in a sandbox, whose network it makes" },
  givenBy: { who: "anyone", because: "it only tries what must not succeed" },
  hidden: true,
  modes: ["json", "plain"],
  flags: { ...sandboxFlags },
  result: (z) =>
    z.strictObject({
      escaped: z.int(),
      attempts: z.array(
        z.strictObject({ name: z.string(), held: z.boolean(), detail: z.string() }),
      ),
    }),

  async run(app: App) {
    const attempts = await triedSandbox(app, "all");
    if (attempts === undefined) {
      throw new Failure("usage", "Cannot try the sandbox: none is asked for", {
        remedy: "svc internal sandbox --sandbox bubblewrap",
      });
    }
    return { escaped: attempts.filter(({ held }) => !held).length, attempts };
  },

  exit: ({ escaped }) => escaped === 0 ? 0 : 1,

  show({ attempts, escaped }, page) {
    page.table(
      ["attempt", "outcome", "detail"],
      attempts.map(({ name, held, detail }) => [
        name,
        page.tone(held ? "good" : "bad", held ? "held" : "ESCAPED"),
        detail,
      ]),
    );
    page.line(`${attempts.length - escaped} held, ${escaped} escaped`);
  },
});
