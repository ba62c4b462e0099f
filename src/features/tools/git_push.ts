/** `git_push`: sends the current `svc/…` branch to the remote that a person registered. */
import { z } from "zod";
import { quoted } from "svc/core/repo_path.ts";
import { defaultRef, guardBranch } from "svc/features/guardrails/commit_guard.ts";
import { pushOfPerson, secretsBelow } from "svc/features/guardrails/below_branch.ts";
import { TICKETS } from "svc/features/tickets/ticket_places.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import { tool, type ToolSession } from "./tool.ts";

/** A program that the role started may have committed too. */
async function fault(session: ToolSession, branch: string, head: string) {
  const { tree, manifest, hookFolders, job, role, began } = session;
  const into = defaultRef(manifest);
  const guardrails = guardrailsOf(manifest, hookFolders);
  const commits = await tree.git.commitsSince(head, into);
  const { objections, foreign } = await guardBranch({ tree, guardrails }, {
    head,
    into,
    commits,
    makers: await session.commitMakers?.(branch) ?? new Map(),
    ...(began !== undefined && { by: { job, role, given: began.at } }),
  });
  const below = await secretsBelow(tree, { head, into });
  const found = [...foreign, ...objections, ...(below === undefined ? [] : [below])];
  if (found.length > 0) return `Cannot push: ${found.join(". ")}`;
  const wait = await pushOfPerson(tree, { head, into, tickets: TICKETS });
  return wait &&
    `Cannot push: it waits for ${wait}. Go on without it and say so when you finish`;
}

export const gitPush = tool({
  name: "git_push",
  about: "Pushes the current branch svc/… to the registered remote, never with force.",
  capability: "vcs-write",
  args: () => z.strictObject({}),
  needs: () => "net",
  async run(session, _, { signal }) {
    const { tree, push } = session;
    const { branch, head } = await tree.git.status();
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
    if (head === undefined) {
      return { ok: false, text: `Cannot push: ${quoted(branch)} has no commit. Commit first` };
    }
    const text = await fault(session, branch, head);
    if (text !== undefined) return { ok: false, text };
    // The commit that was checked, even if the branch has moved since.
    const { commit, changed } = await push(branch, head, signal);
    return {
      ok: true,
      text: changed
        ? `Pushed ${branch} at ${commit.slice(0, 12)}`
        : `The remote has ${branch} at ${commit.slice(0, 12)} already`,
      facts: { branch, commit, changed },
    };
  },
});
