/** Breaks of what code hosts and issue trackers send, and of what svc asks them. */
import type { Break } from "./break.ts";

export const CODE_HOSTS: readonly Break[] = [
  {
    ids: ["6:ingress:form-encoded"],
    file: "src/http/webhook_routes.ts",
    find: 'field.slice("payload=".length).replaceAll("+", " ")',
    put: 'field.slice("payload=".length)',
  },
  {
    ids: ["6:ingress:form-encoded"],
    file: "src/http/gate.ts",
    find: "(body.forms === true && isForm(headers))",
    put: "(body.forms !== true && isForm(headers))",
  },
  {
    ids: ["6:ingress:issue-ends"],
    file: "src/features/webhooks/fulfil_ticket.ts",
    find: 'found.state === "backlog" ?',
    put: 'found.state === "done" ?',
  },
  {
    ids: ["6:ingress:issue-ends"],
    file: "src/features/webhooks/github_rules.ts",
    find: 'action: ["transferred"]',
    put: 'action: ["moved"]',
  },
  {
    ids: ["6:ingress:issue-order"],
    file: "src/features/webhooks/fulfil_ticket.ts",
    find: "timeOf(other.at) > timeOf(at)",
    put: "timeOf(other.at) < timeOf(at)",
  },
  {
    ids: ["6:ingress:issue-order"],
    file: "src/features/webhooks/fulfil_ticket.ts",
    find: "one.final ||",
    put: "",
  },
  {
    ids: ["6:ingress:tracker-body"],
    file: "src/http/webhook_routes.ts",
    find: "LINEAR_DELIVERY_BYTES = 5 *",
    put: "LINEAR_DELIVERY_BYTES = 4 *",
  },
  {
    ids: ["6:code-host:published-api"],
    file: "src/features/access/code_host.ts",
    find: 'per_page: "30"',
    put: 'size: "30"',
  },
  {
    ids: ["6:code-host:limits"],
    file: "src/features/access/host_limit_store.ts",
    find: "LIMIT_SECS * 2 **",
    put: "LIMIT_SECS * 1 **",
  },
  {
    ids: ["6:code-host:limits"],
    file: "src/features/access/code_host_refusal.ts",
    find: 'left === "0" && reset !== undefined',
    put: "left === null && reset !== undefined",
  },
  {
    ids: ["6:code-host:single-sign-on"],
    file: "src/features/access/code_host_refusal.ts",
    find: "safe && url?.origin === web",
    put: "safe && url !== null",
  },
  {
    ids: ["6:code-host:single-sign-on"],
    file: "src/runtime/views/settlement_wait.ts",
    find: "|single sign-on by SAML",
    put: "|sign-on by OIDC",
  },
  {
    ids: ["6:code-host:merged-there"],
    file: "src/runtime/settle/pull_request.ts",
    find: "await bringIn(ports, repo, settlement, { ...hand, number, mergedAs, url })",
    put: "undefined",
  },
  {
    ids: ["6:code-host:merged-there"],
    file: "src/platform/git/pull.ts",
    find: "parents: [tip, merged]",
    put: "parents: [tip]",
  },
  {
    ids: ["6:code-host:adopted"],
    file: "src/runtime/settle/pull_request.ts",
    find: "if (!saysItExists(refused)) throw thrown;",
    put: "if (saysItExists(refused)) throw thrown;",
  },
  {
    ids: ["6:code-host:adopted"],
    file: "src/runtime/start/reachable_hosts.ts",
    find: "return /[\"']/.test(said) ? line : said;",
    put: "return said;",
  },
  {
    ids: ["6:code-host:missed-deliveries"],
    file: "src/features/webhooks/missed.ts",
    find: "if (arrived || taken.has(guid)",
    put: "if (taken.has(guid)",
  },
  {
    ids: ["6:code-host:missed-deliveries"],
    file: "src/features/access/code_host_intake.ts",
    find: 'method: "POST" },',
    put: 'method: "GET" },',
  },
  {
    ids: ["6:code-host:open-issues"],
    file: "src/features/access/code_host_intake.ts",
    find: "next = answer.next;",
    put: "next = undefined;",
  },
  {
    ids: ["6:code-host:open-issues"],
    file: "src/features/webhooks/missed.ts",
    find: "recent ? issueEnd(told(remote, issue))",
    put: "!recent ? issueEnd(told(remote, issue))",
  },
  {
    ids: ["6:code-host:open-issues"],
    file: "src/cli/service/run.ts",
    find: "run.secrets.github !== undefined &&",
    put: "run.secrets.github === undefined &&",
  },
];
