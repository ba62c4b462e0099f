/** Breaks of what nodes tell each other of work, and of repos that come later. */
import type { Break } from "./break.ts";

export const TEAM_WORK: readonly Break[] = [
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/runtime/job/work_elsewhere.ts",
    find: "?? await workedBefore(db, job, node.id)",
    put: "",
  },
  {
    ids: ["6:code-host:adopted"],
    file: "src/runtime/start/reachable_hosts.ts",
    find: "if (team || (role === undefined && receives(ports)))",
    put: "if (role === undefined && receives(ports))",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/pool.ts",
    find: "[asked, ...pools.filter((one) => one !== asked)]",
    put: "[asked]",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/pool.ts",
    find: "isCopy(thrown) || isNameless(thrown) ||",
    put: "isCopy(thrown) ||",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/session.ts",
    find: 'writable && copy === "on"',
    put: 'writable && copy === "never"',
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/session.ts",
    find: "begun.said && pid === connection.processID",
    put: "begun.said",
  },
  {
    ids: ["4.5:register:db"],
    file: "src/runtime/session/stored_repo.ts",
    find: "registered?.id ?? ",
    put: "",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/server_login.ts",
    find: "[login, ...login.others ?? []]",
    put: "[login]",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/features/jobs/claims.ts",
    find: "const jobs = claims[0]!.limited",
    put: 'const jobs = claims[0]!.owner === ""',
  },
  {
    ids: ["4.2:pipeline:shows-current-state"],
    file: "src/dashboard/parts/palette_sources.ts",
    find: "[...nodesOf(status.data.value), ",
    put: "[",
  },
  {
    ids: ["4.2:pipeline:shows-current-state"],
    file: "src/dashboard/parts/control_sheet.tsx",
    find: "<NodeControls of={node} />",
    put: "",
  },
];
