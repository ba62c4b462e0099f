/** Breaks of answers, exit statuses and bounds. */
import type { Break } from "./break.ts";

export const SECTION_7_8: readonly Break[] = [
  {
    ids: ["7:status-200:success"],
    file: "src/http/api.ts",
    find: "return answer(\n        200,\n        read.shape",
    put: "return answer(\n        203,\n        read.shape",
  },
  {
    ids: [
      "7:status-400:invalid-body",
      "7:status-400:scan-without-repo-id",
      "7:status-400:run-role-without-repo-id",
      "7:status-400:run-role-without-role",
    ],
    file: "src/http/gate.ts",
    find: "if (fields === undefined) return refusal(400, ",
    put: "if (fields === undefined) return refusal(422, ",
  },
  {
    ids: ["7:status-400:oversize-body"],
    file: "src/http/gate.ts",
    find: '"too large": refusal(400, ',
    put: '"too large": refusal(413, ',
  },
  {
    ids: ["7:status-400:repo-roles-without-repo-id"],
    file: "src/http/gate.ts",
    find: "if (query === undefined) return refusal(400, ",
    put: "if (query === undefined) return refusal(404, ",
  },
  {
    ids: ["7:status-400:unknown-role-or-repo"],
    file: "src/http/control_routes.ts",
    find: "const BAD_VALUE = { not_found: 400 } as const;",
    put: "const BAD_VALUE = {};",
  },
  {
    ids: ["7:status-401-403:session"],
    file: "src/http/people.ts",
    find: 'if (access === "open" || ',
    put: 'if (access === "open" || access === "session" || ',
  },
  {
    ids: ["7:status-401-403:origin"],
    file: "src/http/gate.ts",
    find: "return bad ? refusal(403, ",
    put: "return bad ? refusal(400, ",
  },
  {
    ids: ["7:status-401-403:csrf"],
    file: "src/http/people.ts",
    find: "return same ? undefined : NO_TOKEN;",
    put: "return wanted !== undefined ? undefined : NO_TOKEN;",
  },
  {
    ids: ["7:status-404:unknown-page-or-asset"],
    file: "src/http/gate.ts",
    find: "const NOWHERE = refusal(404, ",
    put: "const NOWHERE = refusal(400, ",
  },
  {
    ids: ["7:status-404:no-quality-score"],
    file: "src/http/api.ts",
    find: "return refusal(missing.status, missing.error);",
    put: "return refusal(200, missing.error);",
  },
  {
    ids: ["7:status-429:login", "7:status-429:mutation", "7:status-429:stream"],
    file: "src/http/answer.ts",
    find: '{ "retry-after": String(Math.max(1, retrySecs)) }',
    put: "{}",
  },
  {
    ids: ["7:status-429:login"],
    file: "src/http/people.ts",
    find: 'return limited("logins", this.#logins);',
    put: "return undefined;",
  },
  {
    ids: ["7:status-429:mutation"],
    file: "src/http/people.ts",
    find: 'return session && limited("controls", session.mutations);',
    put: "return undefined;",
  },
  {
    ids: ["7:status-500:callback-failure"],
    file: "src/http/mutation.ts",
    find: "return refusal(500, `Cannot ${name}",
    put: "return refusal(502, `Cannot ${name}",
  },
  {
    ids: ["7:status-500:render-failure"],
    file: "src/http/gate.ts",
    find: "const FAILED = refusal(500, ",
    put: "const FAILED = refusal(502, ",
  },
  {
    ids: ["7:emergency-stop:generic-error-text"],
    file: "src/http/control_routes.ts",
    find: "`The emergency stop failed; ${where}`",
    put: "`The emergency stop failed; ${where}: ${cause}`",
  },
  {
    ids: ["7:cli:failure-exits-non-zero"],
    file: "src/cli/report.ts",
    find: "${remedy}\\n`,\n  );\n  return failure.exit;",
    put: '${remedy}\\n`,\n  );\n  return failure.code === "conflict" ? 0 : failure.exit;',
  },
  {
    ids: ["7:cli:model-preflight-remedy"],
    file: "src/features/models/local/preflight_failures.ts",
    find: "; ${setUp}give a real --model-endpoint",
    put: "",
  },
  {
    ids: ["8:control-secret:at-least-32-bytes"],
    file: "src/core/bounds.ts",
    find: "CONTROL_SECRET_BYTES = 32",
    put: "CONTROL_SECRET_BYTES = 31",
  },
  {
    ids: ["8:control-secret:at-least-32-bytes"],
    file: "src/http/control_secret.ts",
    find: "byteLength < CONTROL_SECRET_BYTES",
    put: "byteLength <= CONTROL_SECRET_BYTES",
  },
  {
    ids: ["8:stream:replay-bounded"],
    file: "src/http/event_streams.ts",
    find: "if (bytes > STREAM_REPLAY_BYTES) break;",
    put: "",
  },
  {
    ids: ["8:stream:event-size-bounded"],
    file: "src/http/event_message.ts",
    find: "if (bytes.byteLength <= STREAM_EVENT_BYTES) return bytes;",
    put: "if (bytes.byteLength > 0) return bytes;",
  },
  {
    ids: ["8:stream:client-count-bounded"],
    file: "src/http/event_streams.ts",
    find: "this.#count < STREAMS && ",
    put: "",
  },
  {
    ids: ["8:stream:connections-per-session-bounded"],
    file: "src/http/event_streams.ts",
    find: " && own < STREAMS_PER_SESSION",
    put: "",
  },
];
