import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { ASK_ARGS, ASK_FLAGS, askShape, askTeam, showAsked } from "svc/cli/nodes.ts";

export default command({
  about: "Let nodes claim no more jobs; what runs there goes on",
  details: "Each node obeys within five seconds, and stays up: its pages answer, its merges and " +
    "schedules go on. It stays paused even after a restart, until svc nodes resume. To pause the " +
    "whole team, use Pause in the dashboard.",
  examples: [
    { line: "svc nodes pause north --db postgres://team@db.example.org/svc", about: "one machine" },
    {
      line:
        'svc nodes pause --all --reason "the disk is replaced" --db postgres://team@db.example.org/svc',
      about: "all that run",
    },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "others wait for its work" },
  modes: ["json", "plain"],
  flags: ASK_FLAGS,
  args: ASK_ARGS,
  result: askShape,
  run: (app: App, asked) => askTeam(app, "pause", asked),
  show: (asked, page, words) =>
    showAsked(asked, page, "it claims nothing within five seconds, until svc nodes resume", words),
});
