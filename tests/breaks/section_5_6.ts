/** Breaks of who may ask, and of the events. */
import type { Break } from "./break.ts";

export const SECTION_5_6: readonly Break[] = [
  {
    ids: ["5:observer-surface:shells-and-assets"],
    file: "src/http/pages.ts",
    find: 'route("/assets/*", "local",',
    put: 'route("/assets/*", "session",',
  },
  {
    ids: ["5:control-secret:reads-disabled-without", "5:read-apis:no-secret-is-503"],
    file: "src/http/people.ts",
    find: "if (this.#checked === undefined) return this.#locked;",
    put:
      'if (this.#checked === undefined) return access === "session" && path !== "/api/events" ? undefined : LOCKED;',
  },
  {
    ids: ["5:control-secret:events-disabled-without"],
    file: "src/http/people.ts",
    find: "if (this.#checked === undefined) return this.#locked;",
    put: 'if (this.#checked === undefined && path !== "/api/events") return LOCKED;',
  },
  {
    ids: ["5:control-secret:controls-disabled-without"],
    file: "src/http/people.ts",
    find: "if (this.#checked === undefined) return this.#locked;",
    put: 'if (this.#checked === undefined && access !== "mutation") return LOCKED;',
  },
  {
    ids: ["5:read-apis:no-login-is-401"],
    file: "src/http/people.ts",
    find: 'refusal(401, "log in first")',
    put: 'refusal(403, "log in first")',
  },
  {
    ids: ["5:control-secret:environment-variable"],
    file: "src/cli/service/listen.ts",
    find: 'dashboard: take("SVC_DASHBOARD_CONTROL_SECRET")',
    put: 'dashboard: take("SVC_CONTROL_SECRET")',
  },
  {
    ids: ["5:login:json-only"],
    file: "src/http/request_head.ts",
    find: "export function isJson(headers: Headers): boolean {\n",
    put:
      'export function isJson(headers: Headers): boolean {\n  if (headers.get("content-type") === "text/json") return true;\n',
  },
  {
    ids: ["5:login:secret-only-in-body"],
    file: "src/http/people.ts",
    find: "if (this.#asking(head) !== undefined) return undefined;",
    put:
      'if (this.#asking(head) !== undefined) return undefined;\n    if (this.knows(head.headers.get("authorization")?.slice(7) ?? "")) return undefined;',
  },
  {
    ids: ["5:remote:only-through-trusted-origin"],
    file: "src/http/dashboard.ts",
    find: "[host === remoteHost ? trusted! : `http://${host}`]",
    put: '[trusted ?? "", `http://${host}`]',
  },
  {
    ids: ["5:remote:every-route-needs-session"],
    file: "src/http/people.ts",
    find: 'access === "local" && !remote) return',
    put: 'access === "local") return',
  },
  {
    ids: ["6:stream:initial-keepalive"],
    file: "src/http/event_streams.ts",
    find: "[KEEPALIVE, retryMessage(STREAM_RETRY_MS), ...messages]",
    put: "[retryMessage(STREAM_RETRY_MS), ...messages]",
  },
  {
    ids: ["6:stream:replays-recent-events"],
    file: "src/http/event_streams.ts",
    find: "messages.unshift(message);",
    put: "messages.push(message);",
  },
  {
    ids: ["6:stream:streams-new-events"],
    file: "src/http/event_streams.ts",
    find: "const message = eventMessage(event);\n      for",
    put: 'const message = eventMessage({ ...event, data: "{}" });\n      for',
  },
  {
    ids: ["6:stream:data-line"],
    file: "src/http/event_message.ts",
    find: "JSON.stringify({ type, data })",
    put: "JSON.stringify({ kind: type, data })",
  },
];
