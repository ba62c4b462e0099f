import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { required, text } from "svc/cli/flags.ts";
import { decidedResult, personDecides, PLACE_FLAGS, showDecided } from "svc/cli/person_decides.ts";

export default command({
  about: "Take back what a person decided, while nothing has followed it",
  details:
    "Works for 15 minutes: for an unblocking and a change of role or model until the next job " +
    "begins, for an approval until the merge is made, and for lifting a hold until a job follows. " +
    "The ticket gets its old fields in a new commit; no commit is removed. An answer to a " +
    "question cannot be taken back.",
  examples: [{ line: "svc inbox undo 0199c2f3-…", about: "svc inbox lists what can be undone" }],
  effect: "writes_target",
  givenBy: { who: "person", because: "it takes back a person's word", asks: true },
  modes: ["json", "plain", "yes"],
  flags: PLACE_FLAGS,
  args: { decision: required(text("decision", "Its id")) },
  result: (z) => decidedResult(z),
  run: (app: App, { decision, ...place }) =>
    personDecides(app, place, undefined, () => ({ act: "undo", decision })),
  show(decided, page, asked) {
    showDecided(decided, page, "svc inbox", asked);
  },
});
