import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, otherwise, path, required, text } from "svc/cli/flags.ts";
import { sandboxFlags } from "svc/cli/profile_flags.ts";
import { Failure } from "svc/core/failure.ts";
import { repoId, uuidV7 } from "svc/core/ids.ts";
import { redactor } from "svc/core/redact.ts";
import { duration, rfc3339 } from "svc/core/time.ts";
import { ENDINGS, OUTCOMES } from "svc/features/checks/check_table.ts";
import { recordCheck } from "svc/features/checks/check_store.ts";
import { runCheck } from "svc/features/checks/run_check.ts";
import { printableSecrets } from "svc/features/models/choose/repo_secrets.ts";
import { openFollowed } from "svc/features/repos/follow_move.ts";
import { registeredHere } from "svc/features/repos/registered_here.ts";

const ROLE = /^[a-z][a-z0-9_-]{0,39}$/;
const NAME = /^(?!\s)[^\p{Cc}]{1,100}(?<!\s)$/u;

function refuse(message: string, remedy: string): never {
  throw new Failure("usage", `Cannot run a check: ${message}`, { remedy });
}

export default command({
  about: "Run a command in a target repo and record whether it passed",
  details:
    "The command runs in the root of the repo, without a shell, and gets only PATH, HOME, LANG, " +
    "LC_*, TZ, TERM and TMPDIR; set other variables with env(1): -- env CI=1 make test. Its " +
    "output is shown as it comes (on stderr with --json) and kept in a log, both without secrets. " +
    "It may run for 10 minutes, and no process that it starts outlives it. The record goes into " +
    "the repo's database, never into the repo. Exit status: 0 passed, 1 failed.",
  examples: [
    { line: "svc checks run --repo . --name test -- make test", about: "record `make test`" },
    {
      line: "svc checks run --repo ~/work/app --name lint --role qa --json -- npm run lint",
      about: "for the role qa, with a JSON result",
    },
    { line: "svc checks run --repo . --name e2e -- sh -c 'make up && make e2e'", about: "a shell" },
  ],
  effect: "writes_home",
  net: { to: "run the repo's own checks" },
  givenBy: {
    who: "anyone",
    because: "it records what a command came to; gates count only what svc ran itself",
  },
  modes: ["json", "plain"],
  flags: {
    repo: required(path("path", "Target repo")),
    name: required(text("name", "What the check is called, such as test")),
    role: otherwise(
      text("role", "Role the check is recorded for", { suggest: "roles" }),
      "engineer",
    ),
    db: database("Database to record in (default: ~/.svc/db/<repo name>/svc.db)"),
    ...sandboxFlags,
  },
  rest: { value: "command", about: "The program and its arguments" },
  result: (z) =>
    z.strictObject({
      id: z.string(),
      repo_id: z.string(),
      name: z.string(),
      role: z.string(),
      command: z.string(),
      outcome: z.enum(OUTCOMES),
      ending: z.enum(ENDINGS),
      exit_code: z.int().nullable(),
      signal: z.string().nullable(),
      reason: z.string().nullable(),
      started_at: z.iso.datetime(),
      duration_ms: z.int(),
      log_path: z.string(),
      database: z.string(),
    }),

  async run(app: App, asked) {
    const { clock, files, home, servers, signal } = app;
    const { name, role, rest, json } = asked;
    if (!NAME.test(name)) {
      refuse(`${JSON.stringify(name)} is not a name`, "Use 1 to 100 printable characters");
    }
    if (!ROLE.test(role)) {
      refuse(`${JSON.stringify(role)} is not a role`, "Use a short lower-case name: --role qa");
    }
    if (rest.length === 0) {
      refuse('no command follows "--"', `svc checks run --repo . --name ${name} -- make test`);
    }
    const opened = await app.git.open(asked.repo, { signal });
    await using store = await openFollowed({ files, clock, home, servers }, {
      repo: opened.root,
      db: asked.db,
    });
    app.log.open();
    const show = (text: string, stream: "stdout" | "stderr") =>
      (json ? app.stderr : app[stream]).write(text);
    const { root, commonDir } = opened;
    const id = (await registeredHere(store.db, opened))?.id ?? await repoId(root);
    using folder = await app.folder(root);
    const redact = redactor(await printableSecrets({ git: opened, folder }), app.redact);
    const check = await runCheck({ ...app, redact, show }, {
      id: uuidV7(clock.now()),
      repo: { id, root, commonDir },
      step: "checks",
      name,
      role,
      words: rest,
      env: app.env.all(),
    });
    await recordCheck(store.db, check);
    return { ...check, started_at: rfc3339(check.started_at), database: store.path };
  },

  exit: ({ outcome }) => outcome === "passed" ? 0 : 1,

  show({ name, role, outcome, reason, duration_ms, log_path }, page) {
    const mark = outcome === "passed" ? page.tone("good", "passed") : page.tone("bad", outcome);
    page.line(
      `${mark}: ${name} (${role}) in ${duration(duration_ms)}${reason ? ` · ${reason}` : ""}`,
    );
    page.line(page.tone("dim", `log: ${log_path}`));
  },
});
