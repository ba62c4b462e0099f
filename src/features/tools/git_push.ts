/** `git_push`: sends the current `svc/…` branch to the remote that a person registered. */
import { z } from "zod";
import { quoted } from "svc/core/repo_path.ts";
import { tool } from "./tool.ts";

export const gitPush = tool({
  name: "git_push",
  about: "Pushes the current branch svc/… to the registered remote, never with force.",
  capability: "vcs-write",
  args: z.strictObject({}),
  needs: () => "net",
  async run({ repo, push }, _, { signal }) {
    const { branch } = await repo.status();
    if (branch === undefined || !branch.startsWith("svc/")) {
      const on = branch === undefined ? "HEAD is on no branch" : `this is ${quoted(branch)}`;
      return { ok: false, text: `Cannot push: ${on}, and only branches svc/… are pushed` };
    }
    if (push === undefined) {
      return {
        ok: false,
        text:
          "Cannot push: no remote is registered for this repo. Go on without it and say so when " +
          "you finish; a person registers one with: svc register --remote owner/repo",
      };
    }
    const { commit, changed } = await push(branch, signal);
    return {
      ok: true,
      text: changed
        ? `Pushed ${branch} at ${commit.slice(0, 12)}`
        : `The remote has ${branch} at ${commit.slice(0, 12)} already`,
      facts: { branch, commit, changed },
    };
  },
});
