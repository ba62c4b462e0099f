/** Breaks of what the API answers and does. */
import type { Break } from "./break.ts";

export const SECTION_4_3_ANSWERS: readonly Break[] = [
  {
    ids: ["4.3:status:fields"],
    file: "src/runtime/views/status_view.ts",
    find: "    active_jobs: running.length,\n",
    put: "    active_jobs_now: running.length,\n",
  },
  {
    ids: ["4.3:status:redacted-when-anonymous"],
    file: "src/http/session_routes.ts",
    find: "if (last?.text !== text) {",
    put: "if (last === undefined) {",
  },
  {
    ids: ["4.3:status:redacted-when-anonymous"],
    file: "src/http/session_routes.ts",
    find: "JSON.stringify(minimalStatus(seen, clock.now()))",
    put: "JSON.stringify(seen)",
  },
  {
    ids: ["4.3:status:redacted-when-anonymous"],
    file: "src/runtime/views/status_view.ts",
    find: "return { healthy, paused, uptime_secs };",
    put: "return { healthy, paused, uptime_secs: uptime_secs, active_jobs: 0 };",
  },
  {
    ids: ["4.3:events:stream"],
    file: "src/http/event_streams.ts",
    find: '"text/event-stream"',
    put: '"text/plain"',
  },
  {
    ids: ["4.3:pause:pauses-claims"],
    file: "src/http/control_routes.ts",
    find: "      await service.pause(`paused ${BY_HAND}`);\n",
    put: "",
  },
  {
    ids: ["4.3:scan:registered-repo"],
    file: "src/runtime/service/scan.ts",
    find: "const written = await tickets(ports, repo, findings);",
    put: "const written = await tickets(ports, repo, []);",
  },
  {
    ids: ["4.3:run-role:enqueues-manual-run"],
    file: "src/http/control_routes.ts",
    find: "service.runRole(fields.repo_id!, fields.role!)",
    put: "Promise.resolve({ job: fields.role!, existed: false })",
  },
  {
    ids: ["4.3:run-role:role-of-manifest"],
    file: "src/runtime/service/asks.ts",
    find: "  if (idle && own !== undefined) return existing(own);\n",
    put: '  if (idle) throw new Failure("conflict", "no ticket fits");\n',
  },
  {
    ids: ["4.3:emergency-stop:runs-callbacks"],
    file: "src/http/control_routes.ts",
    find: "        await service.emergencyStop();\n",
    put: "",
  },
  {
    ids: ["4.3:emergency-stop:runs-callbacks"],
    file: "src/runtime/service/service.ts",
    find:
      "    const hurried = this.#loops?.hurry(); // ends a restart that goes on, too\n    await this.#inTurn",
    put:
      "    const hurried = undefined;\n    if (this.#loops !== undefined) return;\n    await this.#inTurn",
  },
  {
    ids: ["4.3:quality-score:markdown"],
    file: "src/http/api.ts",
    find: '"text/markdown; charset=utf-8"',
    put: '"text/plain; charset=utf-8"',
  },
  {
    ids: ["4.3:quality-score:which-repo"],
    file: "src/runtime/views/quality_view.ts",
    find: "a.created_at - b.created_at",
    put: "b.created_at - a.created_at",
  },
  {
    ids: ["4.3:orchestration-decisions:repo-filter"],
    file: "src/runtime/views/decisions_view.ts",
    find: "scope.repos.filter(({ id }) => repo_id === undefined || id === repo_id)",
    put: "scope.repos",
  },
  {
    ids: ["4.3:read-apis:missing-callback-is-501"],
    file: "src/http/api.ts",
    find: 'refusal(501, "not offered',
    put: 'refusal(404, "not offered',
  },
  {
    ids: ["4.3:read-apis:exist-under-serve"],
    file: "src/http/api.ts",
    find: "return READS.map((read)",
    put: "return READS.slice(1).map((read)",
  },
];
