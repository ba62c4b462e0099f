import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database } from "svc/cli/flags.ts";
import { profileOf } from "svc/cli/profile_flags.ts";
import { checkServiceFlags, SERVICE_MODULES, serviceFlags } from "svc/cli/service/flags.ts";
import { serviceExit, serviceShape, showService } from "svc/cli/service/report.ts";
import { confineServe } from "svc/runtime/start/confine_service.ts";
import { withOwnServer } from "svc/runtime/start/with_own_server.ts";

export default command({
  about: "Keep every registered repo going: webhooks, schedules, a pool of workers",
  details:
    "Works on the repos that are registered in its database when it begins; after registering " +
    "another, restart it. If a repo is gone or broken, svc says so and works on the others. " +
    "Webhooks of GitHub and Linear come to --addr, signed with $SVC_GITHUB_WEBHOOK_SECRET and " +
    "$SVC_LINEAR_WEBHOOK_SECRET. Several svc serve on one database share the work. Observer " +
    "profile, the default, is a rehearsal that changes no repo. After q or Ctrl-C svc ends within " +
    "45 s, after a second Ctrl-C within 2 s. With --json the first line says where it listens, " +
    "each further one what happened, and the last what was done.",
  examples: [
    { line: "svc serve", about: "rehearses with all registered repos" },
    {
      line: "svc serve --execution-profile host --acknowledge-host-execution --concurrency 4",
      about: "does the work, four jobs at a time",
    },
    { line: "svc serve --plain 2>> serve.log", about: "one line for each event, for a log" },
  ],
  effect: "serves",
  givenBy: { who: "person", because: "it starts agents, and says what they may do" },
  graceful: true,
  stream: "where it listens, each event as it happens, and last what was done",
  modes: ["json", "plain"],
  flags: {
    db: database("Database, outside every repo (default: ~/.svc-harness/db/svc.db)"),
    ...serviceFlags,
  },
  result: serviceShape,

  ahead: [...SERVICE_MODULES, "src/platform/net/listen"],

  async confine(app: App, asked) {
    const profile = profileOf(asked);
    await checkServiceFlags(app, asked);
    const clones = (what: string) => app.progress.update(what);
    return await withOwnServer(app, await confineServe(app, { ...asked, profile, clones }), asked);
  },

  async run(app: App, asked) {
    const { runService } = await app.load("src/cli/service/run");
    return await runService(app, { shape: "serve", options: asked, profile: profileOf(asked) });
  },

  exit: serviceExit,
  show: showService,
});
