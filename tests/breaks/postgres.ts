/** Breaks of what svc keeps on a PostgreSQL server. */
import type { Break } from "./break.ts";

export const POSTGRES_BREAKS: readonly Break[] = [
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/translate.ts",
    find: '"/* skip locked */", CLAIMS_ROW',
    put: '"/* skip locked */", ""',
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/dialect.ts",
    find: "changes && isTaken(thrown)",
    put: "false",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/dialect.ts",
    find: "`BEGIN; SELECT pg_advisory_xact_lock(${TURN_LOCK})`",
    put: '"BEGIN"',
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/pool.ts",
    find: 'connection.on("error", () => {})',
    put: "connection",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/schema.ts",
    find: "if (facts.ours || facts.tables === 0) return;",
    put: "if (facts.version > 0) return;",
  },
  {
    ids: ["1:run:selected-database"],
    file: "src/store/copy.ts",
    find:
      "count += rows.length;\n    sum = await chained(sum, rows);\n  }\n  return { table, rows: count, sha256: sum };\n}\n\n/** What a new",
    put:
      "count += rows.length + 1;\n    sum = await chained(sum, rows);\n  }\n  return { table, rows: count, sha256: sum };\n}\n\n/** What a new",
  },
  {
    ids: ["4.5:start:db"],
    file: "src/cli/confined/worker.ts",
    find: "confinement.serverLogin !== undefined && ",
    put: "confinement.serverLogin === undefined && ",
  },
  {
    ids: ["4.5:register:db"],
    file: "src/store/postgres/login.ts",
    find: 'fields[at] === "*" || fields[at] === value',
    put: "fields[at] === value",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/lead.ts",
    find: "clock_timestamp() - process.state_change",
    put: "clock_timestamp() - process.backend_start",
  },
  {
    ids: ["3.2:startup:resumes-active-jobs"],
    file: "src/runtime/job/conclude.ts",
    find: "if (!failure.detail.waits || clock.monotonic() >= deadline) throw thrown;",
    put: "if (clock.monotonic() > 0) throw failure;",
  },
  {
    ids: ["3.2:startup:resumes-active-jobs"],
    file: "src/runtime/engine/worker.ts",
    find: "worker.unanswered ? await claimedBy(db, owner) : undefined",
    put: "undefined",
  },
  {
    ids: ["1:serve:recovery-watchdog"],
    file: "src/features/jobs/job_store.ts",
    find: "      watch.cannotWrite();\n",
    put: "",
  },
  {
    ids: ["1:serve:recovery-watchdog"],
    file: "src/features/jobs/lease_watch.ts",
    find: "if (outage || asked !== undefined && at - asked > OUTAGE_MS) seen = new Map();",
    put: "",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/runtime/job/heartbeat.ts",
    find: "if (!await within(clock, heartbeatMs, asked, done.signal)) continue;",
    put: "",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/dialect.ts",
    find: "isAway(thrown) || isCrowded(thrown)",
    put: "isAway(thrown)",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/dialect.ts",
    find: "isAway(thrown) || isCopy(thrown)",
    put: "isAway(thrown)",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/listen.ts",
    find: "!await within(clock, LISTEN_LOOK_MS, over)",
    put: "await over === null",
  },
  {
    ids: ["3.2:startup:resumes-active-jobs"],
    file: "src/store/postgres/errors.ts",
    find: 'pg_isready -h <host> -p <port>",\n  waits: true,',
    put: 'pg_isready -h <host> -p <port>",',
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/query.ts",
    find: "serverOf(db) !== undefined ? sql<number>`svc_now(${now})` : sql<number>`${now}`",
    put: "sql<number>`${now}`",
  },
];
