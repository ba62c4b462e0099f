/** Breaks of `svc telemetry`. */
import type { Break } from "./break.ts";

const collect = "src/cli/commands/telemetry/collect.ts";
const triage = "src/cli/commands/telemetry/triage_foundation.ts";
const outbox = "src/features/telemetry/outbox_store.ts";
const reporting = "src/features/settings/reporting.ts";
const send = "src/features/telemetry/send_reports.ts";
const reported = "src/runtime/session/reported_database.ts";

export const SECTION_4_5_TELEMETRY: readonly Break[] = [
  {
    ids: ["2.1:intake-database:default-of-collector"],
    file: "src/store/placement.ts",
    find: "`${home.db}/foundation-telemetry/intake.db`",
    put: "`${home.db}/telemetry/intake.db`",
  },
  {
    ids: ["2.2:telemetry-config:keys"],
    file: reporting,
    find: "endpoint: said.endpoint ?? telemetry.endpoint,",
    put: "endpoint: said.endpoint,",
  },
  {
    ids: ["4.5:telemetry-status:shows-state"],
    file: "src/cli/commands/telemetry/status.ts",
    find: 'page.line(page.tone(sends ? "warn" : "good", summary));',
    put: "void [sends, summary];",
  },
  {
    ids: [
      "4.5:telemetry-status:repo-and-db",
      "4.5:telemetry-preview:repo-and-db",
      "4.5:telemetry-send:repo-and-db",
    ],
    file: reported,
    find: "git.open(repo ?? cwd, { signal })",
    put: "git.open(cwd, { signal })",
  },
  {
    ids: ["4.5:telemetry-preview:exact-payload"],
    file: "src/features/telemetry/make_report.ts",
    find: "const text = `${key} ${from} ${JSON.stringify(facts)}`;",
    put: "const text = `${key} ${from} ${Math.random()} ${JSON.stringify(facts)}`;",
  },
  {
    ids: ["4.5:telemetry-export:enqueues-reports", "4.5:telemetry-send:sends-pending"],
    file: outbox,
    find: '      state: "pending",\n',
    put: '      state: "pending",\n      ...{ state: "sent" as const, settled_at: now },\n',
  },
  {
    ids: ["4.5:telemetry-export:anonymous"],
    file: "src/cli/commands/telemetry/export.ts",
    find: "if (!anonymous) {",
    put: 'if (!anonymous && repo === "") {',
  },
  {
    ids: ["4.5:telemetry-export:sanitized"],
    file: "src/features/telemetry/make_report.ts",
    find: 'role: listed(REPORT_ROLES, role, "custom"),',
    put: 'role: String(role) as "custom",',
  },
  {
    ids: ["4.5:telemetry-send:needs-anonymous-reporting"],
    file: reporting,
    find: 'const fault = reporting !== "anonymous"\n',
    put: 'const fault = reporting === ("on" as string)\n',
  },
  {
    ids: ["4.5:telemetry-send:needs-endpoint"],
    file: reporting,
    find: 'const near = url.hostname === "localhost" ||',
    put: 'const near = url.hostname !== "" ||',
  },
  {
    ids: ["4.5:telemetry-send:appends-path"],
    file: send,
    find: "url.pathname = path + REPORT_PATH;",
    put: 'url.pathname = path + REPORT_PATH.replace("reports", "report");',
  },
  {
    ids: ["9:telemetry:v1-path"],
    file: "src/features/telemetry/report_terms.ts",
    find: '"/v1/anonymous-telemetry/reports"',
    put: '"/anonymous-telemetry/reports"',
  },
  {
    ids: ["4.5:telemetry-send:failure-is-warning"],
    file: "src/cli/commands/telemetry/send.ts",
    find: "warnings: warning === undefined ? [] : [warning] };",
    put: "warnings: [] };",
  },
  {
    ids: ["5:telemetry:environment-reporting"],
    file: reporting,
    find: "reporting: (said.reporting ?? telemetry.reporting)",
    put: "reporting: telemetry.reporting",
  },
  {
    ids: ["5:telemetry:environment-endpoint"],
    file: reporting,
    find: "endpoint: said.endpoint ?? telemetry.endpoint,",
    put: "endpoint: telemetry.endpoint ?? said.endpoint,",
  },
  {
    ids: ["5:telemetry:environment-token"],
    file: reporting,
    find: "token: said.token ?? telemetry.token,",
    put: "token: telemetry.token ?? said.token,",
  },
  {
    ids: ["5:telemetry:environment-interval"],
    file: reporting,
    find: "interval: said.interval ?? telemetry.interval,",
    put: "interval: telemetry.interval,",
  },
  {
    ids: ["4.5:telemetry-collect:collects-aggregates"],
    file: "src/http/collector.ts",
    find: "stored: answer(202, { ok: true }),",
    put: "stored: answer(204, { ok: true }),",
  },
  {
    ids: ["4.5:telemetry-collect:addr"],
    file: collect,
    find: "addr: asked.addr ?? `127.0.0.1:${ports.collector}`,",
    put: "addr: asked.addr ?? `127.0.0.1:${ports.control}`,",
  },
  {
    ids: [
      "4.5:telemetry-collect:literal-loopback-only",
      "4.5:telemetry-collect:rejects-before-database",
    ],
    file: collect,
    find: "const hosts = otherLoopbackHosts(addr);",
    put: "const hosts: string[] = [];",
  },
  {
    ids: ["4.5:telemetry-collect:storage"],
    file: collect,
    find: 'choice(["sqlite"], "How reports are stored")',
    put: 'choice(["sqlite", "postgres"], "How reports are stored")',
  },
  {
    ids: ["4.5:telemetry-collect:db"],
    file: collect,
    find: "await openIntake(app, db);",
    put: "await openIntake(app, undefined);",
  },
  {
    ids: ["4.5:telemetry-triage:creates-tickets"],
    file: "src/features/telemetry/triage.ts",
    find: "export const TRIAGE_REPORTS = 2;",
    put: "export const TRIAGE_REPORTS = 1;",
  },
  {
    ids: ["4.5:telemetry-triage:repo-and-db"],
    file: triage,
    find: "const there = await findIntake(app, db) !== undefined;",
    put: "const there = await findIntake(app, undefined) !== undefined;",
  },
  {
    ids: ["4.5:telemetry-triage:window-days"],
    file: triage,
    find: "const since = app.clock.now() - days * DAY_MS;",
    put: "const since = app.clock.now() - 30 * DAY_MS;",
  },
];
