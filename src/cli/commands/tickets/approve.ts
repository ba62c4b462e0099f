import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { required, text } from "svc/cli/flags.ts";
import {
  decidedResult,
  personDecides,
  PLACE_FLAGS,
  REASON_FLAG,
  showDecided,
} from "svc/cli/person_decides.ts";
import { ticketId } from "svc/features/tickets/ticket_list.ts";

export default command({
  about: "Approve the work of a ticket in review, in place of the role that judges",
  details:
    "Name the commit that you have seen, as `svc tickets review` prints it: if the branch has " +
    "moved on since, the approval is refused. Secrets, protected files and commits of unknown " +
    "origin are kept out, whoever approves, and the checks run on the merge as for a role's " +
    "approval. If the manifest names no check, this also gives the permission that the merge " +
    "needs, for this commit only.",
  examples: [{
    line: "svc tickets approve T-0007 --commit 5d0c1f2e7a90",
    about: "the first 12 characters are enough",
  }],
  effect: "writes_target",
  givenBy: { who: "person", because: "what it names is merged", asks: true },
  modes: ["json", "plain", "yes"],
  flags: {
    ...PLACE_FLAGS,
    ...REASON_FLAG,
    commit: required(text("commit", "The commit that you have seen; at least 12 characters")),
  },
  args: { id: required(text("id", "The ticket", { suggest: "tickets" })) },
  result: (z) => decidedResult(z),

  run: (app: App, { id, reason, commit, ...place }) =>
    personDecides(app, place, reason, (repo, note) => ({
      ...{ act: "approve", repo, ticket: ticketId(id), commit, note },
    })),

  show(decided, page, asked) {
    showDecided(decided, page, "a running svc merges it at once; else: svc start", asked);
  },
});
