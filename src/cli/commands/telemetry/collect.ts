import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, otherwise, path, text } from "svc/cli/flags.ts";
import { checkLogFile } from "svc/cli/log_file.ts";
import { addressText, otherLoopbackHosts } from "svc/core/loopback.ts";
import { inertJson } from "svc/core/plain_text.ts";
import { redactedJson } from "svc/core/redact.ts";
import { visibleWithout } from "svc/core/visible_text.ts";
import { intakeCounts, takeReport } from "svc/features/telemetry/intake_store.ts";
import { REPORT_PATH } from "svc/features/telemetry/report_terms.ts";
import { ownReporting } from "svc/runtime/session/reported_database.ts";
import { openStore } from "svc/store/open.ts";

/** How long open requests may take when the listener closes. */
const CLOSE_MS = 2_000;

export default command({
  about: "Collect anonymous reports on a loopback address, each exactly once",
  details:
    "Takes POST /v1/anonymous-telemetry/reports with a report that matches the published schema, " +
    "of at most 64 KiB. 202 means that it is stored for good, 200 that the same report came " +
    "before. If telemetry.token is set in ~/.svc/config.yaml, or SVC_TELEMETRY_TOKEN, senders " +
    "must send it as a bearer token. It binds only a literal loopback IP: for senders elsewhere, " +
    "put a reverse proxy with TLS in front that passes on the Host of this address. Reports are " +
    "removed at the age of job records (retention.records_days, 400). Ctrl-C ends it.",
  examples: [
    {
      line: "svc telemetry collect",
      about: "at 127.0.0.1:9092, into ~/.svc/db/foundation-telemetry",
    },
    { line: "svc telemetry collect --addr '[::1]:9292' --db ~/intake.db", about: "elsewhere" },
    { line: "svc telemetry collect --json", about: "for scripts: the first line says where" },
  ],
  effect: "serves",
  givenBy: { who: "person", because: "it opens a port of this machine" },
  modes: ["json", "plain"],
  stream: "where it listens, last what came of it",
  flags: {
    addr: text("ip:port", "Literal loopback address (default: 127.0.0.1:9092, or ports.collector)"),
    storage: otherwise(choice(["sqlite"], "How reports are stored"), "sqlite"),
    db: path("file", "Database (default: ~/.svc/db/foundation-telemetry/intake.db)"),
    logFile: path("file", "Write the command log here; outside the repo"),
  },
  result: (z) =>
    z.strictObject({
      ok: z.literal(true),
      event: z.literal("stopped"),
      database: z.string(),
      stored: z.int(),
      seen: z.int(),
      refused: z.int(),
      reports: z.int(),
    }),

  ahead: ["src/http/collector"],

  async confine(app: App, { addr, db, logFile }) {
    // Before any file is opened (spec section 4.5, rule 8).
    const hosts = otherLoopbackHosts(addr);
    await checkLogFile({ logFile });
    const { openIntake } = await app.load("src/store/placement");
    await using store = await openIntake(app, db);
    return {
      profile: "observer",
      repos: [],
      hosts,
      database: store.path,
      ...(logFile !== undefined && { logFile }),
    };
  },

  async run(app: App, asked) {
    const { collectorListener } = await app.load("src/http/collector");
    const { token } = await ownReporting(app);
    const settings = await app.settings();
    const { ports } = settings;
    await using store = await openStore(app, app.database!);
    const tally = { stored: 0, seen: 0, refused: 0 };
    const listener = collectorListener({
      addr: asked.addr ?? `127.0.0.1:${ports.collector}`,
      token,
      clock: app.clock,
      log: app.log,
      async take(report) {
        const taken = await takeReport(store.db, report, { now: app.clock.now() });
        if (taken === "stored" || taken === "seen") tally[taken]++;
        return taken;
      },
      refused: () => tally.refused++,
    });
    const url = `http://${addressText(listener.address)}`;
    const database = store.path;
    const guarded = token !== undefined;
    if (asked.json) {
      const started = { ok: true, event: "started", url, path: REPORT_PATH, database };
      const facts = { ...started, token: guarded, pid: app.runtime.pid };
      app.stdout.write(`${inertJson(redactedJson(facts, app.redact))}\n`);
    } else {
      const who = guarded ? "with the token" : "no token is set: any program here may send";
      const line = `Collecting at ${url}${REPORT_PATH} (${who}), into ${database}`;
      app.stdout.write(`${visibleWithout(app.redact)(line)}\n`);
    }
    const stopped = Promise.withResolvers<void>();
    if (app.signal.aborted) stopped.resolve();
    app.signal.addEventListener("abort", () => stopped.resolve());
    const { retainReports } = await app.load("src/runtime/retention/reports");
    const over = new AbortController();
    const retained = retainReports({ ...app, db: store.db }, settings, over.signal);
    await stopped.promise;
    await listener.stop(CLOSE_MS);
    over.abort();
    await retained;
    const { reports } = await intakeCounts(store.db);
    return { ok: true as const, event: "stopped" as const, database, ...tally, reports };
  },

  show({ stored, seen, refused, reports, database }, page) {
    page.line(`Reports stored: ${stored}; came again: ${seen}; requests refused: ${refused}`);
    page.line(`Reports in ${database}: ${reports}`);
    if (reports > 0) page.next("svc telemetry triage-foundation --repo <source repo> --dry-run");
  },
});
