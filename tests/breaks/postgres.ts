/** Breaks of what svc keeps on a PostgreSQL server. */
import type { Break } from "./break.ts";

export const POSTGRES_BREAKS: readonly Break[] = [
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/translate.ts",
    find: '"FOR UPDATE SKIP LOCKED"',
    put: '""',
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
];
