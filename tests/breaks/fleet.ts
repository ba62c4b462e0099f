/** Breaks of what several machines do on one server. */
import type { Break } from "./break.ts";

export const FLEET: readonly Break[] = [
  {
    ids: ["3.2:pause:no-new-claims"],
    file: "src/features/nodes/node_condition.ts",
    find: "return `node ${name} is paused${why}`;",
    put: "return undefined;",
  },
  {
    ids: ["4.5:serve:db"],
    file: "src/runtime/service/node_place.ts",
    find: "if (mine !== undefined && await lives(ports, mine)) throw",
    put: "if (mine !== undefined && mine.silent < 0) throw",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/runtime/service/node_place.ts",
    find: "if (own.named && await lives(ports, other)) throw nameTaken(own.name);",
    put: "",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/runtime/service/node_life.ts",
    find: "return schema > this.#knows ?",
    put: "return schema < this.#knows ?",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/store/postgres/schema.ts",
    find: "return newer || sum",
    put: "return sum",
  },
  {
    ids: ["4.3:mutation:success-body"],
    file: "src/http/node_routes.ts",
    find: 'asks("drain")',
    put: 'asks("pause")',
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/runtime/doctor/team_findings.ts",
    find: "...nodes.flatMap(ofNode),",
    put: "",
  },
  {
    ids: ["4.3:status:fields"],
    file: "src/runtime/views/status_view.ts",
    find: "nodes.length > 0 &&",
    put: "nodes.length > 99 &&",
  },
  {
    ids: ["4.3:status:redacted-when-anonymous"],
    file: "src/runtime/views/status_view.ts",
    find: "return { healthy, paused, uptime_secs };",
    put: "return { healthy, paused, uptime_secs, nodes: arguments[0].nodes } as never;",
  },
  {
    ids: ["4.2:pipeline:shows-current-state"],
    file: "src/dashboard/parts/node_list.tsx",
    find: '["resume-node", "pause-node", "stop-node"]',
    put: '["pause-node", "drain-node", "stop-node"]',
  },
  {
    ids: ["4.3:mutation:failure-body"],
    file: "src/dashboard/parts/control_sheet.tsx",
    find: "refusal.value = refusalText(thrown);",
    put: 'notify({ tone: "good", text: refusalText(thrown) });',
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/terminal/screen.ts",
    find: "    nodesOf(status, view),",
    put: "",
  },
];
