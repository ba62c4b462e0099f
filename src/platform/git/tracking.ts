/** Whether git keeps a path, ignores it, or would pick it up with the next `git add`. */
import { gitPath, isGitPath } from "svc/core/git_args.ts";
import { eachItem, eachStretch } from "./answers.ts";
import type { CallGit } from "./call.ts";

const decoder = new TextDecoder();

/** With more paths git lists its whole index. */
const TRACKED_NAMED_PATHS = 200;

type TrackingState = "tracked" | "ignored" | "untracked";

export interface GitTracking {
  /** By the repo's own rules, not the user's. The path may be absent. */
  trackingOf(path: string): Promise<TrackingState>;
  /** Without those whose changes on disk git was told not to look at, and those that git cannot be asked about. */
  trackedAmong(paths: readonly string[]): Promise<ReadonlySet<string>>;
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
    async trackedAmong(paths) {
      const wanted = new Set(paths.filter(isGitPath));
      const tracked = new Set<string>();
      if (wanted.size === 0) return tracked;
      const doing = `look which files git keeps in "${root}"`;
      const named = wanted.size <= TRACKED_NAMED_PATHS ? [...wanted] : [];
      await eachItem(git, { doing, args: ["ls-files", "-v", "-z", "--", ...named] }, (item) => {
        const text = decoder.decode(item);
        // "H" is kept, "M" in conflict; "S" and small letters are flags of git-update-index(1).
        if (/^[HM] /.test(text) && wanted.has(text.slice(2))) tracked.add(text.slice(2));
      });
      return tracked;
    },
  };
}
