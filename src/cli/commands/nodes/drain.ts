import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { ASK_ARGS, ASK_FLAGS, askShape, askTeam, showAsked } from "svc/cli/nodes.ts";

export default command({
  about: "Let nodes run out of work, to update or to move them",
  details:
    "A draining node claims no jobs; when its jobs have ended it says that it is drained, and " +
    "stays up. After a restart it works again: this is how a team is updated, one node after the " +
    "other.",
  examples: [
    {
      line: "svc nodes drain north --db postgres://team@db.example.org/svc",
      about: "before its svc is updated",
    },
    {
      line:
        'svc nodes drain --all --reason "to version 0.3" --db postgres://team@db.example.org/svc',
      about: "all that run",
    },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "others wait for its work" },
  modes: ["json", "plain"],
  flags: ASK_FLAGS,
  args: ASK_ARGS,
  result: askShape,
  run: (app: App, asked) => askTeam(app, "drain", asked),
  show: (asked, page, words) =>
    showAsked(asked, page, "it claims nothing, and is drained when its jobs have ended", words),
});
