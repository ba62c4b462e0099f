import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { ASK_ARGS, ASK_FLAGS, askShape, askTeam, showAsked } from "svc/cli/nodes.ts";

export default command({
  about: "End the service of nodes gracefully, as Ctrl-C there would",
  details:
    "Its jobs may end within 30 s; then they are given back to the team, and no attempt is used. " +
    "The process ends with exit status 0; if a supervisor starts it again, it works again.",
  examples: [
    { line: "svc nodes stop north --db postgres://team@db.example.org/svc", about: "one machine" },
    {
      line:
        'svc nodes stop --all --reason "the building has no power on Saturday" --db postgres://team@db.example.org/svc',
      about: "all that run",
    },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "it ends services that others count on", asks: true },
  modes: ["json", "plain", "yes"],
  flags: ASK_FLAGS,
  args: ASK_ARGS,
  result: askShape,
  run: (app: App, asked) => askTeam(app, "stop", asked),
  show: (asked, page, words) =>
    showAsked(asked, page, "its service ends when its jobs have, within 45 s", words),
});
