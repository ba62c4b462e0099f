import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, on, repo } from "svc/cli/flags.ts";
import { profileOf } from "svc/cli/profile_flags.ts";
import { sayFollowed, sayScaffolded } from "svc/cli/page/harness_report.ts";
import { checkServiceFlags, SERVICE_MODULES, serviceFlags } from "svc/cli/service/flags.ts";
import { mustAllBeFree } from "svc/cli/service/listen.ts";
import { serviceExit, serviceShape, showService } from "svc/cli/service/report.ts";
import { confineStart } from "svc/runtime/start/confine_service.ts";
import { withOwnServer } from "svc/runtime/start/with_own_server.ts";

export default command({
  about: "Keep one repo going: its roles work on its tickets until you stop it",
  details:
    "Continues where an earlier start was cut off; if there is nothing to continue, the bootstrap " +
    "role begins. If svc cannot tell safely how to continue, it refuses and says what it found. " +
    "Observer profile, the default, is a rehearsal: everything is decided and shown, nothing in " +
    "the repo changes. In host profile a repo without a harness gets one, as a commit of its own. " +
    "After q or Ctrl-C svc ends within 45 s, after a second Ctrl-C within 2 s. With --json the " +
    "first line says where it listens, each further one what happened, and the last what was " +
    "done.",
  examples: [
    { line: "svc start", about: "rehearses with the repo of the current folder" },
    {
      line: "svc start --execution-profile host --acknowledge-host-execution",
      about: "does the work, in work trees of its own",
    },
    {
      line:
        "svc start --json --model-endpoint http://127.0.0.1:11434/v1 | head -1 | jq .dashboard_url",
      about: "for scripts",
    },
  ],
  effect: "serves",
  givenBy: { who: "person", because: "it starts agents, and says what they may do" },
  graceful: true,
  stream: "where it listens, each event as it happens, and last what was done",
  modes: ["yes", "json", "plain"],
  flags: {
    repo,
    newLifecycle: on("Start over: old jobs end, tickets go back to the backlog, branches stay"),
    force: on("Put blocked tickets back: what they waited for has happened"),
    db: database("Database of the runtime, outside every repo (default: the repo's own)"),
    ...serviceFlags,
  },
  result: serviceShape,

  ahead: SERVICE_MODULES,

  async confine(app: App, asked) {
    const profile = profileOf(asked);
    await checkServiceFlags(app, asked);
    const scaffolded = (files: number) => sayScaffolded(app, files);
    const followed = (from: string) => sayFollowed(app, from);
    const { repo = app.cwd() } = asked;
    const mustBeFree = () => mustAllBeFree(app, asked);
    const asks = (what: string) => app.progress.update(what);
    const request = { ...asked, repo, profile, scaffolded, followed, asks, mustBeFree };
    return await withOwnServer(app, await confineStart(app, request), asked);
  },

  async run(app: App, asked) {
    const { runService } = await app.load("src/cli/service/run");
    return await runService(app, { shape: "start", options: asked, profile: profileOf(asked) });
  },

  exit: serviceExit,
  show: showService,
});
