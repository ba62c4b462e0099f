import { command } from "svc/cli/command.ts";
import { VERSION } from "svc/core/version.ts";
import type { Entrance } from "svc/platform/entrance.ts";

export default command({
  about: "Print the version of svc",
  examples: [
    { line: "svc version", about: "the installed version; `svc -v` is the same" },
    { line: "svc version --json", about: "with the runtime and how it was built, for scripts" },
  ],
  effect: "none",
  givenBy: { who: "anyone", because: "it only prints" },
  modes: ["json", "plain"],
  flags: {},
  result: (z) =>
    z.strictObject({
      version: z.string(),
      deno: z.string(),
      target: z.string(),
      build: z.enum(["source", "portable", "compiled"]),
    }),

  run({ runtime: { deno, target, build } }: Pick<Entrance, "runtime">) {
    return Promise.resolve({ version: VERSION, deno, target, build });
  },

  show({ version }, page) {
    page.line(`svc ${version}`);
  },
});
