/** `git_diff`: the change as a patch. */
import { z } from "zod";
import { anyPath } from "./path_arg.ts";
import { tool } from "./tool.ts";

export const gitDiff = tool({
  name: "git_diff",
  about: "Shows tracked changes as a patch: since the last commit, or since another.",
  capability: "read",
  args: z.strictObject({
    since: z.string().optional().describe('Commit or branch, such as "main"; default HEAD'),
    path: anyPath("This file or folder only").optional(),
    staged: z.boolean().optional().describe("What is staged, not what is on disk"),
  }),
  async run({ repo }, { since, path: asked, staged = false }) {
    const path = asked === "." ? undefined : asked;
    const { head, changes } = await repo.status();
    // Against the last commit, staged or not: a model edits files and stages nothing.
    const base = since ?? (staged ? undefined : head && "HEAD");
    const { text, truncated } = await repo.diff({
      staged,
      ...(base !== undefined && { since: base }),
      ...(path !== undefined && { paths: [path] }),
    });
    const untracked = staged ? [] : changes
      .filter((change) => change.kind === "untracked" && change.usable)
      .map((change) => change.path)
      .filter((one) => path === undefined || one === path || one.startsWith(`${path}/`));
    const lines = [
      text === "" ? "No difference in tracked files" : text.trimEnd(),
      ...(untracked.length === 0
        ? []
        : ["New files, not in the patch (see them with file_read):", ...untracked]),
    ];
    return {
      ok: true,
      text: lines.join("\n"),
      facts: { truncated, untracked: untracked.length },
      readOn: () => "Give path to see one file at a time",
    };
  },
});
