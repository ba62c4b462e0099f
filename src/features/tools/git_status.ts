/** `git_status`: which files differ from the last commit. */
import { z } from "zod";
import { quoted } from "svc/core/repo_path.ts";
import type { StatusChange } from "svc/platform/git/git.ts";
import { tool } from "./tool.ts";

/** Two letters as in git-status(1): the index against HEAD, the work tree against the index. */
function line({ kind, staged, unstaged, path, usable }: StatusChange): string {
  const letters = kind === "untracked" ? "??" : `${staged}${unstaged}`;
  const note = kind === "conflict" ? " (conflict)" : "";
  return `${letters} ${usable ? path : `${quoted(path)} (not usable as a path)`}${note}`;
}

export const gitStatus = tool({
  name: "git_status",
  about: "Lists the files that differ from the last commit, and the branch.",
  capability: "read",
  args: () => z.strictObject({}),
  async run({ tree: { git } }) {
    const { branch, head, changes } = await git.status();
    const where = branch === undefined ? "HEAD is on no branch" : `branch ${branch}`;
    const at = head === undefined ? "no commit yet" : `at ${head.slice(0, 12)}`;
    const lines = changes.length === 0
      ? ["Nothing differs from the last commit"]
      : changes.map(line);
    return {
      ok: true,
      text: [`${where}, ${at}`, ...lines].join("\n"),
      facts: { branch: branch ?? null, head: head ?? null, changed: changes.length },
    };
  },
});
