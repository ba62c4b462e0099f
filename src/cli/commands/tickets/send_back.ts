import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { required, text } from "svc/cli/flags.ts";
import { decidedResult, personDecides, PLACE_FLAGS, showDecided } from "svc/cli/person_decides.ts";
import { ticketId } from "svc/features/tickets/ticket_list.ts";

export default command({
  about: "Send the work of a ticket in review back, with what is to be changed",
  details:
    "The ticket goes back to in-progress, and the role that did the work reads your text in its " +
    "next prompt. This also takes back an approval that waits for its merge. Name the commit that " +
    "you have seen, as `svc tickets review` prints it.",
  examples: [{
    line: 'svc tickets send-back T-0007 "keep the old name as an alias" --commit 5d0c1f2e7a90',
    about: "the first 12 characters are enough",
  }],
  effect: "writes_target",
  givenBy: { who: "person", because: "roles go by it as by a person's word", asks: true },
  modes: ["json", "plain", "yes"],
  flags: {
    ...PLACE_FLAGS,
    commit: required(text("commit", "The commit that you have seen; at least 12 characters")),
  },
  args: {
    id: required(text("id", "The ticket", { suggest: "tickets" })),
    note: required(text("text", "What is to be changed; - reads it from standard input")),
  },
  result: (z) => decidedResult(z),

  run: (app: App, { id, note, commit, ...place }) =>
    personDecides(app, place, note, (repo, text = "") => ({
      ...{ act: "send-back", repo, ticket: ticketId(id), commit, note: text },
    })),

  show(decided, page, asked) {
    showDecided(decided, page, "a running svc continues with it; otherwise: svc start", asked);
  },
});
