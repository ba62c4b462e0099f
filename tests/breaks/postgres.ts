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
  // A claim that sorts the queue where statistics are old.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/session.ts",
    find: '"enable_sort=off", "enable_bitmapscan=off", ',
    put: "",
  },
  // A prepared statement that fails since another node added a column.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/dialect.ts",
    find: "isUndone(thrown) || isStale(thrown)",
    put: "isUndone(thrown)",
  },
  // One that ends a transaction for the same reason.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/statements.ts",
    find: 'inTransaction && sql.includes("*") ? undefined : ',
    put: "",
  },
  // Two transactions of one repo at once.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/words.ts",
    find: "PERFORM pg_advisory_xact_lock(${TURN_LOCK}, hashtext(repo_id));",
    put: "",
  },
  // One of a repo beside one that names none.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/words.ts",
    find: "PERFORM pg_advisory_xact_lock_shared(${TURN_LOCK});",
    put: "",
  },
  // Repos that wait for each other.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/turn.ts",
    find: "return inTurn === undefined",
    put: "return inTurn !== undefined",
  },
  // A later event told before an earlier one, which is then lost.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/features/telemetry/event_reader.ts",
    find: "id - 1 > this.#settled) return at;",
    put: "id < this.#settled) return at;",
  },
  // An event whose writer does not show itself.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/words.ts",
    find: "PERFORM pg_advisory_xact_lock_shared(${EVENTS_LOCK});",
    put: "",
  },
  // A gap that is waited for without end.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/features/telemetry/event_reader.ts",
    find: "  return writers.some((writer) => now.has(writer));",
    put: "    return now.size > 0;",
  },
  // A reader that begins behind what is still being stored.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/features/telemetry/event_reader.ts",
    find: "writers.length > 0;) {",
    put: "writers.length > 99;) {",
  },
  // A claim that is compiled for a second.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/session.ts",
    find: '"jit=off"',
    put: '"jit=on"',
  },
  // Two workers of a process that get jobs of one ticket at once.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/features/jobs/claim_query.ts",
    find: "ON one.nth < other.nth AND other.nth <= queued.nth",
    put: "ON false AND other.nth <= queued.nth",
  },
  // A busy role that is not passed over where the queue is asked by role.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/features/jobs/claim_rules.ts",
    find: "    roleIsFree,\n    roleIsOpen(now),\n  ]);\n\n/** The rest",
    put: "    roleIsOpen(now),\n  ]);\n\n/** The rest",
  },
  // Works that are lost because of another that shared their commit.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/shared_turn.ts",
    find: "mayBeDone || those.length === 1",
    put: "mayBeDone || those.length > 0",
  },
  // Works that wait for others that wait.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/shared_turn.ts",
    find: "await Promise.race([group, ports.clock.sleep(PATIENCE_MS)]);",
    put: "await group;",
  },
  // A job that cannot be.
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/checks.ts",
    find: "IS FALSE THEN",
    put: "IS NULL THEN",
  },
  {
    ids: ["4.1:control-listener:code-host-webhooks"],
    file: "src/features/webhooks/delivery_store.ts",
    find: "return numInsertedOrUpdatedRows === 1n;",
    put: "return numInsertedOrUpdatedRows >= 0n;",
  },
  {
    ids: ["3.2:startup:resumes-active-jobs"],
    file: "src/runtime/engine/liveness.ts",
    find: "await repo.shared?.refresh();",
    put: "if (due.length > 0) return due;",
  },
];
