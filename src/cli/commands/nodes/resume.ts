import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { ASK_ARGS, ASK_FLAGS, askShape, askTeam, showAsked } from "svc/cli/nodes.ts";

export default command({
  about: "Let nodes claim jobs again that were paused or drained",
  details: "Each node obeys within five seconds.",
  examples: [
    {
      line: "svc nodes resume north --db postgres://team@db.example.org/svc",
      about: "one machine",
    },
    {
      line:
        'svc nodes resume --all --reason "the disk is replaced" --db postgres://team@db.example.org/svc',
      about: "all that run",
    },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "it starts agents there again" },
  modes: ["json", "plain"],
  flags: ASK_FLAGS,
  args: ASK_ARGS,
  result: askShape,
  run: (app: App, asked) => askTeam(app, "resume", asked),
  show: (asked, page, words) =>
    showAsked(asked, page, "it claims jobs again within five seconds", words),
});
