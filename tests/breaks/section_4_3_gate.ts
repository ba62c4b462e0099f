/** Breaks of what the API refuses, and of its sessions. */
import type { Break } from "./break.ts";

export const SECTION_4_3_GATE: readonly Break[] = [
  {
    ids: ["4.3:healthz:control-address-only"],
    file: "src/http/pages.ts",
    find: "    ...pages,\n",
    put: '    ...pages,\n    route("/healthz", "local", () => Promise.resolve(toFirst)),\n',
  },
  {
    ids: ["4.3:mutation:post-only", "6:stream:get-only"],
    file: "src/http/gate.ts",
    find: "here.find((route) => route.method === answering) ?? notAllowed(here)",
    put: "here.find((route) => route.method === answering) ?? here[0]!",
  },
  {
    ids: ["4.3:mutation:session-cookie"],
    file: "src/http/people.ts",
    find: 'access === "open" || access === "local" && !remote',
    put: 'access === "open" || access === "mutation" || access === "local" && !remote',
  },
  {
    ids: ["4.3:session:needs-cookie-and-same-origin", "6:stream:needs-session"],
    file: "src/http/people.ts",
    find: 'return access === "local" && isPage ? toLogin(head) : LOGIN;',
    put:
      'return access === "local" && isPage ? toLogin(head) : access === "session" ? undefined : LOGIN;',
  },
  {
    ids: ["4.3:mutation:exact-origin"],
    file: "src/http/gate.ts",
    find: '!known.includes(headers.get("origin") ?? "null")',
    put: 'headers.has("origin") && !known.includes(headers.get("origin")!)',
  },
  {
    ids: ["4.3:session:needs-cookie-and-same-origin"],
    file: "src/http/gate.ts",
    find: "    : fromElsewhere(headers, known);\n",
    put: "    : false;\n",
  },
  {
    ids: ["4.3:mutation:csrf-header", "4.3:logout:mutation-policy"],
    file: "src/http/people.ts",
    find: "return same ? undefined : NO_TOKEN;",
    put: "return same || wanted !== undefined ? undefined : NO_TOKEN;",
  },
  {
    ids: ["4.3:mutation:bodyless-rejects-body"],
    file: "src/http/gate.ts",
    find: 'return bytes === "none" || bytes === 0 ? undefined : BAD;',
    put: "return undefined;",
  },
  {
    ids: ["4.3:json-control:unknown-field"],
    file: "src/http/strict_json.ts",
    find: "const pairs = Object.entries(value);",
    put: "const pairs = Object.entries(value).filter(([name]) => names.includes(name));",
  },
  {
    ids: ["4.3:json-control:trailing-value"],
    file: "src/http/strict_json.ts",
    find: "const value: unknown = JSON.parse(text);",
    put: "const value: unknown = JSON.parse(/^[^}]*\\}/.exec(text)?.[0] ?? text);",
  },
  {
    ids: ["4.3:json-control:oversize"],
    file: "src/http/body.ts",
    find: '      if (size + byteLength > maxBytes) return "too large";\n',
    put: "",
  },
  {
    ids: ["4.3:json-control:not-json"],
    file: "src/http/request_head.ts",
    find: 'return unpacked(headers) && headers.get("content-type") === "application/json";',
    put: "return unpacked(headers);",
  },
  {
    ids: ["4.3:json-control:exact-content-type"],
    file: "src/http/request_head.ts",
    find: 'headers.get("content-type") === "application/json"',
    put: '(headers.get("content-type") ?? "").startsWith("application/json")',
  },
  {
    ids: ["4.3:mutation:success-body"],
    file: "src/http/mutation.ts",
    find: "return answer(200, { ok: true, ...await act(call) });",
    put: "return answer(200, { ...await act(call) });",
  },
  {
    ids: ["4.2:pipeline:page"],
    file: "src/http/answer.ts",
    find: "; require-trusted-types-for 'script'",
    put: "",
  },
  {
    ids: ["4.3:mutation:failure-body"],
    file: "src/http/answer.ts",
    find: "body: { ok: false, error }",
    put: "body: { error }",
  },
  {
    ids: ["4.3:healthz:orchestrator-health"],
    file: "src/http/control.ts",
    find: "return answer(database ? 200 : 503, {",
    put: "return answer(database ? 500 : 503, {",
  },
  {
    ids: ["4.3:login:accepts-secret"],
    file: "src/http/people.ts",
    find: "return this.#checked?.(secret) ?? false;",
    put: "return this.#checked?.(`${secret}.`) ?? false;",
  },
  {
    ids: ["4.3:login:refuses-wrong-secret"],
    file: "src/http/people.ts",
    find: "return this.#checked?.(secret) ?? false;",
    put: "return this.#checked !== undefined;",
  },
  {
    ids: ["4.3:login:answers-cookie-and-csrf-token"],
    file: "src/http/session_routes.ts",
    find: "return Promise.resolve({ ...opened(people, session), headers });",
    put: "return Promise.resolve(opened(people, session));",
  },
  {
    ids: ["4.3:session:answers-csrf-token"],
    file: "src/http/session_routes.ts",
    find: "return answer(200, { ok: true, csrf_token: session.csrf, expires_at });",
    put: "return answer(200, { ok: true, expires_at });",
  },
  {
    ids: ["4.3:logout:invalidates-session"],
    file: "src/http/session_routes.ts",
    find: "        people.sessions.end(people.caller(call)!.key);\n",
    put: "",
  },
];
