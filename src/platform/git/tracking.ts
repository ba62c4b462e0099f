/** Whether git keeps a path, ignores it, or would pick it up with the next `git add`. */
import { gitPath } from "svc/core/git_args.ts";
import type { CallGit } from "./call.ts";

export type Standing = "tracked" | "ignored" | "untracked";

export interface GitTracking {
  /** By the repo's own rules; those in the user's settings do not count. The path may be absent. */
  standing(path: string): Promise<Standing>;
}

export function trackingVerbs(git: CallGit, root: string): GitTracking {
  return {
    async standing(path) {
      const doing = `look whether git keeps "${path}" in "${root}"`;
      let tracked = false;
      await git({
        doing,
        args: ["ls-files", "-z", "--", gitPath(path)],
        maxOutputBytes: 4096,
        onOutput(chunk, stream) {
          if (stream === "stdout" && chunk.length > 0) tracked = true;
        },
      });
      if (tracked) return "tracked";
      const { code } = await git({
        doing,
        // It refuses literal pathspecs, though it takes paths; "./" keeps a leading ":" one of a name.
        args: ["--no-literal-pathspecs", "check-ignore", "--quiet", "--", `./${gitPath(path)}`],
        answers: [0, 1],
      });
      return code === 0 ? "ignored" : "untracked";
    },
  };
}
