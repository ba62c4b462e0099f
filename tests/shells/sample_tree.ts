/** A command tree with everything that completion tells apart, smaller than the real one. */
import type { CommandText } from "svc/cli/command.ts";
import { choice, many, on, otherwise, path, repo, required, text, whole } from "svc/cli/flags.ts";
import type { Tree } from "svc/cli/tree.ts";

function sample(about: string, more: Partial<CommandText>): CommandText {
  return {
    about,
    examples: [],
    effect: "none",
    givenBy: { who: "anyone", because: "it only reads" },
    modes: [],
    flags: {},
    ...more,
  };
}

const profile = otherwise(choice(["observer", "host", "isolated"], "Profile"), "observer");

export const SAMPLE_TREE: Tree = {
  groups: { update: "Updates", checks: "Checks", internal: "Self-checks", scores: "Show scores" },
  commands: {
    "run": sample("Run a role", {
      modes: ["json", "dry-run"],
      args: { role: required(text("role", "Role", { suggest: "roles" })) },
      flags: {
        repo,
        role: many(text("role", "One more role", { suggest: "roles" })),
        executionProfile: profile,
        trace: path("file", "Where the trace goes"),
        maxTurns: whole("count", "Turns", { min: 1, max: 9 }),
        debug: on("More detail"),
      },
    }),
    "checks run": sample("Run a check", {
      flags: { name: required(text("name", "Name of the check")) },
      rest: { value: "command", about: "The command to run" },
    }),
    "scores": sample("Show scores", { modes: ["json"] }),
    "scores export": sample("Export scores", {}),
    "setup": sample("Prepare", {
      flags: { bundle: text("id", "Bundle", { suggest: "bundles" }) },
    }),
    "trust": sample("Set trust", {
      args: {
        role: required(text("role", "Role", { suggest: "roles" })),
        repo: required(text("repo", "Repo", { suggest: "repos" })),
        level: required(choice(["observer", "contributor"], "Level")),
      },
    }),
    "ticket": sample("Show tickets", {
      args: { ids: many(text("id", "Ticket", { suggest: "tickets" })) },
    }),
    "about": sample("Explain a command", {
      args: { command: text("command", "Command", { suggest: "commands" }) },
    }),
    "update harness": sample("Update the harness", { aliases: ["update target", "upgrade"] }),
    "internal probe": sample("Probe", { hidden: true, flags: { deep: on("Deep") } }),
  },
};
