/** Whether git keeps a path, ignores it, or would pick it up with the next `git add`. */
import { gitPath } from "svc/core/git_args.ts";
import { eachStretch } from "./answers.ts";
import type { CallGit } from "./call.ts";

type TrackingState = "tracked" | "ignored" | "untracked";

export interface GitTracking {
  /** By the repo's own rules, not the user's. The path may be absent. */
  trackingOf(path: string): Promise<TrackingState>;
}

export function trackingVerbs(git: CallGit, root: string): GitTracking {
  return {
    async trackingOf(path) {
      const doing = `look whether git keeps "${path}" in "${root}"`;
      let tracked = false;
      const args = ["ls-files", "-z", "--", gitPath(path)];
      await eachStretch(git, { doing, args }, () => tracked = true);
      if (tracked) return "tracked";
      const { code } = await git({
        doing,
        // check-ignore refuses literal pathspecs, though it takes paths; "./" keeps a leading ":" literal.
        args: ["--no-literal-pathspecs", "check-ignore", "--quiet", "--", `./${gitPath(path)}`],
        answers: [0, 1],
      });
      return code === 0 ? "ignored" : "untracked";
    },
  };
}
