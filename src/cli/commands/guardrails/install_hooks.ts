import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { repo } from "svc/cli/flags.ts";
import { HOOKS, installHooks } from "svc/features/guardrails/hooks.ts";
import { programsOn } from "svc/platform/process/program.ts";

export default command({
  about: "Install git hooks that scan commits and pushes for secrets",
  details:
    "Adds one marked block to the pre-commit and pre-push hooks. Hooks that are there stay and " +
    "run after it; core.hooksPath and Husky's folder are respected, and a folder outside the repo, " +
    "also behind a link, is refused. Without svc on PATH the hooks " +
    "print a hint and let the commit pass. Running it again changes nothing.",
  examples: [
    { line: "svc guardrails install-hooks", about: "in the repo of the current folder" },
    { line: "svc guardrails install-hooks --repo ~/work/app --json", about: "for scripts" },
  ],
  effect: "writes_target",
  givenBy: { who: "person", because: "git runs the hooks for the user" },
  modes: ["json", "plain"],
  flags: { repo },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      /** Without svc on PATH the hooks let everything pass. */
      on_path: z.boolean(),
      hooks: z.array(z.strictObject({
        hook: z.enum(HOOKS),
        path: z.string(),
        change: z.enum(["added", "updated", "unchanged"]),
        kept: z.string().exactOptional(),
      })),
    }),

  async run({ cwd, env, files, git, signal }: App, asked) {
    const opened = await git.open(asked.repo ?? cwd(), { signal });
    const hooks = await installHooks(files, opened, await git.userSetting("core.hooksPath"));
    const onPath = programsOn(env.get("PATH") ?? "").has("svc");
    return { repo: opened.root, on_path: onPath, hooks };
  },

  show({ hooks, on_path }, page) {
    page.table(
      ["hook", "block", "file"],
      hooks.map(({ hook, change, path, kept }) => [
        hook,
        page.tone(change === "unchanged" ? "dim" : "good", change),
        kept === undefined ? path : `${path} (runs ${kept} after it)`,
      ]),
    );
    if (on_path) page.next("git commit, as always; a secret in it is refused with the way out");
    else {
      const lack = "svc is not on PATH, so the hooks check nothing yet";
      page.line(`${page.tone("warn", "warning:")} ${lack}`);
      page.next("svc path setup");
    }
  },
});
